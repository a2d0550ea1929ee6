"""The picture of a graph: its boxes and arrows, as text for Mermaid and Graphviz, and as SVG."""

import xml.etree.ElementTree as ElementTree

import pytest

import rushlight as torch
from rushlight.autograd.graph import draw


def network():
    model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.ReLU(), torch.nn.Linear(3, 1))
    return model, model(torch.ones(4, 2)).mean()


def test_boxes_have_names_shapes_and_bytes():
    model, loss = network()
    lines = [line for box in draw(loss, params=dict(model.named_parameters())).boxes for line in box.lines]
    for expected in (
        "result",
        "[]",
        "MeanBackward0",
        "ReluBackward0",
        "0.weight",
        "[3, 2]",
        "2.bias",
        "saves 48 bytes",
    ):
        assert expected in lines


def test_lines_are_there_while_explained():
    with torch.autograd.explain(file=False):
        _, loss = network()
        lines = [line for box in draw(loss).boxes for line in box.lines]
    assert any(line.startswith("test_draw.py:") for line in lines)


def test_a_leaf_that_is_used_twice_is_one_box():
    w = torch.ones(2, requires_grad=True)
    picture = draw((w * 2 + w.exp()).sum(), params={"w": w})
    assert sum(box.kind == "leaf" for box in picture.boxes) == 1
    assert len(picture.arrows) == 6


def test_several_results():
    w = torch.ones(2, requires_grad=True)
    assert sum(box.kind == "result" for box in draw([w * 2, w + 1]).boxes) == 2


def test_texts():
    w = torch.ones(2, requires_grad=True)
    picture = draw(w.sin(), params={'a "name"': w})
    assert picture.mermaid.startswith("graph TD\n")
    assert str(picture) == picture.mermaid
    assert picture.dot.startswith("digraph {")
    assert r"a \"name\"" in picture.dot
    root = ElementTree.fromstring(picture.svg)
    assert sum(element.tag.endswith("rect") for element in root) == 3
    assert picture._repr_svg_() == picture.svg


def test_large_graphs_are_refused():
    x = torch.ones(1, requires_grad=True)
    for _ in range(5100):
        x = x + 1
    with pytest.raises(ValueError, match="draw a part of it"):
        draw(x)

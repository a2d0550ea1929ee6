"""The texts and numbers that name a device, and those that do not."""

import pytest

WRONG = ["cpu:-1", "cuda:2 ", "cuda: 2", "cuda:2.", "cuda:?2", "cuda:", "cuda:2+cuda:3", "cuda:02", "cuda1", ":1"]


@pytest.mark.parametrize("text", WRONG)
def test_texts_that_name_no_device(torch, text):
    with pytest.raises(RuntimeError, match="Invalid device string: "):
        torch.device(text)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (("",), "Device string must not be empty"),
        (("other:0",), "Expected one of .* device type at start of device string: other"),
        (("CPU",), "Expected one of .* device type at start of device string: CPU"),
        ((-1,), "Device index must not be negative"),
        (("cpu", -2), "Device index must not be negative"),
        (("cuda:1", 1), "must not include an index because index was passed explicitly: cuda:1"),
    ],
)
def test_other_refusals(torch, given, words):
    with pytest.raises(RuntimeError, match=words):
        torch.device(*given)


@pytest.mark.parametrize("given", [None, 1.5, True])
def test_what_is_no_text(torch, given):
    with pytest.raises(TypeError, match=r"device\(\) received an invalid combination of arguments"):
        torch.device(given)


def test_names(torch):
    found = [torch.device(*given) for given in (("cpu",), ("cuda:0",), ("cuda", 10), ("meta:1",))]
    assert [(d.type, d.index) for d in found] == [("cpu", None), ("cuda", 0), ("cuda", 10), ("meta", 1)]
    assert torch.device(found[1]) == found[1]


@pytest.mark.parametrize("name", ["FloatTensor", "LongTensor", "BoolTensor"])
def test_classes_of_a_dtype_cannot_be_extended(torch, name):
    for room in (torch, torch.cuda):
        with pytest.raises(TypeError, match=rf"type '{room.__name__.replace('rushlight', 'torch')}.{name}' is not an"):
            type("Extended", (getattr(room, name),), {})


@pytest.mark.parametrize("dtype", ["int64", "float32", "bool"])
@pytest.mark.parametrize("value", ["text", [1], (1,)], ids=str)
def test_apply_refuses_what_is_no_number(torch, dtype, value):
    x = torch.ones(2, dtype=getattr(torch, dtype))
    for change in (lambda: x.apply_(lambda _: value), lambda: x.map_(x, lambda *_: value)):
        with pytest.raises(TypeError):
            change()
    assert x.tolist() == [1, 1]

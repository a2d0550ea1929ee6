"""`one_hot` inside `vmap`."""

import pytest


def test_one_hot_of_examples(torch):
    classes = torch.tensor([[0, 2], [1, 1]])
    found = torch.vmap(lambda c: torch.nn.functional.one_hot(c, 3))(classes)
    assert found.tolist() == torch.nn.functional.one_hot(classes, 3).tolist()
    assert torch.vmap(lambda c: torch.nn.functional.one_hot(c, 3), 1)(classes).shape == (2, 2, 3)


def test_one_hot_of_examples_needs_the_number_of_classes(torch):
    with pytest.raises(RuntimeError, match="please provide an explicit positive num_classes"):
        torch.vmap(torch.nn.functional.one_hot)(torch.tensor([[0, 2]]))

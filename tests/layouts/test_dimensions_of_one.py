"""Copies and new tensors like a dense one have all of its strides, those of dimensions of size 1 too."""

import pytest

SOURCES = {
    "transposed row": (lambda t: t.zeros(1, 3).T, (1, 3)),
    "transposed column": (lambda t: t.zeros(3, 1).T, (1, 1)),
    "every second": (lambda t: t.zeros(2)[::2], (2,)),
    "permuted": (lambda t: t.zeros(2, 1, 3).permute(2, 1, 0), (1, 3, 3)),
    "slice": (lambda t: t.zeros(3, 4)[1:2], (4, 1)),
    "channels last": (lambda t: t.zeros(1, 1, 2, 3).contiguous(memory_format=t.channels_last), (6, 6, 3, 1)),
}
COPIES = {
    "clone": lambda t, x: x.clone(),
    "to": lambda t, x: x.to(t.float32, copy=True),
    "int": lambda t, x: x.int(),
    "half": lambda t, x: x.half(),
    "zeros_like": lambda t, x: t.zeros_like(x),
    "empty_like": lambda t, x: t.empty_like(x, dtype=t.int64),
}


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("copy", COPIES)
def test_strides_of_copies(torch, source, copy):
    make, wanted = SOURCES[source]
    x = make(torch)
    assert x.stride() == wanted
    assert COPIES[copy](torch, x).stride() == wanted


def test_repeated_elements_are_copied_apart(torch):
    assert torch.zeros(1, 3).expand(2, 3).clone().stride() == (3, 1)

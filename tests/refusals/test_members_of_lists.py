"""A list of tensors with a member that is none: the error names the member, its place and the argument."""

import pytest

import rushlight

CALLS = {
    "cat": lambda t, x: t.cat([x, 2]),
    "an unknown name": lambda t, x: t.cat([x, 2], bogus=1),
    "stack": lambda t, x: t.stack((x, None)),
    "multi_dot": lambda t, x: t.linalg.multi_dot([x, 2.0]),
    "index_put": lambda t, x: t.index_put(x, [1], x),
    "index_put_": lambda t, x: x.index_put_((t.tensor([0]), 1), x),
    "einsum": lambda t, x: t.einsum("ij,i", x, 2),
    "einsum of a list": lambda t, x: t.einsum("ij", ["a"]),
    "einsum by numbers": lambda t, x: t.einsum(x, [0, 1], 2, [0]),
    "histogramdd": lambda t, x: t.histogramdd(x, [2, 2], out=x),
    "histogramdd, its range": lambda t, x: t.histogramdd(x, [2, 2], range=3),
    "edges": lambda t, x: t.histogramdd(x, [x, 2]),
    "gradient": lambda t, x: t.gradient(x, spacing=["a"]),
}
OTHERS = {  # a list of numbers is right here: the error is that of the call
    "spacing": lambda t, x: t.gradient(x, spacing=[1.0, 2.0, 3.0]),
    "bins": lambda t, x: t.histogramdd(x, [3, 3, 3]),
    "no bins": lambda t, x: t.histogramdd(x, [0, 0]),
    "sizes": lambda t, x: t.cat([x, t.ones(3, 5)]),
}


def said(library, call):
    with pytest.raises((TypeError, RuntimeError)) as caught:
        call(library, library.ones(3, 2))
    return caught.type, str(caught.value)


@pytest.mark.parametrize("name", [*CALLS, *OTHERS])
def test_beside_pytorch(name):
    torch = pytest.importorskip("torch")
    call = {**CALLS, **OTHERS}[name]
    (kind, words), (expected, beginning) = said(rushlight, call), said(torch, call)
    assert kind is expected
    assert words.startswith(beginning.partition("\n")[0][:60])


@pytest.mark.parametrize("name", CALLS)
def test_words(torch, name):
    kind, words = said(torch, CALLS[name])
    assert kind is TypeError
    assert words.startswith("expected Tensor as element ")

"""Functions of tensors of several types: the type of the result, or of the error, is PyTorch's, and so are values."""

import numpy as np
import pytest

import rushlight

CALLS = {
    "F.rms_norm(small, (4,))": ["float16", "bfloat16"],
    "F.rms_norm(small, (4,), weight)": [
        "float16, float32",
        "bfloat16, float32",
        "float32, float64",
        "float16, float16",
    ],
    "F.binary_cross_entropy(x.sigmoid(), x.sigmoid(), weight)": ["float16, float32", "bfloat16, float32"],
    "F.binary_cross_entropy_with_logits(x, y.sigmoid(), weight)": ["float16, float16", "float32, float16"],
    "F.kl_div(x, y.sigmoid())": ["int64, float32", "bool, float32", "int64, int64"],
    "F.margin_ranking_loss(x, x, x.sign())": ["int64", "float16"],
    "F.gaussian_nll_loss(x, y, y.abs() + 0.1)": ["int64, float32", "int64, int64", "float16, float32"],
    "F.scaled_dot_product_attention(x, x, x, mask)": ["float16, float32", "bfloat16, float32", "float64, float32"],
    "torch.nan_to_num(x / 0)": ["float16", "bfloat16", "float32", "int64"],
    "torch.nan_to_num(x / 0, posinf=3)": ["float16", "bfloat16"],
    "torch.masked_fill(x, x > 0, y[0, 0])": ["float32, bfloat16", "float16, bfloat16", "float64, float32"],
    "torch.lerp(x, y, 0.3)": ["float16, bfloat16", "bfloat16, float32", "float32, float32"],
    "torch.bincount(torch.tensor([0, 1, 1, 2]), weight)": ["float16, bfloat16", "float16, float16", "float16, int64"],
}


def computed(torch, call, kinds):
    """What a call gives for the same numbers in either library, or the type of the exception that it raises."""
    rng = np.random.default_rng(0)
    numbers = {"x": rng.uniform(-1, 1, (3, 4)), "y": rng.uniform(-1, 1, (3, 4)), "weight": rng.uniform(0.1, 1, 4)}
    numbers |= {"small": numbers["x"] / 100, "mask": np.zeros((3, 3))}
    first, *others = [getattr(torch, kind) for kind in kinds.split(", ")]
    names = {"torch": torch, "F": torch.nn.functional}
    for name, values in numbers.items():
        dtype = first if name in ("x", "small") or not others else others[0]
        scale = 1 if dtype.is_floating_point else 3
        names[name] = torch.tensor((values * scale).tolist()).to(dtype)
    try:
        result = eval(call, names)
    except Exception as error:
        return type(error).__name__, None
    return str(result.dtype).partition(".")[2], result.double().numpy()


@pytest.mark.parametrize(("call", "kinds"), [(call, kinds) for call, all_kinds in CALLS.items() for kinds in all_kinds])
@pytest.mark.filterwarnings("ignore:reduction. 'mean' divides")
def test_of_tensors_of_several_types(call, kinds):
    torch = pytest.importorskip("torch")
    (kind, ours), (wanted, theirs) = (computed(library, call, kinds) for library in (rushlight, torch))
    assert kind == wanted
    if theirs is not None:
        np.testing.assert_allclose(ours, theirs, rtol=2e-2 if "float16" in kinds else 1e-5)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_rms_norm_of_half_precision_is_that_of_float32(dtype):
    x = (rushlight.linspace(-1, 1, 12).reshape(3, 4) / 100).to(getattr(rushlight, dtype))
    expected = rushlight.nn.functional.rms_norm(x.float(), (4,)).to(x.dtype)
    assert rushlight.equal(rushlight.nn.functional.rms_norm(x, (4,)), expected)


def test_infinities_become_the_largest_number_of_a_type():
    for dtype in (rushlight.float16, rushlight.bfloat16, rushlight.float32):
        x = rushlight.tensor([float("inf"), -float("inf"), float("nan")], dtype=dtype)
        largest = rushlight.finfo(dtype).max
        assert x.nan_to_num().tolist() == [largest, -largest, 0]

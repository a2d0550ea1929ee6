"""In-place elementwise operations, which write over the tensor without a temporary array where they can."""

import pytest

import rushlight as torch

CHANGES = {
    "add_": lambda x, y, z: x.add_(y),
    "add_ of a multiple": lambda x, y, z: x.add_(y, alpha=0.3),
    "sub_ of a multiple": lambda x, y, z: x.sub_(y, alpha=3),
    "mul_ by a number": lambda x, y, z: x.mul_(1.5),
    "fmod_": lambda x, y, z: x.fmod_(y),
    "sin_": lambda x, y, z: x.sin_(),
    "lerp_": lambda x, y, z: x.lerp_(y, 0.3),
    "lerp_ with weights": lambda x, y, z: x.lerp_(y, z),
    "addcmul_": lambda x, y, z: x.addcmul_(y, z, value=0.5),
    "addcdiv_": lambda x, y, z: x.addcdiv_(y, z),
    "ge_": lambda x, y, z: x.ge_(y),
    "ne_ a number": lambda x, y, z: x.ne_(1.5),
    "masked_fill_": lambda x, y, z: x.masked_fill_((y > 0).expand_as(x), 2.5),
}
LAYOUTS = {
    "contiguous": lambda n: n.clone(),
    "transposed": lambda n: n.clone().mT,
    "columns": lambda n: n.clone()[:, 1::2],
    "one column": lambda n: n.clone()[:, 2:3],
    "permuted": lambda n: n.clone().reshape(2, 3, 6).permute(1, 2, 0),
    "no dimensions": lambda n: n.clone()[0, 0],
    "one element": lambda n: n.clone()[:1, :1],
    "nothing": lambda n: n.clone()[:, :0],
}
OPERANDS = {
    "alike": lambda x: x.clone() + 0.25,
    "another layout": lambda x: (x + 0.25).contiguous(),
    "a row": lambda x: (x[:1] if x.ndim else x) + 0.25,
    "itself": lambda x: x,
}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16])
@pytest.mark.parametrize("operand", OPERANDS)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("change", CHANGES)
def test_values_are_those_of_a_contiguous_copy(change, layout, operand, dtype):
    numbers = (torch.arange(36) / 7 - 2.1).reshape(6, 6).to(dtype)
    x = LAYOUTS[layout](numbers)
    base, before = x._base, None if x._base is None else x._base.clone()
    y = OPERANDS[operand](x)
    expected = CHANGES[change](x.clone(memory_format=torch.contiguous_format), y.clone(), y.clone())
    version = x._version
    assert CHANGES[change](x, y, y) is x
    assert torch.allclose(x, expected, rtol=1e-6, equal_nan=True)
    assert x._version == version + 1
    if base is not None:  # elements beside the view are as they were
        beside = torch.ones_like(base)
        for changed in (x, beside.as_strided(x.shape, x.stride(), x.storage_offset())):
            changed.zero_()
        assert torch.equal(base, before * beside)


@pytest.mark.parametrize("change", ["add_", "lerp_", "addcmul_"])
def test_what_is_recorded_has_gradients(change):
    x, y, z = (torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True) for _ in range(3))
    assert torch.autograd.gradcheck(lambda x, y, z: CHANGES[change](x.clone(), y, z), (x, y, z))


def test_operands_that_are_larger_or_share_memory_are_refused():
    x = torch.zeros(4)
    with pytest.raises(RuntimeError, match="output with shape"):
        x.add_(torch.ones(2, 4), alpha=2)
    with pytest.raises(RuntimeError, match="refer to a single memory location"):
        x[1:].lerp_(x[:-1], 0.5)
    with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
        torch.zeros(4, requires_grad=True).sin_()
    assert x.tolist() == [0, 0, 0, 0]


@pytest.mark.parametrize("side", [6, 40, 300])
def test_parts_that_overlap_are_read_before_they_are_written(side):
    first = torch.randn(side, side)
    for other in (lambda u: u[2:, 1:-1], lambda u: u[1:-1, :-2] * 1, lambda u: u[1:-1, 1:-1]):
        u = first.clone()
        expected = u[1:-1, 1:-1] + other(u)
        u[1:-1, 1:-1] += other(u)
        assert torch.equal(u[1:-1, 1:-1], expected)
        assert torch.equal(u[0], first[0])
        assert torch.equal(u[:, -1], first[:, -1])


def test_an_assignment_of_a_part_to_itself_counts_as_a_change():
    x = torch.zeros(4, 4)
    part = x[1:, 2:]
    before = x._version
    x[1:, 2:] = part
    assert x._version == part._version == before + 1
    x[1:, 2:] = x[:-1, 2:]
    assert x._version == before + 2


def test_changes_of_views_of_what_has_gradients_are_recorded():
    leaf = torch.ones(4, 4, requires_grad=True)
    x, other = leaf * 1, torch.zeros(4, 4)
    part = x[1:, 1:]
    part += 1
    part *= part.detach().clone()
    other[:, :2] += x[:, 2:]
    (x.sum() + other.sum()).backward()
    assert leaf.grad.tolist() == [[1, 1, 2, 2], [1, 2, 4, 4], [1, 2, 4, 4], [1, 2, 4, 4]]

"""Products that cannot be computed: the same errors from rushlight and from PyTorch."""

import pytest

ERRORS = [
    ("r(2, 3) @ r(2, 3)", "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)"),
    ("r(2, 3) @ r(3, 2).double()", "expected m1 and m2 to have the same dtype, but got: float != double"),
    ("r(2, 3).int() @ r(3, 2).long()", "expected m1 and m2 to have the same dtype, but got: int != long int"),
    ("(r(2, 2) > 0) @ (r(2, 2) > 0)", "\"addmm_impl_cpu_\" not implemented for 'Bool'"),
    ("torch.mm(r(2), r(2, 3))", "self must be a matrix"),
    ("torch.mm(r(2, 3), r(3))", "mat2 must be a matrix"),
    ("r(2) @ r(3)", "inconsistent tensor size, expected tensor [2] and src [3] to have the same number of elements"),
    ("torch.dot(r(2), r(2, 2))", "1D tensors expected, but got 1D and 2D tensors"),
    ("torch.dot(r(2), r(2).double())", "dot : expected both vectors to have same dtype, but found Float and Double"),
    ("r(2, 3) @ r(2)", "size mismatch, got input (2), mat (2x3), vec (2)"),
    ("torch.mv(r(2, 3), r(2, 2))", "vector + matrix @ vector expected, got 1, 2, 2"),
    ("torch.mv(r(2, 3), r(3).double())", "addmv input tensors must have the same dtype, but got Double, Float, and"),
    ("torch.tensor(1.0) @ r(2)", "both arguments to matmul need to be at least 1D, but they are 0D and 1D"),
    ("r(2, 3, 4) @ r(2, 3, 4)", "Expected size for first two dimensions of batch2 tensor to be: [2, 4] but got: [2"),
    ("r(2, 3, 4) @ r(3, 4, 4)", "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dim"),
    ("r(2, 3, 4) @ r(3, 4)", "mat1 and mat2 shapes cannot be multiplied (6x4 and 3x4)"),
    ("r(2, 3, 4) @ r(2, 4, 3).double()", "expected scalar type Float but found Double"),
    ("torch.bmm(r(2, 3), r(3, 4, 4))", "batch1 must be a 3D tensor"),
    ("torch.bmm(r(2, 3, 3), r(4, 4))", "batch2 must be a 3D tensor"),
    ("torch.matmul(r(2, 3), 3)", "matmul(): argument 'other' (position 2) must be Tensor, not int"),
    ("r(2, 3) @ 3", "unsupported operand type(s) for @: 'Tensor' and 'int'"),
    ("F.linear(r(2, 3), r(4, 2), r(4))", "mat1 and mat2 shapes cannot be multiplied (2x3 and 2x4)"),
    ("F.linear(r(2, 2, 3), r(4, 2), r(4))", "mat1 and mat2 shapes cannot be multiplied (4x3 and 2x4)"),
    ("F.linear(r(2, 3), r(4, 3), r(5))", "The expanded size of the tensor (4) must match the existing size (5) at "),
    ("F.linear(r(2, 3), r(4, 3).double(), r(4).double())", "mat1 and mat2 must have the same dtype, but got Float "),
    ("F.linear(r(2, 3), r(4, 3), r(4).double())", "self and mat2 must have the same dtype, but got Double and Float"),
    ("F.linear(r(2, 3), r(3), r(2))", "mat2 must be a matrix, got 1-D tensor"),
    ("torch.addmm(r(5), r(2, 3), r(3, 4))", "The expanded size of the tensor (4) must match the existing size (5) "),
    ("torch.addmv(r(5), r(2, 3), r(3))", "size mismatch, got input (5), mat (2x3), vec (3)"),
    ("torch.addr(r(2, 4), r(2, 2), r(3))", "addr: Expected 1-D argument vec1, but got 2-D"),
    ("torch.addbmm(r(2, 4), r(5, 2, 3), r(4, 3, 4))", "batch1 and batch2 must have same number of batches, got 5 a"),
    ("torch.addbmm(r(2, 4), r(5, 2, 3), r(5, 2, 4))", "Incompatible matrix sizes for bmm (2x3 and 2x4)"),
    ("torch.baddbmm(r(3, 4), r(5, 2, 3), r(5, 3, 4))", "The expanded size of the tensor (2) must match the existin"),
    ("torch.inner(r(2, 3), r(3, 4))", "inner() the last dimension must match on both input tensors but got shapes "),
    ("torch.outer(r(3, 2), r(2))", "outer: Expected 1-D argument self, but got 2-D"),
    ("torch.tensordot(r(2, 3), r(2, 4), 1)", "contracted dimensions need to match, but first has size 3 in dim -1 "),
    ("torch.tensordot(r(2, 3), r(2, 4), -1)", "tensordot expects dims >= 0, but got dims=-1"),
    ("torch.tensordot(r(2, 3), r(2, 4), ([0], [0, 1]))", "both dimension lists should have same length"),
    ("torch.einsum('ij,jk', r(2, 3), r(2, 4))", "einsum(): subscript j has size 2 for operand 1 which does not bro"),
    ("torch.einsum('ij,j', r(2, 3), r(2, 4))", "einsum(): the number of subscripts in the equation (1) does not ma"),
    ("torch.einsum('ij,j', r(2, 3))", "einsum(): fewer operands were provided than specified in the equation"),
    ("torch.einsum('ij', r(2, 3), r(2))", "einsum(): more operands were provided than specified in the equation"),
    ("torch.einsum('ij->k', r(2, 3))", "einsum(): output subscript k does not appear in the equation for any input"),
    ("torch.einsum('ij->ii', r(2, 3))", "einsum(): output subscript i appears more than once in the output"),
    ("torch.einsum('i1j', r(2, 3))", "einsum(): invalid subscript given at index 1 in the equation string, subscri"),
    ("torch.einsum('i...j...', r(2, 3, 4))", "einsum(): found '.' for operand 0 for which an ellipsis was already "),
    ("torch.einsum('i.j', r(2, 3))", "einsum(): found '.' for operand 0 that is not part of any ellipsis"),
    ("torch.einsum('ii->i', r(2, 3))", "einsum(): subscript i is repeated for operand 0 but the sizes don't match,"),
    ("torch.einsum('ij')", "einsum(): must specify the equation string and at least one operand"),
    ("torch.linalg.multi_dot([r(2, 3)])", "multi_dot(): expected at least 2 tensors but got 1"),
    ("torch.linalg.multi_dot([r(2, 3), r(4, 4)])", "multi_dot(): tensors 0 and 1 with shapes [2, 3] and [4, 4] can"),
    ("torch.linalg.multi_dot([r(3), r(3, 4, 3), r(4)])", "multi_dot(): tensor 1 must be 2D but got 3D"),
    ("F.bilinear(r(2, 3), r(2, 4), r(5, 4, 4))", "bilinear(): input1 size does not match weight size: got 3 but ex"),
    ("F.bilinear(r(2, 3), r(3, 4), r(5, 3, 4))", "bilinear(): input batch dimensions do not match at dim 0: got 2 "),
    ("torch.cdist(r(2, 3), r(4, 2))", "X1 and X2 must have the same number of columns. X1: 3 X2: 2"),
    ("torch.cdist(r(3), r(4, 3))", "cdist only supports at least 2D tensors, X1 got: 1D"),
    ("torch.cdist(r(2, 3), r(4, 3), p=-1)", "cdist only supports non-negative p values"),
    ("torch.cdist(r(2, 3), r(4, 3), compute_mode='x')", "x is not a valid value for compute_mode"),
    ("torch.pdist(r(4))", "pdist only supports 2D tensors, got: 1D"),
]


@pytest.mark.parametrize(("expression", "message"), ERRORS, ids=[e for e, _ in ERRORS])
def test_errors(torch, expression, message):
    names = {"torch": torch, "r": torch.ones, "F": torch.nn.functional}
    with pytest.raises((RuntimeError, TypeError, ValueError)) as found:
        eval(expression, names)
    assert str(found.value).startswith(message)

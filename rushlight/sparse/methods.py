"""The methods of sparse tensors, by name; `Tensor` calls them."""

from rushlight.sparse import elementwise, parts, products, shapes  # noqa: F401
from rushlight.sparse.tensor import HANDLED as METHODS  # noqa: F401

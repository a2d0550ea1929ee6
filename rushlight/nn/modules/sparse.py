"""Embedding layers: tables of vectors that are looked up by index."""

from collections.abc import Callable
from typing import Any, Self

from rushlight.core.advice import advised
from rushlight.dtypes import dtype as Dtype
from rushlight.nn import functional as F
from rushlight.nn import init
from rushlight.nn.modules.base.making import Device, uninitialized
from rushlight.nn.modules.module import Module
from rushlight.nn.parameter import Parameter
from rushlight.tensors import Tensor

__all__ = ["Embedding", "EmbeddingBag"]


class _Table(Module):
    """Base class of embeddings: a table of `num_embeddings` vectors, one of which may be for padding."""

    padding_idx: int | None
    weight: Parameter

    def _make_table(self, padding_idx: int | None, weight: Any, device: Any, dtype: Any, requires_grad: bool) -> None:
        """Registers the table: a new one, or the tensor that was given."""
        shape = (self.num_embeddings, self.embedding_dim)
        if padding_idx is not None and not -shape[0] <= padding_idx < shape[0]:
            raise AssertionError(
                advised(f"Padding_idx must be within num_embeddings, but got {padding_idx} for {shape[0]} embeddings")
            )
        self.padding_idx = None if padding_idx is None else padding_idx % shape[0]
        if weight is None:
            self.weight = uninitialized(shape, device, dtype, requires_grad)
            self.reset_parameters()
            return
        if tuple(weight.shape) != shape:
            raise AssertionError("Shape of weight does not match num_embeddings and embedding_dim")
        self.weight = Parameter(weight, requires_grad)

    def reset_parameters(self) -> None:
        """Initializes the vectors with standard normal random numbers, and that of padding with zeros."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            self.weight._array[self.padding_idx] = 0

    def _options(self, *names: str, show: Callable[[Any], str] = str) -> str:
        """The sizes, and those of the named options that differ from their defaults."""
        usual = {
            "padding_idx": None,
            "max_norm": None,
            "norm_type": 2,
            "scale_grad_by_freq": False,
            "sparse": False,
        }
        options = "".join(
            f", {name}={show(getattr(self, name))}" for name in names if getattr(self, name) != usual.get(name)
        )
        return f"{self.num_embeddings}, {self.embedding_dim}{options}"

    @classmethod
    def _around(cls, embeddings: Tensor, **options: Any) -> Self:
        """A module with a given table."""
        if embeddings.ndim != 2:
            raise AssertionError("Embeddings parameter is expected to be 2-dimensional")
        rows, columns = embeddings.shape
        return cls(rows, columns, _weight=embeddings, **options)


class Embedding(_Table):
    """Looks up vectors by index: integers of any shape (...) give (..., embedding_dim).

    The vector of `padding_idx` is initially zero and gets no gradient. With `max_norm`, looked-up vectors with a larger
    norm are scaled down in place. `scale_grad_by_freq` divides each vector's gradient by the number of its occurrences.

    IndexError for indices out of range, RuntimeError for indices that are not integers, AssertionError for a
    `padding_idx` out of range.

    >>> import rushlight as torch
    >>> torch.nn.Embedding(10, 3)(torch.tensor([[1, 2, 4, 5]])).shape
    torch.Size([1, 4, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
        _weight: Tensor | None = None,
        _freeze: bool = False,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.sparse = sparse
        self._make_table(padding_idx, _weight, device, dtype, not _freeze)

    def forward(self, input: Tensor) -> Tensor:
        """The vectors: (...) to (..., embedding_dim)."""
        return F.embedding(
            input,
            self.weight,
            self.padding_idx,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.sparse,
        )

    def extra_repr(self) -> str:
        """Sizes, and the options that differ from their defaults."""
        return self._options("padding_idx", "max_norm", "norm_type", "scale_grad_by_freq", "sparse")

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        padding_idx: int | None = None,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        sparse: bool = False,
    ) -> "Embedding":
        """An embedding with a given table, which is not trained unless `freeze=False`.

        >>> import rushlight as torch
        >>> table = torch.nn.Embedding.from_pretrained(torch.tensor([[1.0, 2.5], [4.0, 5.1]]))
        >>> table(torch.tensor([1]))
        tensor([[4.0000, 5.1000]])
        """
        return cls._around(
            embeddings,
            padding_idx=padding_idx,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            sparse=sparse,
            _freeze=freeze,
        )


class EmbeddingBag(_Table):
    """Looks up bags of vectors and returns the sum, mean or maximum of each bag.

    A bag is a row of a matrix of indices; in a vector of indices, `offsets` says where each bag starts.

    RuntimeError for indices out of range, ValueError for one-dimensional indices without `offsets`.

    >>> import rushlight as torch
    >>> bag = torch.nn.EmbeddingBag(10, 3, mode="sum")
    >>> bag(torch.tensor([1, 2, 4, 5, 4, 3]), torch.tensor([0, 4])).shape
    torch.Size([2, 3])
    """

    def __init__(
        self,
        num_embeddings: int,
        embedding_dim: int,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        _weight: Tensor | None = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
        device: Device = None,
        dtype: Dtype | None = None,
    ):
        super().__init__()
        self.num_embeddings = num_embeddings
        self.embedding_dim = embedding_dim
        self.max_norm = max_norm
        self.norm_type = norm_type
        self.scale_grad_by_freq = scale_grad_by_freq
        self.mode = mode
        self.sparse = sparse
        self.include_last_offset = include_last_offset
        self._make_table(padding_idx, _weight, device, dtype, True)

    def forward(self, input: Tensor, offsets: Tensor | None = None, per_sample_weights: Tensor | None = None) -> Tensor:
        """One vector for each bag: (bags, embedding_dim)."""
        return F.embedding_bag(
            input,
            self.weight,
            offsets,
            self.max_norm,
            self.norm_type,
            self.scale_grad_by_freq,
            self.mode,
            self.sparse,
            per_sample_weights,
            self.include_last_offset,
            self.padding_idx,
        )

    def extra_repr(self) -> str:
        """Sizes, the mode, and the options that differ from their defaults."""
        return self._options("max_norm", "norm_type", "scale_grad_by_freq", "mode", "padding_idx", show=repr)

    @classmethod
    def from_pretrained(
        cls,
        embeddings: Tensor,
        freeze: bool = True,
        max_norm: float | None = None,
        norm_type: float = 2.0,
        scale_grad_by_freq: bool = False,
        mode: str = "mean",
        sparse: bool = False,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> "EmbeddingBag":
        """An embedding bag with a given table, which is not trained unless `freeze=False`."""
        bag = cls._around(
            embeddings,
            max_norm=max_norm,
            norm_type=norm_type,
            scale_grad_by_freq=scale_grad_by_freq,
            mode=mode,
            sparse=sparse,
            include_last_offset=include_last_offset,
            padding_idx=padding_idx,
        )
        bag.weight.requires_grad = not freeze
        return bag

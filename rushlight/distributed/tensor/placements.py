"""How the processes of a mesh share a tensor: PyTorch's words for it."""

from dataclasses import dataclass

__all__ = ["Placement", "Replicate", "Shard"]


class Placement:
    """How a tensor is placed along one dimension of a mesh."""

    def is_shard(self, dim: int | None = None) -> bool:
        """Whether the tensor is cut, along `dim` if one is given."""
        return isinstance(self, Shard) and dim in (None, self.dim)

    def is_replicate(self) -> bool:
        """Whether each process has the whole tensor."""
        return isinstance(self, Replicate)

    def is_partial(self) -> bool:
        """False: no process holds a term of a sum."""
        return False


@dataclass(frozen=True)
class Shard(Placement):
    """Each process holds a part of the tensor, cut along a dimension."""

    dim: int

    def __repr__(self) -> str:
        return f"Shard(dim={self.dim})"


@dataclass(frozen=True)
class Replicate(Placement):
    """Each process holds the whole tensor."""

    def __repr__(self) -> str:
        return "Replicate()"

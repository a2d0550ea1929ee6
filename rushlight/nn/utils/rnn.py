"""Sequences of different lengths: padded to the longest one, or packed time step by time step."""

from collections import namedtuple
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from rushlight.core.advice import advised
from rushlight.core.graph import TensorBase, new_tensor
from rushlight.ops.making.creation import full
from rushlight.ops.shapes.joining import cat, stack
from rushlight.tensors import Tensor

__all__ = [
    "PackedSequence",
    "invert_permutation",
    "pack_padded_sequence",
    "pack_sequence",
    "pad_packed_sequence",
    "pad_sequence",
    "unpack_sequence",
    "unpad_sequence",
]


class PackedSequence(namedtuple("PackedSequence_", ["data", "batch_sizes", "sorted_indices", "unsorted_indices"])):
    """Sequences of different lengths, as recurrent layers take them; created by `pack_padded_sequence`.

    `data` holds the first elements of all sequences, longest first, then all second ones, and so on; `batch_sizes` says
    how many there are of each. `sorted_indices` and `unsorted_indices` convert between the order in which the sequences
    were given and that by length; None if these are the same.
    """

    def __new__(
        cls,
        data: Tensor,
        batch_sizes: Tensor | None = None,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> Any:
        """Creates a packed sequence; `unsorted_indices` is computed from `sorted_indices` if it is not given."""
        if batch_sizes is None:
            data, batch_sizes = data  # PyTorch's first calling form: both in a tuple
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> "PackedSequence":
        """The sequence with its data converted; see `Tensor.to`."""
        return self._replace(data=self.data.to(*args, **kwargs))

    def float(self) -> "PackedSequence":
        """The sequence with float32 data."""
        return self._replace(data=self.data.float())

    def double(self) -> "PackedSequence":
        """The sequence with float64 data."""
        return self._replace(data=self.data.double())

    def half(self) -> "PackedSequence":
        """The sequence with float16 data."""
        return self._replace(data=self.data.half())

    def byte(self) -> "PackedSequence":
        """The sequence with uint8 data."""
        return self._replace(data=self.data.byte())

    def char(self) -> "PackedSequence":
        """The sequence with int8 data."""
        return self._replace(data=self.data.char())

    def short(self) -> "PackedSequence":
        """The sequence with int16 data."""
        return self._replace(data=self.data.short())

    def int(self) -> "PackedSequence":
        """The sequence with int32 data."""
        return self._replace(data=self.data.int())

    def long(self) -> "PackedSequence":
        """The sequence with int64 data."""
        return self._replace(data=self.data.long())

    def cpu(self, *args: Any, **kwargs: Any) -> "PackedSequence":
        """The sequence on the CPU, where it is; the arguments are those of `to`, without the device."""
        return self.to("cpu", *args, **kwargs) if args or kwargs else self

    def cuda(self, *args: Any, **kwargs: Any) -> "PackedSequence":
        """Always raises, as PyTorch without CUDA does."""
        return self._replace(data=self.data.cuda(*args, **kwargs))

    def pin_memory(self) -> "PackedSequence":
        """Always raises RuntimeError, as PyTorch does without an accelerator."""
        return self._replace(data=self.data.pin_memory())

    @property
    def is_cuda(self) -> bool:
        """Whether the data are on a GPU: always False."""
        return False

    def is_pinned(self) -> bool:
        """Whether the data are in pinned memory: always False."""
        return False


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """The inverse of a permutation; None for None."""
    return None if permutation is None else new_tensor(np.argsort(permutation._array))


def pack_padded_sequence(
    input: Tensor, lengths: Tensor | Sequence[int], batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Packs padded sequences: (T, N, ...), or (N, T, ...) with `batch_first`.

    With `enforce_sorted`, the lengths must be in decreasing order; else the sequences are sorted. RuntimeError for
    lengths that are not sorted or do not match.

    >>> import rushlight as torch
    >>> padded = torch.tensor([[1, 2, 0], [3, 4, 5]])
    >>> packed = torch.nn.utils.rnn.pack_padded_sequence(padded, [2, 3], True, enforce_sorted=False)
    >>> packed.data, packed.batch_sizes
    (tensor([3, 1, 4, 2, 5]), tensor([2, 2, 1]))
    """
    sizes = np.asarray(lengths._array if isinstance(lengths, TensorBase) else lengths, np.int64)
    order = None
    if not enforce_sorted:
        order = new_tensor(np.argsort(-sizes, kind="stable"))
        sizes = sizes[order._array]
        input = input.index_select(0 if batch_first else 1, order)
    if batch_first:
        input = input.transpose(0, 1)
    check_lengths(sizes, input.shape[1])
    batch_sizes = np.array([(sizes > step).sum() for step in range(sizes[0])])
    places = np.concatenate([step * len(sizes) + np.arange(n) for step, n in enumerate(batch_sizes)])
    data = input.reshape(-1, *input.shape[2:]).index_select(0, new_tensor(places))
    return PackedSequence(data, new_tensor(batch_sizes), order)


def check_lengths(sizes: np.ndarray, batch: int) -> None:
    """Raises PyTorch's errors for impossible lengths."""
    if len(sizes) != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {len(sizes)} (batch_size={batch})"
        )
    if (np.diff(sizes) > 0).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
            "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
            "do not need ONNX exportability."
        )
    if sizes[-1] <= 0:
        raise RuntimeError(
            advised("Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0")
        )


def pad_packed_sequence(
    sequence: PackedSequence, batch_first: bool = False, padding_value: float = 0.0, total_length: int | None = None
) -> tuple[Tensor, Tensor]:
    """The inverse of `pack_padded_sequence`: the padded sequences, and their lengths.

    ValueError if `total_length` is less than the longest.
    """
    batch_sizes = sequence.batch_sizes._array
    steps, batch = len(batch_sizes), int(batch_sizes[0])
    if total_length is not None and total_length < steps:
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, but got "
            f"total_length={total_length} and max sequence length being {steps}"
        )
    data = sequence.data
    padding = full((1, *data.shape[1:]), padding_value, dtype=data.dtype)
    places = np.full((total_length or steps, batch), len(data))
    for step, (start, n) in enumerate(zip(np.cumsum(batch_sizes) - batch_sizes, batch_sizes, strict=True)):
        places[step, :n] = start + np.arange(n)
    padded = cat([data, padding]).index_select(0, new_tensor(places.reshape(-1)))
    padded = padded.reshape(*places.shape, *data.shape[1:])
    lengths = (batch_sizes[:, np.newaxis] > np.arange(batch)).sum(0)
    if batch_first:
        padded = padded.transpose(0, 1)
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(0 if batch_first else 1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices._array]
    return padded, new_tensor(lengths)


def pad_sequence(
    sequences: Iterable[Tensor], batch_first: bool = False, padding_value: float = 0.0, padding_side: str = "right"
) -> Tensor:
    """Combines tensors of different lengths, padded to the longest: (T, N, ...), or (N, T, ...) with `batch_first`.

    >>> import rushlight as torch
    >>> torch.nn.utils.rnn.pad_sequence([torch.tensor([1, 2, 3]), torch.tensor([4])], batch_first=True)
    tensor([[1, 2, 3],
            [4, 0, 0]])
    """
    if padding_side not in ("left", "right"):
        raise RuntimeError(f"Expected padding_side to be one of left or right, but got {padding_side}.")
    sequences = list(sequences)
    if not sequences:
        raise RuntimeError("received an empty list of sequences: give one at least")
    for sequence in sequences:
        if (a := sequences[0].shape[1:]) != (b := sequence.shape[1:]):
            raise RuntimeError(
                f"Sequences have to differ in the first dimension alone, the number of steps, but got {list(b)} after "
                f"{list(a)} in the others. Pad the features, or bring them to one number."
            )
    longest = max(len(sequence) for sequence in sequences)
    padded = []
    for sequence in sequences:
        missing = longest - len(sequence)
        padding = full((missing, *sequence.shape[1:]), padding_value, dtype=sequence.dtype)
        parts = [sequence, padding] if padding_side == "right" else [padding, sequence]
        padded.append(cat(parts) if missing else sequence)
    return stack(padded, 0 if batch_first else 1)


def unpad_sequence(padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False) -> list[Tensor]:
    """The inverse of `pad_sequence`: the tensors, without padding."""
    if not batch_first:
        padded_sequences = padded_sequences.transpose(0, 1)
    return [sequence[:length] for sequence, length in zip(padded_sequences, lengths.tolist(), strict=True)]


def pack_sequence(sequences: Iterable[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Packs tensors of different lengths; see `pack_padded_sequence`.

    >>> import rushlight as torch
    >>> a, b = torch.tensor([1, 2, 3]), torch.tensor([4, 5])
    >>> torch.nn.utils.rnn.pack_sequence([a, b]).data
    tensor([1, 4, 2, 5, 3])
    """
    sequences = list(sequences)
    lengths = [len(sequence) for sequence in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """The inverse of `pack_sequence`."""
    padded, lengths = pad_packed_sequence(packed_sequences, batch_first=True)
    return unpad_sequence(padded, lengths, batch_first=True)

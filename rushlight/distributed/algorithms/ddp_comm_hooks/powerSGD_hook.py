"""A hook that sends low-rank approximations of gradients.

Source: T. Vogels et al., "PowerSGD: Practical Low-Rank Gradient Compression for Distributed Optimization", 2019.
"""

import logging
from collections import defaultdict
from typing import Any

import numpy as np

from rushlight.core.kinds import is_half
from rushlight.distributed.algorithms.ddp_comm_hooks.default_hooks import average
from rushlight.distributed.buckets import GradBucket
from rushlight.distributed.collectives import all_reduce
from rushlight.distributed.groups import ProcessGroup, here
from rushlight.futures import Future
from rushlight.linalg.qr_decomposition import qr
from rushlight.ops.making.creation import empty
from rushlight.ops.randomness.random_tensors import randn
from rushlight.ops.shapes.joining import cat, stack
from rushlight.random import Generator
from rushlight.tensors import Tensor

__all__ = ["PowerSGDState", "powerSGD_hook"]

logger = logging.getLogger(__name__)


class PowerSGDState:
    """The state and options of `powerSGD_hook`; the options are PyTorch's.

    For `start_powerSGD_iter` passes gradients are averaged in full. Then each n × m matrix with more than
    `min_compression_rate` times as many elements as its factors is sent as these factors, of n and m times
    `matrix_approximation_rank` elements. The error is added to the next gradient (`use_error_feedback`), and the next
    iteration starts from the last factors (`warm_start`). ValueError if these two are on and there is no earlier pass.
    """

    iter: int
    total_numel_before_compression: int
    total_numel_after_compression: int
    next_stats_report: int

    def __init__(
        self,
        process_group: ProcessGroup | None,
        matrix_approximation_rank: int = 1,
        start_powerSGD_iter: int = 1_000,
        min_compression_rate: float = 2,
        use_error_feedback: bool = True,
        warm_start: bool = True,
        orthogonalization_epsilon: float = 0,
        random_seed: int = 0,
        compression_stats_logging_frequency: int = 10_000,
        batch_tensors_with_same_shape: bool = False,
    ):
        if (use_error_feedback or warm_start) and start_powerSGD_iter <= 1:
            raise ValueError(
                "Expect `start_powerSGD_iter` > 1 if `use_error_feedback` or `warm_start` is enabled, because PowerSGD "
                "can only be applied after the first two iterations in DDP."
            )
        if batch_tensors_with_same_shape:
            raise NotImplementedError("batch_tensors_with_same_shape=True is not supported: leave it out.")
        self.process_group = process_group
        self.matrix_approximation_rank = matrix_approximation_rank
        self.start_powerSGD_iter = start_powerSGD_iter
        self.min_compression_rate = min_compression_rate
        self.use_error_feedback = use_error_feedback
        self.warm_start = warm_start
        self.orthogonalization_epsilon = orthogonalization_epsilon
        self.rng = np.random.RandomState(random_seed)
        self.compression_stats_logging_frequency: int = max(1, compression_stats_logging_frequency)
        self.iter = 0
        self.error_dict: dict[int, Tensor] = {}
        self.factors: dict[int, list[Tensor]] = {}  # the right factors by bucket
        self.total_numel_before_compression = self.total_numel_after_compression = 0
        self.next_stats_report = 0

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "process_group": None}

    def maybe_increase_iter(self, bucket: GradBucket) -> None:
        """Counts passes: at the last bucket of each."""
        self.iter += bucket.is_last()

    def compression_stats(self) -> tuple[float, int, int]:
        """The compression rate, and the numbers of elements before and after compression."""
        before, after = self.total_numel_before_compression, self.total_numel_after_compression
        return before / after if after else 0, before, after

    def divide(self, bucket: GradBucket) -> tuple[list[Tensor], list[Tensor]]:
        """The gradients of a bucket that are sent in full, and those that are sent as factors, as matrices."""
        plain: list[Tensor] = []
        matrices: dict[tuple[int, ...], list[Tensor]] = defaultdict(list)
        for grad in bucket.gradients():
            matrix = grad.view(grad.shape[0], -1) if grad.dim() else grad.view(1, 1)
            rows, columns = matrix.shape
            size = (rows + columns) * min(rows, columns, self.matrix_approximation_rank)
            pays = size * self.min_compression_rate < grad.numel()
            self.total_numel_before_compression += grad.numel()
            self.total_numel_after_compression += size if pays else grad.numel()
            (matrices[matrix.shape] if pays else plain).append(matrix)
        if bucket.is_last() and self.iter >= self.next_stats_report:
            self.next_stats_report = self.iter + self.compression_stats_logging_frequency
            logger.info("PowerSGD, pass %s: compressed %.3g times, from %s to %s", self.iter, *self.compression_stats())
        return plain, [matrix for alike in matrices.values() for matrix in alike]

    def right_factors(self, index: int, matrices: list[Tensor]) -> list[Tensor]:
        """The start of a bucket's iteration: the last factors, or random ones, the same in all processes."""
        if index in self.factors:
            return self.factors[index]
        generator = Generator().manual_seed(int(self.rng.randint(1_000_000_000)))
        ranks = [min(*matrix.shape, self.matrix_approximation_rank) for matrix in matrices]
        return [
            randn(matrix.shape[1], rank, generator=generator).to(matrix.dtype)
            for matrix, rank in zip(matrices, ranks, strict=True)
        ]


def powerSGD_hook(state: PowerSGDState, bucket: GradBucket) -> Future[Tensor]:
    """Averages gradients over the processes, with matrices as low-rank factors."""
    group, flat, index = here(state.process_group), bucket.buffer(), bucket.index()
    if state.iter < state.start_powerSGD_iter:
        state.maybe_increase_iter(bucket)
        return average(flat, group)
    if index in state.error_dict:
        flat += state.error_dict[index]
    before = flat.clone() if state.use_error_feedback else None
    plain, matrices = state.divide(bucket)
    sums = cat([grad.reshape(-1) for grad in plain]) if plain else empty(0, dtype=flat.dtype)
    work = all_reduce(sums, group=group, async_op=True)
    assert work is not None

    def finish(_: Future[Any]) -> Tensor:
        put(sums / group.size(), plain)
        state.factors[index] = factorize(state, group, index, matrices)
        if before is not None:
            state.error_dict[index] = before - flat
        if not state.warm_start:
            state.factors.clear()
        state.maybe_increase_iter(bucket)
        return flat

    return work.get_future().then(finish)


def factorize(state: PowerSGDState, group: ProcessGroup, index: int, matrices: list[Tensor]) -> list[Tensor]:
    """Replaces matrices by low-rank averages over the processes; returns their right factors."""
    epsilon = state.orthogonalization_epsilon
    right = [orthogonal(factor, epsilon) for factor in state.right_factors(index, matrices)]
    left = summed([matrix @ factor for matrix, factor in zip(matrices, right, strict=True)], group)
    left = [orthogonal(factor, epsilon) for factor in left]
    right = summed([matrix.t() @ factor for matrix, factor in zip(matrices, left, strict=True)], group)
    right = [factor / group.size() for factor in right]
    for matrix, first, second in zip(matrices, left, right, strict=True):
        matrix.copy_(first @ second.t())
    return right


def summed(tensors: list[Tensor], group: ProcessGroup) -> list[Tensor]:
    """The sums of tensors over the processes, in a single communication."""
    if not tensors:
        return []
    flat = cat([tensor.reshape(-1) for tensor in tensors])
    all_reduce(flat, group=group)
    sums = [tensor.clone() for tensor in tensors]
    put(flat, sums)
    return sums


def put(flat: Tensor, tensors: list[Tensor]) -> None:
    """Copies consecutive elements of a flat tensor into tensors."""
    for part, tensor in zip(flat.split([tensor.numel() for tensor in tensors]), tensors, strict=True):
        tensor.copy_(part.view_as(tensor))


def orthogonal(matrix: Tensor, epsilon: float) -> Tensor:
    """An orthonormal basis of a matrix's column space (Gram-Schmidt)."""
    if matrix.shape[1] > 2 and not is_half(matrix._array.dtype):
        return qr(matrix)[0]
    done: list[Tensor] = []
    for column in matrix.t():
        for other in done:
            column = column - (column * other).sum() * other
        done.append(column / (column.norm() + epsilon))
    return stack(done, 1)

"""Adam for sparse gradients: only the rows in the gradient are updated."""

from typing import Any

import numpy as np

from rushlight.core.graph import TensorBase, new_tensor
from rushlight.optim.elementwise import check_betas, check_option
from rushlight.optim.optimizer import Params
from rushlight.optim.tensorwise import TensorwiseOptimizer, as_number
from rushlight.tensors import Tensor

__all__ = ["SparseAdam"]


class SparseAdam(TensorwiseOptimizer):
    """Adam that updates only the elements (and their averages) in a sparse gradient; for `Embedding(..., sparse=True)`.

    ValueError for options out of range and for complex parameters; RuntimeError at a step for dense gradients.

    >>> import rushlight as torch
    >>> table = torch.nn.Embedding(3, 1, sparse=True)
    >>> optimizer = torch.optim.SparseAdam(table.parameters(), lr=0.1)
    >>> before = table.weight.detach().clone()
    >>> table(torch.tensor([1])).sum().backward()
    >>> optimizer.step()
    >>> (before - table.weight).flatten()
    tensor([0.0000, 0.1000, 0.0000], grad_fn=<ViewBackward0>)
    """

    def __init__(
        self,
        params: Params,
        lr: Any = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        maximize: bool = False,
    ):
        if isinstance(lr, TensorBase) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        check_option("learning rate", lr, lr > 0)
        check_option("epsilon value", eps, eps > 0)
        check_betas(betas)
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        groups = enumerate(self.param_groups)
        places = [[i, j] for i, group in groups for j, p in enumerate(group["params"]) if p.is_complex()]
        if places:
            raise ValueError(f"Complex params at indices {places}: SparseAdam does not support complex parameters")

    def _check(self, param: Tensor) -> None:
        """Raises RuntimeError for dense gradients."""
        if not param._grad.is_sparse:
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")

    def _change(self, param: np.ndarray, grad: Tensor, state: dict[str, Any], group: dict[str, Any]) -> None:
        grad = grad.coalesce()
        rows, values = tuple(grad.indices().numpy()), grad.values().numpy()
        if not values.size:
            return
        if not state:
            state.update(step=0, exp_avg=new_tensor(np.zeros_like(param)), exp_avg_sq=new_tensor(np.zeros_like(param)))
        state["step"] += 1
        values = -values if group["maximize"] else values
        beta1, beta2 = group["betas"]
        mean, square = state["exp_avg"]._array, state["exp_avg_sq"]._array
        mean[rows] += (values - mean[rows]) * (1 - beta1)
        square[rows] += (values * values - square[rows]) * (1 - beta2)
        correction = (1 - beta2 ** state["step"]) ** 0.5 / (1 - beta1 ** state["step"])
        param[rows] -= as_number(group["lr"]) * correction * mean[rows] / (np.sqrt(square[rows]) + group["eps"])

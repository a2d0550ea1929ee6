"""The default planners of `save` and `load`."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.checkpoint.planner import LoadPlanner, SavePlanner

__all__ = ["DefaultLoadPlanner", "DefaultSavePlanner"]


class DefaultSavePlanner(SavePlanner):
    """The default planner of `save`. NotImplementedError for `flatten_state_dict=False`."""

    def __init__(
        self,
        flatten_state_dict: bool = True,
        flatten_sharded_tensors: bool = True,
        dedup_replicated_tensors: bool | None = None,
        dedup_save_to_lowest_rank: bool = False,
        enable_plan_caching: bool = False,
    ):
        refuse_unflattened(flatten_state_dict)


class DefaultLoadPlanner(LoadPlanner):
    """The default planner of `load`; with `allow_partial_load` entries that the checkpoint lacks keep their values."""

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True, allow_partial_load: bool = False
    ):
        refuse_unflattened(flatten_state_dict)
        self.allow_partial_load = allow_partial_load


def refuse_unflattened(flatten_state_dict: bool) -> None:
    """NotImplementedError for a state dict that should not be flattened."""
    if not flatten_state_dict:
        raise NotImplementedError("flatten_state_dict=False is not supported: checkpoints hold values by their paths.")


_explain_misses(globals())

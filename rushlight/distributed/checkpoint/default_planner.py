"""How `save` and `load` plan, unless they are told otherwise."""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.distributed.checkpoint.planner import LoadPlanner, SavePlanner

__all__ = ["DefaultLoadPlanner", "DefaultSavePlanner"]


class DefaultSavePlanner(SavePlanner):
    """How `save` plans. NotImplementedError for a state dict that is not to be flattened."""

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
    """How `load` plans; with `allow_partial_load` names that the checkpoint lacks stay as they are."""

    def __init__(
        self,
        flatten_state_dict: bool = True,
        flatten_sharded_tensors: bool = True,
        allow_partial_load: bool = False,
    ):
        refuse_unflattened(flatten_state_dict)
        self.allow_partial_load = allow_partial_load


def refuse_unflattened(flatten_state_dict: bool) -> None:
    """NotImplementedError for a state dict that is to stay nested in a checkpoint."""
    if not flatten_state_dict:
        raise NotImplementedError("flatten_state_dict=False is not supported: checkpoints hold values by their paths.")


_explain_misses(globals())

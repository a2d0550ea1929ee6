"""Files from the net, where programs for PyTorch's first years import them from: `torch.hub` has them."""

from rushlight.hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]

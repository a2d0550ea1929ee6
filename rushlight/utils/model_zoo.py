"""The old module of downloads, which are in `torch.hub` now."""

from rushlight.hub import load_state_dict_from_url as load_url

__all__ = ["load_url"]

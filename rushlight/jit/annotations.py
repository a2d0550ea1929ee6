"""Types for annotations, where TorchScript programs import them from."""

from typing import Any, Dict, Final, List, Optional, Tuple, Union  # noqa: UP035 (TorchScript's names)

__all__ = ["Any", "Dict", "Final", "List", "Optional", "Tuple", "Union"]

"""All patterns of messages, each with its advice."""

from rushlight.core.above import above
from rushlight.core.advice.layers import LAYERS
from rushlight.core.advice.tensors import TENSORS
from rushlight.core.advice.training import TRAINING

PATTERNS: tuple[tuple[str, str], ...] = (*LAYERS, *TRAINING, *TENSORS)


@above
def patterns_of_advice() -> tuple[tuple[str, str], ...]:
    """Patterns of messages with their advice; the first pattern that matches counts."""
    return PATTERNS

"""The same tensor again, as a result: it stands for a leaf where a place in the graph of its own is needed."""

from rushlight.core.batching import leading
from rushlight.core.operators import Operator

LINK = Operator(
    "alias",
    lambda input: input,
    ("input",),
    {"input": lambda grad: grad},
    linear=True,
    batch=leading,
    node="AliasBackward0",
    layout="as computed",
)

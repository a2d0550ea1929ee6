"""Finding out why a gradient is missing, zero, NaN, stale or wrong: `torch.autograd.explain`.

While a program is explained the core passes what happens through an `observer`, and `taps` replace the few functions
that call no operator. What is known of a result goes with it (`origins`, `sites`, `bad_values`); the `ledger` keeps
what passes and steps bring to each leaf, `readings` and `calls` what the use of functions and modules tells. At the
end of the `session` the `kinds` of mistakes go through this evidence, and what they find is written as `text` or as a
`page`.

What runs for every call and every node is compiled, as the core is: `sites`, `origins`, `observer`, `passes` (ordinary
Python beside a `.pxd`) and `finite` (with a twin in Cython).
"""

from rushlight.core import choose_form

choose_form(__path__[0])

from rushlight.explain import kinds
from rushlight.explain.finding import KINDS, Finding, Kind, Line
from rushlight.explain.session import explain

__all__ = ["KINDS", "Finding", "Kind", "Line", "explain"]

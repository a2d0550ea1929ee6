"""`torch.autograd.explain` finds out why a gradient is missing, zero, NaN, stale or wrong.

While a program is explained, the core reports what happens to an `observer`, and `taps` wrap the few functions that
call no operator. What is known of a result is stored with its node (`origins`, `sites`, `bad_values`); the `ledger`
records what passes and steps do to each leaf, `readings` and `calls` how functions and modules are used. At the end of
the `session` each kind of mistake in `kinds` searches this evidence, and the findings are written as `text` or as an
HTML `page`.

The code that runs for every call and node is compiled, as the core is: `sites`, `origins`, `observer`, `passes`
(ordinary Python beside a `.pxd`) and `finite` (with a separate Cython version).
"""

from rushlight.explain import kinds
from rushlight.explain.finding import KINDS, Finding, Kind, Line
from rushlight.explain.session import explain

__all__ = ["KINDS", "Finding", "Kind", "Line", "explain"]

"""TorchScript's names: what it would compile runs as the Python that it is.

`script` and `trace` give back what they are given, or a module around it; all that only tells the compiler something
(`annotate`, `ignore`, `export`, `freeze`, ...) leaves the program as it is.
"""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.jit.marks import *
from rushlight.jit.scripting import *
from rushlight.jit.tasks import *

_explain_misses(globals())

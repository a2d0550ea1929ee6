"""TorchScript's names: programs are not compiled, and run as Python.

`script` and `trace` return their argument, or a module around it; what only informs the compiler (`annotate`, `ignore`,
`export`, `freeze`, ...) leaves the program unchanged.
"""

from rushlight.absent.misses import explain_misses as _explain_misses
from rushlight.jit.marks import *
from rushlight.jit.scripting import *
from rushlight.jit.tasks import *

_explain_misses(globals())

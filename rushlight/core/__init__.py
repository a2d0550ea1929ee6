"""The compiled core: what runs for every operation.

`graph` has the tensor's fields, nodes and saved values; `operators` what happens when an operator is called;
`arithmetic` Python's operators; `engine` the backward pass; `modes` the grad modes. Each is ordinary Python beside a
`.pxd` that gives its types: compiled at installation where there is a C compiler, run as it is where there is none.
`inplace`, `hooks` and `errors` are plain Python: they run seldom.

With RUSHLIGHT_PURE_PYTHON=1 in the environment the Python files run even where compiled ones lie beside them.
"""

import os
import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader

if os.environ.get("RUSHLIGHT_PURE_PYTHON"):
    sys.path_importer_cache[__path__[0]] = FileFinder(__path__[0], (SourceFileLoader, SOURCE_SUFFIXES))

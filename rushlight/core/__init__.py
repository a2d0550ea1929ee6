"""The compiled core: the code that runs for every operation, and beside it the code that rarely runs.

Compiled: `graph` has the tensor's fields, nodes and saved values; `entries` the description of an operator, `operators`
what happens when it is called, `recording` how the call becomes a node; `arithmetic` Python's operators; `engine` the
backward pass; `modes` the grad modes; `formulas` elementwise computation by NumPy's inner loops; `context` what every
operation looks up. Each is ordinary Python beside a `.pxd` that gives its types (`formulas` and `context` have separate
Cython versions): compiled at installation where there is a C compiler, and run as Python where there is none.

Plain Python: `tracing` records formulas as steps; `inplace` and `windows` handle in-place changes and views; `hooks`,
`saved` and `anomaly` the rarer needs of saved values and failing nodes; `forward` tangents; `batched`, `batching` and
`levels` vmap; `turned` lazily conjugated and negated arrays; `errors` error messages.

With RUSHLIGHT_PURE_PYTHON=1 in the environment all packages run their Python files even where compiled modules exist.
"""

import os
import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader

if os.environ.get("RUSHLIGHT_PURE_PYTHON"):
    for _folder, _, _ in os.walk(os.path.dirname(__path__[0])):
        sys.path_importer_cache[_folder] = FileFinder(_folder, (SourceFileLoader, SOURCE_SUFFIXES))

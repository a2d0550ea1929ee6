"""The compiled core: what runs for every operation; and beside it what runs seldom.

Compiled: `graph` has the tensor's fields, nodes and saved values; `entries` what is known of an operator, `operators`
what happens when it is called, `recording` how the call becomes a node; `arithmetic` Python's operators; `engine` the
backward pass; `modes` the grad modes; `formulas` elementwise computation by NumPy's inner loops; `context` what is
looked up each time. Each is ordinary Python beside a `.pxd` that gives its types (`formulas` and `context` have twins
in Cython): compiled at installation where there is a C compiler, run as it is where there is none.

Plain Python: `tracing` writes formulas down; `inplace` and `windows` for changes in place and views, `hooks`, `saved`
and `anomaly` for what saved values and failing nodes need beyond the usual, `forward` for tangents, `batched`,
`batching` and `levels` for vmap, `turned` for conjugates that share memory, `errors`.

With RUSHLIGHT_PURE_PYTHON=1 in the environment the Python files run even where compiled ones lie beside them.
"""

import os
import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader


def choose_form(package: str) -> None:
    """Lets the Python files of a package run as they are, if that is wanted."""
    if os.environ.get("RUSHLIGHT_PURE_PYTHON"):
        sys.path_importer_cache[package] = FileFinder(package, (SourceFileLoader, SOURCE_SUFFIXES))


choose_form(__path__[0])

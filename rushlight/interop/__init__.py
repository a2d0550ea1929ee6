"""Living with other libraries: `import torch` served by rushlight, and scripts run that way."""

from rushlight.interop.imports import serve_torch
from rushlight.interop.script import run_script

__all__ = ["run_script", "serve_torch"]

"""Working with other libraries: `import torch` and `import mindspore` give rushlight, and scripts run that way."""

from rushlight.interop.imports import serve_mindspore, serve_torch
from rushlight.interop.script import run_module, run_script, run_text

__all__ = ["run_module", "run_script", "run_text", "serve_mindspore", "serve_torch"]

"""What tests are about besides the library: files of the sources, which lie beside the tests in a checkout."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def beside(name: str) -> Path:
    """A file or folder of the sources; where the tests run away from them, those that ask for it are skipped."""
    path = ROOT / name
    if not path.exists():
        pytest.skip(f"the tests run away from the sources: {name} is not there", allow_module_level=True)
    return path

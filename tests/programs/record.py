"""Records what the scripts print with PyTorch: `python tests/programs/record.py`."""

import subprocess
import sys
from pathlib import Path

for script in sorted(Path(__file__).with_name("scripts").glob("*.py")):
    printed = subprocess.run([sys.executable, script], check=True, capture_output=True, text=True).stdout
    script.with_suffix(".txt").write_text(printed)

"""Records what the documents' programs print with PyTorch: `python tests/documents/record_scripts.py`.

Writes scripts/document_0.txt to document_3.txt; document_4.txt is copied from the document, since MindSpore wrote it.
"""

import tempfile
from pathlib import Path

from programs import PYTORCH, comparable, run, script

for number in range(4):
    with tempfile.TemporaryDirectory() as folder:
        done = run(number, PYTORCH, Path(folder))
    done.check_returncode()
    script(number).with_suffix(".txt").write_text(comparable(done.stdout))

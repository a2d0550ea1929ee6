"""`python -m stubs` writes the stubs; with `--check` it says which of them are out of date, and fails then."""

import sys

from stubs.written import FILES

stale = []
for path, text in FILES.items():
    if "--check" not in sys.argv:
        path.write_text(text(), encoding="utf-8")
    elif not path.exists() or path.read_text(encoding="utf-8") != text():
        stale.append(path.name)
if stale:
    sys.exit(f"Out of date: {', '.join(stale)}. Write them with `python -m stubs`.")

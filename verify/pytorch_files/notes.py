"""Notes of how tests came out: a file with a line for each outcome, of which the last of a test counts."""

import json
from pathlib import Path


def read(notes: Path) -> dict[str, tuple[str, str]]:
    """How each test came out, and what is said of a failure; nothing where there is no such file."""
    lines = notes.read_text().splitlines() if notes.is_file() else []
    return {test: (came, why) for test, came, why in map(json.loads, lines)}


def write(notes: Path, test: str, came: str, why: str = "") -> None:
    """Adds a line."""
    with notes.open("a") as file:
        file.write(json.dumps([test, came, why]) + "\n")

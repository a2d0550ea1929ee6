"""`python -m loops` writes the generated files; with `--check` it fails if they are outdated."""

import sys

from loops import expressions, updates


def main() -> None:
    """Writes the files, or compares them."""
    outdated = []
    for part in (updates, expressions):
        for path, text in part.written().items():
            if "--check" not in sys.argv:
                path.write_text(text)
            elif path.read_text() != text:
                outdated.append(path.name)
    if outdated:
        sys.exit(f"Out of date: {', '.join(outdated)}. Write what is generated with `python -m loops`.")


if __name__ == "__main__":
    main()

"""`python -m verify [PART [OPTIONS]] [--write]`: runs one part of the checks, or all with their default options.

Prints the table of results and each unexplained difference; the exit status is 1 if there is one. `--write` puts the
table into docs/reliability.md.
"""

import argparse
import importlib
import pkgutil
import sys
from types import ModuleType

from verify import figures, parts


def names() -> list[str]:
    """The names of all parts."""
    return [module.name for module in pkgutil.iter_modules(parts.__path__)]


def arguments_of(part: str, module: ModuleType, words: list[str]) -> argparse.Namespace:
    """What a part's command line says."""
    parser = argparse.ArgumentParser(f"python -m verify {part}", description=module.__doc__)
    module.options(parser)
    return parser.parse_args(words)


def perform(part: str, words: list[str], write: bool) -> bool:
    """Runs a part, prints and perhaps writes its table. Whether nothing is unexplained."""
    module = importlib.import_module(f"verify.parts.{part}")
    found = module.run(arguments_of(part, module, words))
    command = " ".join(["python -m verify", part, *words])
    text = figures.table(found)
    unexplained = [difference for figure in found for difference in figure.unexplained]
    print("\n\n".join([command, text, *unexplained]), flush=True)
    if write:
        figures.write(part, command, text)
    return not unexplained


def main(words: list[str]) -> int:
    """Runs the part named first, or all; the exit status."""
    write = "--write" in words
    words = [word for word in words if word != "--write"]
    if not words:
        failed = [part for part in names() if not perform(part, [], write)]
        return 1 if failed else 0
    if words[0] not in names():
        print(f"{__doc__}\nThe parts are {', '.join(names())}.", file=sys.stderr)
        return 0 if words[0] in ("-h", "--help") else 2
    return 0 if perform(words[0], words[1:], write) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

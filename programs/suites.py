"""`python -m programs.suites`: runs the tests that come with libraries written for PyTorch, under `rushlight run`.

`suites.toml` lists the libraries. Some install their tests; of others, pip downloads the source distribution of the
installed version. `make suites` makes the environment without PyTorch where they run. Prints a table of how many
passed, and each failure without a reason in `suites.toml`; names of libraries as arguments select some. `--write` puts
their rows into docs/reliability.md. Logs and source distributions stay in `build/suites`. Each test starts at the same
seed (`repeatable.py`).
"""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

HERE = Path(__file__).parent
PLACE = HERE.parent / "build" / "suites"
PAGE = HERE.parent / "docs" / "reliability.md"
BEGIN, END = "<!-- suites: begin -->", "<!-- suites: end -->"
HEADS = ("library", "passed", "failed with a reason", "failed", "skipped")
OPTIONS = "-q -W ignore --continue-on-collection-errors -p no:cacheprovider -p programs.repeatable -o addopts=".split()
LIMIT = 3 * 60 * 60  # seconds for a library's tests


@dataclass
class Outcome:
    """What became of a library's tests."""

    library: str
    passed: int = 0
    skipped: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)

    def cells(self) -> list[str]:
        """The row of the table."""
        because = "; ".join(f"{number}: {reason}" for reason, number in self.reasons.most_common())
        return [self.library, f"{self.passed:,}", because, str(len(self.unexplained) or ""), str(self.skipped or "")]


def pip(command: str, *arguments: str) -> None:
    """Has pip do something without what packages depend on: that would bring PyTorch itself."""
    options = ["--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([sys.executable, "-m", "pip", command, *options, *arguments], check=True)


def source(name: str) -> Path:
    """The folder of a library's source distribution, in the version that is installed here."""
    folder = PLACE / f"{name}-{version(name)}"
    if not folder.exists():
        pip("download", "--no-binary", ":all:", "--dest", str(folder), f"{name}=={version(name)}")
        for archive in folder.glob("*.tar.gz"):
            with tarfile.open(archive) as opened:
                opened.extractall(folder, filter="data")
    return next(path for path in folder.iterdir() if path.is_dir())


def run(name: str, suite: dict[str, Any]) -> Path:
    """Runs a library's tests; the file with their results."""
    if "needs" in suite:
        pip("install", *suite["needs"])
    folder = source(name) if "tests" in suite else PLACE
    for package in suite.get("packages", ()):
        (folder / package / "__init__.py").touch()
    (PLACE / "pytest.ini").touch()  # for libraries that have none: pytest would take the one of this repository
    results = PLACE / f"{name}.xml"
    results.unlink(missing_ok=True)
    options = [*OPTIONS, *suite.get("options", ())]
    left_out = [f"--ignore-glob={path}" for path in suite.get("without", ())]
    python = [sys.executable, "-m", "rushlight", "run", "-m", "pytest", *options, *left_out, f"--junitxml={results}"]
    tests = suite["tests"] if "tests" in suite else ["--pyargs", *suite["installed"]]
    command = [*python, *tests]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parent), **suite.get("environment", {})}
    with (PLACE / f"{name}.log").open("w") as log:
        subprocess.run(
            command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT, timeout=LIMIT, check=False
        )
    return results


def failures(results: Path) -> Iterator[tuple[str, str, str]]:
    """Each test's name, how it ended, and what it said."""
    for case in ElementTree.parse(results).iter("testcase"):
        name = f"{case.get('classname')}.{case.get('name')}"
        for kind in ("failure", "error", "skipped"):
            found = case.find(kind)
            if found is not None:
                yield name, kind, f"{found.get('message')}\n{found.text}"
                break
        else:
            yield name, "passed", ""


def count(name: str, results: Path, reasons: dict[str, str]) -> Outcome:
    """The outcomes of a library's tests, with the reasons for failures whose name or message matches a pattern."""
    outcome = Outcome(f"{name} {version(name)}")
    if not results.exists():
        outcome.unexplained.append(f"{name}: pytest ended without results, see {PLACE / name}.log")
        return outcome
    for test, kind, said in failures(results):
        reason = next((words for pattern, words in reasons.items() if re.search(pattern, f"{test}\n{said}")), None)
        if kind == "passed":
            outcome.passed += 1
        elif kind == "skipped":
            outcome.skipped += 1
        elif reason:
            outcome.reasons[reason] += 1
        else:
            outcome.unexplained.append(f"{name}: {test}: {said.strip().splitlines()[0]}")
    return outcome


def write(rows: dict[str, str]) -> None:
    """Puts rows into the page's table, each in the place of the row of the same library."""
    before, _, rest = PAGE.read_text().partition(BEGIN)
    old, _, after = rest.partition(END)
    kept = {row.split()[1]: row for row in old.strip().splitlines()[2:]}
    table = [*heading(), *(row for _, row in sorted({**kept, **rows}.items()))]
    PAGE.write_text("\n".join([before + BEGIN, *table, END + after]))


def heading() -> list[str]:
    """The table's first two lines."""
    return [f"| {' | '.join(HEADS)} |", f"|{' --- |' * len(HEADS)}"]


def main(words: list[str]) -> int:
    """Runs the libraries' tests; fails where a test failed without a reason."""
    listed = tomllib.loads((HERE / "suites.toml").read_text())
    reasons = listed.pop("reasons")
    names = [word for word in words if not word.startswith("-")] or list(listed)
    PLACE.mkdir(parents=True, exist_ok=True)
    print(*heading(), sep="\n")
    rows, unexplained = {}, []
    for name in names:
        suite = listed[name]
        outcome = count(name, run(name, suite), {**suite.get("reasons", {}), **reasons})
        rows[name] = f"| {' | '.join(outcome.cells())} |"
        unexplained += outcome.unexplained
        print(rows[name], flush=True)
    if "--write" in words:
        write(rows)
    print("", *unexplained, sep="\n")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

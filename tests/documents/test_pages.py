"""The pages: their programs run and print what they say, and their links lead somewhere."""

import os
import re
import subprocess
import sys

import pytest
from beside import ROOT, beside

PAGES = [
    beside("README.md"),
    *sorted(ROOT.glob("docs/*.md")),
    *sorted(ROOT.glob("[!.]*/README.md")),
    *ROOT.glob("[B-Z]*.md"),
]
TEXTS = {str(page.relative_to(ROOT)): page.read_text() for page in dict.fromkeys(PAGES)}
ELSEWHERE = {"docs/pytorch-mistakes.md", "CONTRIBUTING.md"}  # a test of its own; pieces of files
PROGRAMS = {
    name: "\n".join(blocks)
    for name, text in TEXTS.items()
    if name not in ELSEWHERE  # what begins with >>> runs as a doctest
    and (blocks := re.findall(r"^```python\n(?!>>>)(.*?)^```$", text, flags=re.DOTALL | re.MULTILINE))
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_page_is_a_program(name, tmp_path):
    """What a page's blocks print, from top to bottom, stands in the comments beside `print`."""
    for library in ("matplotlib", "sklearn"):
        if library in PROGRAMS[name]:
            pytest.importorskip(library)
    said = re.findall(r"^ *print\(.*\)  # (.*)$", PROGRAMS[name], flags=re.MULTILINE)
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MPLBACKEND": "Agg"}
    command = [sys.executable, "-W", "error", "-c", PROGRAMS[name]]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == said


def anchors(text: str) -> set[str]:
    """The names of a page's headings, as forges make them."""
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", TEXTS)
def test_links_lead_somewhere(name):
    text = re.sub(r"^```.*?^```$|^    .*?$|`[^`\n]*`", "", TEXTS[name], flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        path, _, anchor = target.partition("#")
        if path.startswith(("http:", "https:", "mailto:")):
            continue
        page = (ROOT / name).parent / path if path else ROOT / name
        assert page.exists(), target
        if anchor and page.suffix == ".md":
            assert anchor in anchors(page.read_text()), target


def test_files_that_the_page_on_architecture_names_are_there():
    page = TEXTS["docs/architecture.md"]
    named = set(re.findall(r"`([\w/]+\.(?:py|pyx|pxd|pyi|txt))`", page))
    there = [f"/{path.relative_to(ROOT).as_posix()}" for path in ROOT.rglob("*.[pt]*") if "build" not in path.parts]
    assert [name for name in sorted(named) if not any(path.endswith(f"/{name}") for path in there)] == []

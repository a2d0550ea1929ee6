"""The site: these pages, and the reference made from docstrings. Built by `make docs`."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

from reference import write_reference  # noqa: E402 (found by the lines above)
from tried import found  # noqa: E402

from rushlight.version import rushlight as release  # noqa: E402

project = "rushlight"
copyright = "the authors of rushlight"
html_title = f"rushlight {release}"
html_theme = "furo"
html_theme_options = {"source_repository": "", "navigation_with_keys": True}
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["build"]
myst_heading_anchors = 4
myst_enable_extensions = ["dollarmath"]
suppress_warnings = ["myst.header", "misc.highlighting_failure"]
autodoc_member_order = "alphabetical"
autodoc_typehints = "none"
nitpicky = False

write_reference(HERE / "reference")


def in_markdown(app, what, name, obj, options, lines):
    """Docstrings are Markdown: `name` is code there, which reStructuredText writes with two backticks.

    What they do not say of shapes and errors is tried out.
    """
    if what in ("class", "function"):
        place = next((i for i, line in enumerate(lines) if line.lstrip().startswith(">>>")), len(lines))
        lines[place:place] = [text for line in found(obj, "\n".join(lines)) for text in (line, "")]
    lines[:] = [double_backticks(line) for line in lines]


def double_backticks(line: str) -> str:
    """A line of a docstring with code as reStructuredText has it."""
    if line.lstrip().startswith((">>>", "...")) or "``" in line:
        return line
    words = line.split("`")  # every second one is code
    plain = [re.sub(r"([*|])", r"\\\1", word) if i % 2 == 0 else word for i, word in enumerate(words)]
    return "``".join(plain)


def setup(app):
    """Tells Sphinx of the above."""
    app.connect("autodoc-process-docstring", in_markdown)

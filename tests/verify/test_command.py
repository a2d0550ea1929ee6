"""The command that checks rushlight: its parts, its tables, its exit status."""

from collections import Counter

import pytest
from beside import beside

from verify import __main__ as command
from verify import figures, parts
from verify.figures import Figure

PART = '''"""Counts."""
from verify.figures import Figure
def options(parser):
    parser.add_argument("--lost", type=int, default=0)
def run(arguments):
    return [Figure("things", 1200, unexplained=["program"] * arguments.lost)]
'''


@pytest.fixture
def part(tmp_path, monkeypatch):
    """A part named `counting`, alone, and the page that it writes to."""
    (tmp_path / "counting.py").write_text(PART)
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- counting: begin -->\n<!-- counting: end -->\nafter\n")
    monkeypatch.setattr(parts, "__path__", [str(tmp_path)])
    monkeypatch.setattr(figures.write, "__defaults__", (page,))
    return page


@pytest.mark.parametrize(("words", "status"), [(["counting"], 0), ([], 0), (["counting", "--lost", "1"], 1)])
def test_the_exit_status_tells_whether_anything_is_unexplained(part, words, status):
    assert command.main(words) == status


def test_the_table_is_written_under_its_command(part):
    command.main(["counting", "--lost", "2", "--write"])
    text = part.read_text()
    assert "python -m verify counting --lost 2\n" in text
    assert "| things | 1,200 | 1,198 | 0 | 2 |" in text
    assert text.startswith("before\n")
    assert text.endswith("after\n")


def test_an_unknown_part_is_refused_with_the_names_of_all(part, capsys):
    assert command.main(["absent"]) == 2
    assert "counting" in capsys.readouterr().err


def test_explanations_are_counted():
    text = figures.table([Figure("a", 3, Counter(reason=2)), Figure("b", 4, Counter(reason=1), ["lost"])])
    assert "| a | 3 | 1 | 2 | 0 |" in text
    assert "| b | 4 | 2 | 1 | 1 |" in text
    assert "- 3 explained: reason" in text


def test_every_part_has_its_place_in_the_page():
    page = beside("docs/reliability.md").read_text()
    for name in command.names():
        assert f"<!-- {name}: begin -->" in page
        assert f"<!-- {name}: end -->" in page

"""What all tests share, those in docstrings too."""

from _pytest.doctest import DoctestItem

collect_ignore_glob = ["docs/*.py", "docs/build/*"]  # the site's builder


def pytest_collection_modifyitems(config, items):
    """Leaves out a docstring's examples where a package shows a function of one of its modules: they run there."""
    again = [item for item in items if isinstance(item, DoctestItem) and is_shown_again(item)]
    if again:
        config.hook.pytest_deselected(items=again)
        items[:] = [item for item in items if item not in set(again)]


def is_shown_again(item: DoctestItem) -> bool:
    """Whether an item's examples are those of a guarded function (`refusals.py`) that another module defines."""
    function = item.dtest.globs.get(item.dtest.name.rpartition(".")[2])
    original = getattr(function, "__wrapped__", None)
    return hasattr(function, "refuses") and getattr(original, "__module__", None) != item.dtest.globs["__name__"]

"""What all tests share, those in docstrings too."""

from _pytest.doctest import DoctestItem

BETWEEN_PROCESSES = (
    "import rushlight.distributed as dist\n",
    "from rushlight.distributed import",
    "from rushlight.distributed.nn import",
)
collect_ignore_glob = ["docs/*.py", "docs/build/*"]  # the site's builder


def pytest_collection_modifyitems(config, items):
    """Leaves out a docstring's examples where a package shows a function of one of its modules: they run there.

    Those in a process group run in a process of their own, in tests/documents/test_reference.py.
    """
    examples = [item for item in items if isinstance(item, DoctestItem)]
    elsewhere = {item for item in examples if is_shown_again(item) or is_in_a_process_group(item)}
    if elsewhere:
        config.hook.pytest_deselected(items=list(elsewhere))
        items[:] = [item for item in items if item not in elsewhere]


def is_shown_again(item: DoctestItem) -> bool:
    """Whether an item's examples are those of a guarded function (`refusals/guard.py`) that another module defines."""
    function = item.dtest.globs.get(item.dtest.name.rpartition(".")[2])
    original = getattr(function, "__wrapped__", None)
    return hasattr(function, "refuses") and getattr(original, "__module__", None) != item.dtest.globs["__name__"]


def is_in_a_process_group(item: DoctestItem) -> bool:
    """Whether an item's examples are calls between processes, which have come together before."""
    return any(example.source.startswith(BETWEEN_PROCESSES) for example in item.dtest.examples)

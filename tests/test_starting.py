"""The start: objects that an import makes count as old, and what a program has frozen stays frozen."""

import gc

import pytest

from rushlight.starting import WithoutCollections


@pytest.fixture
def frozen():
    gc.freeze()
    yield
    gc.unfreeze()


def test_objects_made_without_collections_are_old_afterwards():
    with WithoutCollections():
        made = [[] for _ in range(5_000)]
    assert len(made) == 5_000
    assert gc.get_count()[0] < 1_000
    assert gc.get_freeze_count() == 0


@pytest.mark.usefixtures("frozen")
def test_frozen_objects_stay_frozen():
    with WithoutCollections():
        pass
    assert gc.get_freeze_count() > 0


def test_collections_that_were_off_stay_off():
    gc.disable()
    try:
        with WithoutCollections():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()

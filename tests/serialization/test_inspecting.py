"""Files without their values, and the names in a file that are not safe to load."""

import fractions
import io
import pathlib
import pickle

import pytest

import rushlight


def written(torch, obj, **options):
    file = io.BytesIO()
    torch.save(obj, file, **options)
    return file.getvalue()


def test_values_are_not_written(torch):
    x = torch.arange(1.0, 7.0).reshape(2, 3)
    with torch.serialization.skip_data():
        empty = written(torch, {"x": x, "row": x[1], "n": 3})
    whole = written(torch, {"x": x, "row": x[1], "n": 3})
    assert len(empty) == len(whole)
    loaded = torch.load(io.BytesIO(empty), weights_only=True)
    assert loaded["x"].shape == (2, 3)
    assert loaded["n"] == 3
    assert loaded["row"].untyped_storage().data_ptr() == loaded["x"].untyped_storage().data_ptr()


@pytest.mark.parametrize("new", [True, False])
def test_values_are_not_read(torch, new):
    whole = written(torch, torch.full((1000,), 7.0), _use_new_zipfile_serialization=new)
    with torch.serialization.skip_data():
        loaded = torch.load(io.BytesIO(whole), weights_only=True)
    assert loaded.shape == (1000,)
    assert torch is not rushlight or (loaded == 0.0).all()  # PyTorch's memory has any values
    assert (torch.load(io.BytesIO(whole), weights_only=True) == 7.0).all()


def test_mapped_files_are_not_mapped(torch, tmp_path):
    torch.save(torch.full((100,), 7.0), tmp_path / "x.pt")
    with torch.serialization.skip_data():
        loaded = torch.load(str(tmp_path / "x.pt"), mmap=True, weights_only=True)
    assert loaded.shape == (100,)


def test_the_old_format_has_no_empty_files(torch):
    with torch.serialization.skip_data(), pytest.raises(RuntimeError, match="Cannot use skip_data=True"):
        written(torch, torch.ones(1), _use_new_zipfile_serialization=False)


@pytest.mark.parametrize("protocol", [2, 4, 5])
def test_names_that_are_not_safe(protocol):
    obj = [fractions.Fraction(1, 2), rushlight.ones(2), pathlib.PurePosixPath("a"), fractions.Fraction(3), {1}, 1j]
    file = written(rushlight, obj, pickle_protocol=protocol)
    inspect = rushlight.serialization.get_unsafe_globals_in_checkpoint
    assert inspect(io.BytesIO(file)) == ["fractions.Fraction", "pathlib.PurePosixPath"]
    with rushlight.serialization.safe_globals([fractions.Fraction]):
        assert inspect(io.BytesIO(file)) == ["pathlib.PurePosixPath"]


def test_what_loads_has_no_unsafe_names(torch, tmp_path):
    torch.save(torch.nn.Linear(2, 1).state_dict(), tmp_path / "x.pt")
    assert torch.serialization.get_unsafe_globals_in_checkpoint(str(tmp_path / "x.pt")) == []


@pytest.mark.parametrize("content", [b"no such file", pickle.dumps(1)])
def test_what_is_no_checkpoint(torch, content):
    with pytest.raises(ValueError, match=r"Expected input to be a checkpoint returned by torch\.save"):
        torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(content))

"""Saving to a path: the old file or the new one, whole, whatever happens."""

import argparse
import io
import os
import stat
import subprocess
import sys

import pytest

import rushlight
from rushlight.serialization import replacing
from verify.parts import kills

unix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a Unix system")


@unix
def test_a_kill_leaves_the_old_or_the_new_file():
    found = kills.run(argparse.Namespace(count=12, seed=1))
    assert [figure.unexplained for figure in found] == [[], []]
    assert [figure.checked for figure in found] == [12, 1]


class Failing:
    """Pickles to an error."""

    def __reduce__(self):
        raise ValueError("no pickle of this")


@pytest.mark.parametrize("moment", ["pickling", "writing", "syncing", "renaming", "interrupted"])
def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, moment):
    path = tmp_path / "file.pt"
    rushlight.save(rushlight.ones(3), path)
    before = path.read_bytes()

    def fail(*arguments):
        raise KeyboardInterrupt if moment == "interrupted" else OSError(28, "No space left on device")

    if moment != "pickling":
        where = {"writing": ("rushlight.serialization.saving.bytes_of", fail), "syncing": ("os.fsync", fail)}
        monkeypatch.setattr(*where.get(moment, ("os.replace", fail)))
    with pytest.raises((ValueError, OSError, KeyboardInterrupt)):
        rushlight.save([rushlight.zeros(3), Failing() if moment == "pickling" else None], path)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["file.pt"]


@unix
def test_a_full_disk(tmp_path):
    path = tmp_path / "file.pt"
    rushlight.save(rushlight.ones(3), path)
    script = (
        "import resource, signal, sys, rushlight\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))\n"
        "try:\n"
        "    rushlight.save(rushlight.zeros(1_000_000), sys.argv[1])\n"
        "except OSError as error:\n"
        "    print(error.strerror)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, path], capture_output=True, text=True, timeout=600)
    assert done.stdout == "File too large\n", done.stderr
    assert rushlight.load(path).tolist() == [1, 1, 1]
    assert os.listdir(tmp_path) == ["file.pt"]


@unix
def test_permissions_are_kept_and_those_of_new_files_are_the_usual_ones(tmp_path):
    path, usual = tmp_path / "file.pt", tmp_path / "usual"
    usual.touch()
    rushlight.save(1, path)
    assert path.stat().st_mode == usual.stat().st_mode
    path.chmod(0o640)
    rushlight.save(2, path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@unix
def test_links_stay_links(tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    link = tmp_path / "latest.pt"
    link.symlink_to("elsewhere/file.pt")
    for number in (1, 2):
        rushlight.save(number, link)
        assert link.is_symlink()
        assert rushlight.load(folder / "file.pt") == number
    assert sorted(os.listdir(tmp_path)) == ["elsewhere", "latest.pt"]


@unix
def test_what_is_no_file_is_written_to(tmp_path):
    rushlight.save(rushlight.ones(2), os.devnull)
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)
    with pytest.raises(IsADirectoryError):
        rushlight.save(1, tmp_path)
    with pytest.raises(RuntimeError, match=r"^Parent directory .*nowhere does not exist"):
        rushlight.save(1, tmp_path / "nowhere" / "file.pt")


@unix
def test_only_what_nobody_writes_any_more_is_removed(tmp_path):
    path = tmp_path / "file.pt"
    left = tmp_path / f".file.pt.1-abc{replacing.ENDING}"
    left.write_bytes(b"part")
    other = tmp_path / f".other.pt.1-abc{replacing.ENDING}"
    other.write_bytes(b"part")
    with replacing.replacing(str(path)) as file:
        rushlight.save(1, path)  # another save to the same path, meanwhile
        file.write(b"later")
    assert path.read_bytes() == b"later"
    assert sorted(os.listdir(tmp_path)) == sorted([other.name, path.name])


def test_files_that_are_open_are_written_where_they_are(tmp_path):
    with open(tmp_path / "file.pt", "w+b") as file:
        file.write(b"before")
        rushlight.save(rushlight.ones(2), file)
        file.seek(6)
        assert rushlight.load(file).tolist() == [1, 1]
    assert os.listdir(tmp_path) == ["file.pt"]


def test_a_file_of_a_program_is_flushed():
    class File(io.BytesIO):
        flushed = 0

        def flush(self):
            self.flushed = len(self.getvalue())

    for zipped in (True, False):
        file = File()
        rushlight.save(rushlight.ones(2), file, _use_new_zipfile_serialization=zipped)
        assert file.flushed == len(file.getvalue()) > 0


def test_a_file_of_a_program_needs_only_to_be_written_to():
    class File:
        content = b""

        def write(self, part):
            self.content += part

        def tell(self):
            raise NotImplementedError

    for zipped in (True, False):
        file = File()
        rushlight.save([rushlight.ones(2), "text"], file, _use_new_zipfile_serialization=zipped)
        assert rushlight.load(io.BytesIO(file.content))[0].tolist() == [1.0, 1.0]
        torch = pytest.importorskip("torch")
        assert torch.load(io.BytesIO(file.content))[0].tolist() == [1.0, 1.0]

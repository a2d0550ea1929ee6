"""What needs one process: stores, places, samplers, futures, and what is said where something is missing."""

import argparse
import io
import os
import pickle
import re
import select
import socket
import subprocess
import sys
import threading
from datetime import timedelta
from importlib import import_module
from multiprocessing.reduction import ForkingPickler
from types import SimpleNamespace

import pytest

import rushlight
from rushlight import cli, distributed
from rushlight.distributed import addresses, checkpoint, launch, mpi, run
from rushlight.interop.children import Labelled
from rushlight.launch import start
from rushlight.launch.place import Place, place_from_launcher
from rushlight.utils.data import DistributedSampler


def stores(tmp_path):
    master = distributed.TCPStore("127.0.0.1", 0, is_master=True, timeout=timedelta(seconds=5))
    client = distributed.TCPStore("127.0.0.1", master.port, timeout=timedelta(seconds=5))
    file = str(tmp_path / "store")
    memory = distributed.HashStore()
    return [
        (master, client),
        (distributed.FileStore(file), distributed.FileStore(file)),
        (memory, memory),
        (distributed.PrefixStore("a", memory), distributed.PrefixStore("a", memory)),
    ]


def test_what_one_puts_into_a_store_the_other_finds(tmp_path):
    for first, second in stores(tmp_path):
        first.set("key", "value")
        assert second.get("key") == b"value"
        assert (first.add("count", 2), second.add("count", 3)) == (2, 5)
        second.append("key", b"\0s")
        assert first.get("key") == b"value\0s"
        assert first.compare_set("key", "other", "new") == b"value\0s"
        assert first.compare_set("key", b"value\0s", "new") == b"new"
        assert second.check(["key", "count"])
        assert not second.check(["key", "absent"])
        assert first.num_keys() >= 2
        first.multi_set(["one", "two"], ["1", b"2"])
        assert first.has_extended_api()
        assert second.multi_get(["two", "one"]) == [b"2", b"1"]
        with pytest.raises(ValueError, match="shorter"):
            first.multi_set(["one", "two"], ["1"])
        other = threading.Thread(target=first.barrier, args=["both", 2])
        other.start()
        second.barrier("both", 2, timedelta(seconds=120))
        other.join()
        assert second.delete_key("key")
        assert not first.delete_key("key")
        second.set_timeout(timedelta(milliseconds=30))
        with pytest.raises(distributed.DistStoreError, match=r"wait timeout after 30ms, keys: absent"):
            second.get("absent")
        threading.Timer(0.05, first.set, ["late", "1"]).start()
        second.wait(["late"], timedelta(seconds=120))


def test_a_store_that_nobody_serves():
    with pytest.raises(distributed.DistNetworkError, match="client socket has timed out"):
        distributed.TCPStore("127.0.0.1", 1, timeout=timedelta(milliseconds=50))


@pytest.mark.parametrize(
    ("variables", "place"),
    [
        ({"PMI_RANK": "3", "PMI_SIZE": "4", "MPI_LOCALRANKID": "1", "MPI_LOCALNRANKS": "2"}, Place(3, 4, 1, 2)),
        ({"OMPI_COMM_WORLD_RANK": "1", "OMPI_COMM_WORLD_SIZE": "2"}, Place(1, 2, 1, 2)),
        ({}, None),
    ],
)
def test_what_launchers_say(monkeypatch, variables, place):
    for name in ("PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert place_from_launcher() == place


def test_how_processes_find_each_other(tmp_path, monkeypatch):
    hour = timedelta(hours=1)
    store, rank, size = addresses.store_of(f"file://{tmp_path}/store", 2, 1, None, hour)
    store.set("key", "value")
    assert distributed.PrefixStore("default_pg", distributed.FileStore(f"{tmp_path}/store")).get("key") == b"value"
    assert (rank, size) == (1, 2)
    assert addresses.store_of("tcp://127.0.0.1:1?rank=0&world_size=1", -1, -1, None, hour) == (None, 0, 1)
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="environment variable RANK expected, but not set"):
        addresses.store_of(None, -1, -1, None, hour)
    with pytest.raises(ValueError, match="rank parameter missing"):
        addresses.store_of("tcp://127.0.0.1:1", 2, -1, None, hour)
    with pytest.raises(RuntimeError, match="No rendezvous handler for http://"):
        addresses.store_of("http://127.0.0.1", 2, 0, None, hour)
    with pytest.raises(ValueError, match="not within the world size"):
        addresses.store_of("file:///nowhere", 2, 2, None, hour)


def test_backends():
    assert distributed.Backend("GLOO") == "gloo"
    assert distributed.Backend("cpu:gloo,cuda:nccl") == "cpu:gloo,cuda:nccl"
    with pytest.raises(ValueError, match="Invalid backend: 'smoke'"):
        distributed.Backend("smoke")
    with pytest.raises(RuntimeError, match="doesn't have NCCL built in"):
        distributed.init_process_group("nccl")
    assert distributed.is_available()
    assert not distributed.is_nccl_available()


def test_before_the_group_is_there():
    assert not distributed.is_initialized()
    for call in (distributed.get_rank, distributed.barrier, lambda: distributed.all_reduce(rushlight.ones(1))):
        with pytest.raises(ValueError, match="Default process group has not been initialized"):
            call()
    with pytest.raises(TypeError, match=r"Expected parameter `tensor` of type torch\.Tensor"):
        distributed.all_reduce([1.0])


def test_operations_that_a_type_lacks():
    pytest.importorskip("mpi4py")
    with pytest.raises(RuntimeError, match=r"Cannot use ReduceOp\.BOR with non-integral dtype"):
        mpi.operation(distributed.ReduceOp.BOR, rushlight.zeros(1).numpy().dtype)


def test_without_mpiexec(monkeypatch, capsys):
    monkeypatch.setattr(start.shutil, "which", lambda *args, **kwargs: None)
    with pytest.raises(RuntimeError, match=r"no mpiexec on this machine. Install MPI: pip install 'rushlight"):
        start.mpiexec()
    assert cli.main(["launch", "-n", "2", "train.py"]) == 2
    assert capsys.readouterr().err.startswith("There is no mpiexec on this machine. Install MPI: pip install")


@pytest.mark.parametrize(
    ("told", "hosts"), [("HYDRA build details: Version: 5.0.2", "-hosts"), ("mpiexec (Open MPI) 5.0.11", "--host")]
)
def test_what_launching_runs(monkeypatch, told, hosts):
    calls = []
    monkeypatch.setattr(start.subprocess, "run", lambda *args, **kwargs: SimpleNamespace(stdout=told))
    monkeypatch.setattr(start, "mpiexec", lambda: "mpiexec")
    monkeypatch.setattr(os, "execve", lambda path, command, environment: calls.append((command, environment)))
    parser = argparse.ArgumentParser()
    start.add_arguments(parser)
    start.launch(parser.parse_args(["-n", "3", "--hosts", "a,b", "train.py", "--lr", "1"]))
    command, environment = calls.pop()
    assert command[:5] == ["mpiexec", hosts, "a,b", "-n", "3"]
    assert command[6:] == ["-m", "rushlight", "run", "train.py", "--lr", "1"]
    assert start.LABELS in environment
    run.main(["--standalone", "--nproc-per-node=2", "-m", "train", "-x"])
    assert calls.pop()[0][1:] == ["-n", "2", command[5], "-m", "rushlight", "run", "-m", "train", "-x"]
    for refused in (["--nnodes=2"], ["--tee=3"], ["--nproc-per-node=gpu"], ["--nproc-per-node=0"]):
        with pytest.raises(SystemExit):
            run.main([*refused, "train.py"])


def test_what_torchrun_says_and_its_predecessor_adds(monkeypatch):
    calls = []
    monkeypatch.setattr(start, "mpiexec", lambda: "mpiexec")
    monkeypatch.setattr(os, "execve", lambda path, command, environment: calls.append((command, environment)))
    run.main(["--rdzv-id=7", "--role=trainer", "--max_restarts=0", "train.py"])
    environment = calls.pop()[1]
    assert not distributed.is_torchelastic_launched()  # but they are
    found = [environment[f"TORCHELASTIC_{name}"] for name in ("RUN_ID", "RESTART_COUNT", "MAX_RESTARTS")]
    assert (found, environment["ROLE_NAME"]) == (["7", "0", "0"], "trainer")
    launch.main(["--nproc_per_node", "2", "train.py", "-m", "x"])
    assert calls.pop()[0][5:] == [
        "rushlight",
        "run",
        "-m",
        "torch.distributed.launch",
        "--as-process",
        "train.py",
        "-m",
        "x",
    ]
    launch.main(["--nproc_per_node", "2", "-m", "train"])
    assert calls.pop()[0][8:] == ["torch.distributed.launch", "--as-process", "-m", "train"]
    launch.main(["--use-env", "--nproc_per_node", "2", "train.py"])
    assert calls.pop()[0][5:] == ["rushlight", "run", "train.py"]


def test_a_process_of_the_predecessor_is_told_its_rank(tmp_path, monkeypatch, capsys):
    (tmp_path / "told.py").write_text("import sys; print(__name__, sys.argv[1:])")
    monkeypatch.setenv("LOCAL_RANK", "3")
    monkeypatch.setattr(sys, "argv", [])
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    for arguments in ([str(tmp_path / "told.py"), "x"], ["-m", "told", "x"]):
        launch.run_with_rank(arguments)
        assert capsys.readouterr().out == "__main__ ['--local-rank=3', 'x']\n"


def test_processes_are_started_anew(tmp_path, monkeypatch, capfd):
    program = tmp_path / "mpiexec"
    program.write_text("#!/bin/sh\necho count $TORCHELASTIC_RESTART_COUNT\nexit $((1 - TORCHELASTIC_RESTART_COUNT))\n")
    program.chmod(0o755)
    monkeypatch.setattr(start, "mpiexec", lambda: str(program))
    assert run.main(["--max-restarts=2", "train.py"]) == 0
    printed = capfd.readouterr()
    assert printed.out == "count 0\ncount 1\n"
    assert printed.err == "rushlight: started again, 1 of 2 times\n"


def test_lines_begin_with_the_rank():
    stream = io.StringIO()
    labelled = Labelled(stream, "7")
    print("one", "two", file=labelled)
    print("three\nfour", end="", file=labelled)
    labelled.flush()
    lines = stream.getvalue().splitlines()
    assert [line.split("] ")[1] for line in lines] == ["one two", "three", "four"]
    assert all(line.startswith("[rank 7 ") for line in lines)


@pytest.mark.parametrize("drop_last", [False, True])
@pytest.mark.parametrize("length", [1, 7, 8, 9])
def test_samplers_share_everything_out(length, drop_last):
    shares = [list(DistributedSampler(range(length), 4, rank, drop_last=drop_last)) for rank in range(4)]
    assert len({len(share) for share in shares}) == 1
    seen = {number for share in shares for number in share}
    assert len(seen) == (length // 4 * 4 if drop_last else length)


def test_samplers_give_the_numbers_of_pytorch():
    torch = pytest.importorskip("torch")
    for length, drop_last, shuffle, rank in [
        (10, False, True, 1),
        (11, True, True, 2),
        (3, False, False, 3),
        (9, False, True, 0),
    ]:
        options = {"num_replicas": 4, "rank": rank, "shuffle": shuffle, "seed": 3, "drop_last": drop_last}
        ours, theirs = (
            data.DistributedSampler(range(length), **options) for data in (rushlight.utils.data, torch.utils.data)
        )
        for epoch in range(2):
            ours.set_epoch(epoch)
            theirs.set_epoch(epoch)
            assert list(ours) == list(theirs)
            assert len(ours) == len(theirs)


def test_samplers_of_a_rank_that_there_is_not():
    with pytest.raises(ValueError, match=r"Invalid rank 2, rank should be in the interval \[0, 1\]"):
        DistributedSampler(range(4), 2, 2)


def test_futures():
    future = rushlight.futures.Future()
    seen = []
    future.add_done_callback(lambda done: seen.append(done.value()))
    failing = future.then(lambda done: 1 / 0)
    with pytest.raises(RuntimeError, match="does not have a value yet"):
        future.value()
    future.set_result(3)
    assert seen == [3]
    assert future.wait() == 3
    assert future.done()
    with pytest.raises(RuntimeError, match="error when running the callback: ZeroDivisionError: division by zero"):
        failing.wait()
    for take in (future.then, future.add_done_callback):
        with pytest.raises(TypeError, match="incompatible function arguments"):
            take(None)
    with pytest.raises(RuntimeError, match="only be marked completed once"):
        future.set_result(4)


def test_futures_that_are_done_in_several_threads():
    for _ in range(20):
        futures = [rushlight.futures.Future() for _ in range(50)]
        everything = rushlight.futures.collect_all(futures)
        begin = threading.Barrier(5)

        def finish(mine, begin=begin):
            begin.wait()
            mine[0].set_exception(KeyError("one of many"))
            for future in mine[1:]:
                future.set_result(1)

        threads = [threading.Thread(target=finish, args=(futures[i::5],)) for i in range(5)]
        for thread in threads:
            thread.start()
        for wait in (everything.wait, lambda futures=futures: rushlight.futures.wait_all(futures)):
            with pytest.raises(KeyError):
                wait()
        for thread in threads:
            thread.join()
        right = [future for future in futures if future._future.exception() is None]
        assert rushlight.futures.collect_all(right).wait() == right


def test_an_address_is_served_once():
    free = socket.create_server(("127.0.0.1", 0))
    place = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    free.close()
    for purpose in ("group", "calls"):
        store, *_ = addresses.store_of(place, 2, 0, None, timedelta(seconds=60), purpose)
        store.set("key", purpose)
    found = [addresses.store_of(place, 2, 1, None, timedelta(seconds=60), each)[0] for each in ("group", "calls")]
    assert [store.get("key") for store in found] == [b"group", b"calls"]


def test_shared_memory():
    x = rushlight.arange(6.0).view(2, 3).t()
    with pytest.raises(RuntimeError, match="view cannot be moved to shared memory"):
        x.share_memory_()
    x = x.clone().share_memory_()
    assert x.is_shared()
    assert x.tolist() == [[0, 3], [1, 4], [2, 5]]
    assert x.detach().is_shared()
    y = rushlight.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Cowardly refusing to serialize non-leaf tensor"):
        ForkingPickler.dumps(y * 2)


LAST_WORDS = """
import os
from rushlight.launch.end import say_end

say_end(3, 77)
os.write(0, b"gone")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody knows what is in a pipe")
def test_the_last_words_are_waited_for():
    here, there = socket.socketpair()
    command = [sys.executable, "-c", LAST_WORDS]
    streams = {"stdin": there, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, **streams) as process, here, there:
        assert select.select([process.stderr], [], [], 60)[0]  # they are there, and not yet read
        assert not select.select([here], [], [], 0.2)[0]
        words = process.stderr.readline()
        assert re.fullmatch(
            rb"rushlight: rank 0 \(process 77 on .*\) ended with exit status 3; this ends all .*\n", words
        )
        assert here.recv(4) == b"gone"


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nobody knows what is in a pipe")
def test_last_words_that_nobody_reads_are_not_waited_for():
    here, there = socket.socketpair()
    here.settimeout(120)
    patient = LAST_WORDS.replace(
        "say_end(3, 77)", "import rushlight.launch.end\nrushlight.launch.end.PATIENCE = 3600\nsay_end(3, 77)"
    )
    streams = {"stdin": there, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", patient], **streams) as process, here, there:
        assert select.select([process.stderr], [], [], 60)[0]
        process.stderr.close()
        try:
            assert here.recv(4) == b"gone"
        finally:
            process.kill()


def test_names_of_reductions():
    with pytest.warns(FutureWarning, match=r"please use `torch\.distributed\.ReduceOp` instead"):
        assert distributed.reduce_op.SUM is distributed.ReduceOp.SUM
    with pytest.raises(TypeError, match=r"__init__\(\): incompatible constructor arguments\."):
        distributed.ReduceOp("x")


def test_debug_levels(monkeypatch):
    levels = distributed.DebugLevel
    assert distributed.get_debug_level() is levels.OFF
    for name, level in (("detail", levels.DETAIL), ("INFO", levels.INFO), ("", levels.OFF)):
        monkeypatch.setenv("TORCH_DISTRIBUTED_DEBUG", name)
        distributed.set_debug_level_from_env()
        assert distributed.get_debug_level() is level
    monkeypatch.setenv("TORCH_DISTRIBUTED_DEBUG", "loud")
    with pytest.raises(RuntimeError, match="must be OFF, INFO, or DETAIL"):
        distributed.set_debug_level_from_env()


def test_what_needs_an_accelerator():
    fsdp = import_module("rushlight.distributed.fsdp").FullyShardedDataParallel
    with pytest.raises(RuntimeError, match=r"^FSDP needs a non-CPU accelerator device, but no accelerator device is"):
        fsdp(rushlight.nn.Linear(1, 1))


def test_a_folder_of_pytorchs_is_told_apart(tmp_path):
    pickled = pickle.dumps({"state_dict_metadata": {}})  # as PyTorch writes it: without the container of torch.save
    (tmp_path / ".metadata").write_bytes(pickled)
    with pytest.raises(checkpoint.CheckpointException, match="is not a checkpoint of rushlight's"):
        checkpoint.load({"a": rushlight.zeros(2)}, checkpoint_id=tmp_path)

"""Kills processes while they save: the file is always the complete old or new one, and no leftover files accumulate."""

import argparse
import os
import random
import signal
import tempfile
import time
from pathlib import Path

import rushlight
from verify.figures import Figure

SIZE = 200_000  # elements of each tensor: a save takes some milliseconds, most of which are dangerous
LONGEST = 0.03  # seconds until a kill


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line can say."""
    parser.add_argument("--count", type=int, default=500, help="how many processes to kill")
    parser.add_argument("--seed", type=int, default=0)


def run(arguments: argparse.Namespace) -> list[Figure]:
    """Kills `arguments.count` processes, each at a random moment of its saves."""
    chance = random.Random(arguments.seed)
    lost, litter = Figure("checkpoints after a kill -9 while saving"), Figure("folders after the next save")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "checkpoint.pt")
        rushlight.save(state(0), path)
        for _ in range(arguments.count):
            done, begun = killed_while_saving(path, chance.uniform(0, LONGEST))
            lost.checked += 1
            lost.unexplained.extend(wrong(path, done, begun))
        rushlight.save(state(0), path)
        litter.checked += 1
        litter.unexplained.extend(f"left over: {name}" for name in os.listdir(folder) if name != path.name)
    return [lost, litter]


def state(number: int) -> dict:
    """What is saved, all of it made of one number."""
    return {"number": number, "tensors": [rushlight.full((SIZE,), float(number)) for _ in range(3)]}


def killed_while_saving(path: Path, after: float) -> tuple[int, int]:
    """Lets a process save one state after the other and kills it.

    Returns the number of the last state that was saved to the end, and of the last that was begun.
    """
    first = rushlight.load(path)["number"]
    receive, send = os.pipe()
    child = os.fork()
    if child == 0:
        save_for_ever(path, first, send)
    os.close(send)
    time.sleep(after)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with open(receive, "rb") as reports:
        marks = reports.read()
    return first + marks.count(b"."), first + marks.count(b"(")


def save_for_ever(path: Path, number: int, send: int) -> None:
    """Saves one state after the other; reports where a save begins and ends. Never returns."""
    try:
        while True:
            number += 1
            found = state(number)
            os.write(send, b"(")
            rushlight.save(found, path)
            os.write(send, b".")
    finally:
        os._exit(1)


def wrong(path: Path, done: int, begun: int) -> list[str]:
    """What is wrong with the file after a kill, if anything is."""
    try:
        found = rushlight.load(path)
    except Exception as error:
        return [f"after save {done} of {begun}: {type(error).__name__}: {error}"]
    number = found["number"]
    if not done <= number <= begun:
        return [f"after save {done} of {begun} the file is of save {number}"]
    if any((tensor != number).any() for tensor in found["tensors"]):
        return [f"the file of save {number} is mixed"]
    return []

"""Loads damaged and hostile files: each returns what was saved or raises `LoadError`, quickly, and none runs code."""

import argparse
import io
import pickletools
import random
import resource
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import rushlight
from rushlight.serialization import LoadError
from verify.figures import Figure
from verify.hostile_files import archive, hostile, pickled, same, saved

OPCODES = "".join(code.code for code in pickletools.opcodes)
LONGEST = 5.0  # seconds of CPU time for a file of a few kilobytes
LARGEST = 64 << 20  # bytes of memory for one


def options(parser: argparse.ArgumentParser) -> None:
    """What the command line can say."""
    parser.add_argument("--count", type=int, default=20_000, help="how many random changes to try")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--step", type=int, default=1, help="cut and change files at every so many bytes")


def run(arguments: argparse.Namespace) -> list[Figure]:
    """All kinds of damage."""
    chance = random.Random(arguments.seed)
    cuts, flips = Figure("files cut short"), Figure("files with a changed bit")
    mixed, crafted = Figure("pickles with random changes"), Figure("files made to do harm")
    for modern in (True, False):
        whole = saved(modern)
        for end in range(0, len(whole), arguments.step):
            judge(cuts, f"cut at {end}", whole[:end], lambda found: "was loaded")
        for place in range(0, len(whole), arguments.step):
            bit = 1 << chance.randrange(8)
            changed = bytes([*whole[:place], whole[place] ^ bit, *whole[place + 1 :]])
            judge(
                flips,
                f"byte {place} ^ {bit}",
                changed,
                (lambda found: "" if same(found) else "other") if modern else None,
            )
    text = pickled()
    for number in range(arguments.count):
        changed = mutated(text, chance)
        judge(mixed, f"change {number}: {changed!r}", archive(changed), None)
    with tempfile.TemporaryDirectory() as folder:
        sign = Path(folder, "sign")
        for name, content in hostile(str(sign)):
            judge(crafted, name, content, lambda found: "was loaded")
        if sign.exists():
            crafted.unexplained.append("code ran")
    return [cuts, flips, mixed, crafted]


def otherwise(found: object) -> str:
    """What is wrong with an object unless it is what was saved."""
    return "" if same(found) else "something else was loaded"


def most_memory() -> int:
    """The most memory in bytes that the process has had so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


def judge(figure: Figure, name: str, content: bytes, wrong: Callable | None) -> None:
    """Loads a file and notes what it should not have done."""
    figure.checked += 1
    before, start = most_memory(), time.process_time()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # zipfile's
            found = rushlight.load(io.BytesIO(content))
        problem = wrong(found) if wrong else ""
    except LoadError:
        problem = ""
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    seconds, more = time.process_time() - start, most_memory() - before
    if seconds > LONGEST or more > LARGEST:
        problem += f" took {seconds:.1f} s and {more >> 20} MB"
    if problem:
        figure.unexplained.append(f"{name}: {problem}")


def mutated(text: bytes, chance: random.Random) -> bytes:
    """A pickle with some bytes changed, left out, said twice, or replaced by others of pickles."""
    content = bytearray(text)
    for _ in range(chance.choice([1, 1, 2, 5])):
        place = chance.randrange(len(content))
        length = chance.randrange(1, 12)
        match chance.randrange(5):
            case 0:
                content[place] = chance.randrange(256)
            case 1:
                del content[place : place + length]
            case 2:
                content[place:place] = content[place : place + length]
            case 3:
                other = chance.randrange(len(content))
                content[place : place + length] = content[other : other + length]
            case _:
                content[place] = ord(chance.choice(OPCODES))
    return bytes(content) or b"."

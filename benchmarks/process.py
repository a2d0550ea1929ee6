"""A library's process, seen from outside: it runs only while it answers a request, and is stopped otherwise."""

import os
import pickle
import select
import signal
import subprocess
import sys
from pathlib import Path

from benchmarks.contenders import CONTENDERS

ROOT = Path(__file__).parent.parent


class Cannot(Exception):
    """What a contender cannot do, with its reason."""


class Process:
    """The process of one contender.

    It is stopped (SIGSTOP) between questions. So the threads with which a library waits actively for more work
    take no time from the others, and turns can follow each other without a pause.
    """

    def __init__(self, name: str, environment: dict[str, str]):
        """Starts it with these environment variables."""
        environment = environment | CONTENDERS[name].environment
        command = [sys.executable, "-m", "benchmarks.worker", name]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment, cwd=ROOT)
        try:
            self.description = self.ask("describe")
        except Cannot:
            self.end()  # a stopped one would outlive this process
            raise

    def ask(self, command: str, *arguments, patience: float | None = None):
        """The answer to a command of `Worker`; Cannot where it fails or takes longer than `patience` seconds."""
        self.signal("SIGCONT")
        try:
            pickle.dump((command, arguments), self.process.stdin)
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], patience)[0]:
                self.end()
                raise Cannot(f"not ready after {patience:.0f} s")
            could, answer = pickle.load(self.process.stdout)
        except (EOFError, BrokenPipeError):
            raise Cannot(f"its process ended with {self.process.wait()}") from None
        self.signal("SIGSTOP")
        if not could:
            raise Cannot(answer)
        return answer

    def signal(self, name: str) -> None:
        """Sends a signal."""
        self.process.send_signal(getattr(signal, name))

    @property
    def ended(self) -> bool:
        """Whether it is there no more."""
        return self.process.poll() is not None

    def end(self) -> None:
        """Ends it."""
        self.process.kill()
        self.process.communicate()


def environment(settings: list[str], without: list[str]) -> dict[str, str]:
    """The environment of this process with some variables set, as NAME=VALUE, and some left out."""
    kept = {name: value for name, value in os.environ.items() if name not in without}
    return kept | dict(setting.split("=", 1) for setting in settings)

"""Command line options that the benchmarks share."""

import argparse

from benchmarks.process import environment


def parser(name: str, text: str) -> argparse.ArgumentParser:
    """A parser with the options for the environment of the measured processes."""
    made = argparse.ArgumentParser(prog=name, description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument(
        "--environment", action="append", default=[], metavar="NAME=VALUE", help="set a variable where is measured"
    )
    made.add_argument("--without", action="append", default=[], metavar="NAME", help="leave a variable out there")
    return made


def chosen_environment(options: argparse.Namespace) -> dict[str, str]:
    """The environment of the measured processes."""
    return environment(options.environment, options.without)

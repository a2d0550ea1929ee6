"""The command line: `rushlight run | explain | launch | demo | info`."""

import argparse
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from importlib.util import find_spec
from typing import Any

from rushlight.config import show_config
from rushlight.interop import run_module, run_script, run_text
from rushlight.launch import start
from rushlight.version import rushlight as version


def main(arguments: list[str] | None = None) -> int:
    """Runs a command; returns the exit status."""
    options = parser().parse_args(arguments)
    return options.command(options)


def parser() -> argparse.ArgumentParser:
    """The commands and their options."""
    top = argparse.ArgumentParser("rushlight", description="PyTorch's autograd, fast and light, on NumPy.")
    top.add_argument("--version", action="version", version=f"rushlight {version}")
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    run = commands.add_parser("run", help="run a PyTorch or MindSpore script, with rushlight in its place")
    run.add_argument("--explain", action="store_true", help="say at the end why gradients are missing or wrong")
    run.add_argument("--page", metavar="HTML", help="also write the explanation to an HTML page")
    rest = argparse.REMAINDER
    run.add_argument("-m", "--module", metavar=("MODULE", "..."), nargs=rest, help="run a module, with its arguments")
    run.add_argument("-c", metavar=("TEXT", "..."), dest="text", nargs=rest, help="run code, with its arguments")
    run.add_argument("script", nargs="?", help="the script; `-` reads it from standard input")
    run.add_argument("arguments", nargs=rest, help="arguments for the script (sys.argv)")
    run.set_defaults(command=run_command, usage=run.error)

    explain = commands.add_parser("explain", help="list the mistakes that run --explain finds")
    explain.add_argument("--list", action="store_true", help="list them (default); with names, show their programs")
    explain.add_argument("names", nargs="*", help="mistakes to show in full, or `all`")
    explain.set_defaults(command=explain_command)

    launch = commands.add_parser("launch", help="run a script on several processes, over MPI")
    start.add_arguments(launch)
    launch.set_defaults(command=start.launch)

    demo = commands.add_parser("demo", help="train a small network on digits in three ways, and draw the result")
    demo.add_argument("--data", metavar="DIR", help="a folder with all of MNIST (IDX files), instead of 5,000 digits")
    demo.add_argument("--out", metavar="PNG", default="demo/rushlight-demo.png", help="the picture (%(default)s)")
    demo.set_defaults(command=demo_command)

    info = commands.add_parser("info", help="print versions, libraries and the CPU features in use")
    info.set_defaults(command=info_command)
    return top


def run_command(options: argparse.Namespace) -> int:
    """Runs a script, a module or a code string, as Python would."""
    explaining = options.explain or options.page is not None
    run: Callable[[str, list[str], AbstractContextManager[Any]], int]
    if options.module is not None:
        run, program = run_module, options.module
    elif options.text is not None:
        run, program = run_text, options.text
    else:
        run, program = run_text if options.script == "-" else run_script, [options.script, *options.arguments]
    if not program or program[0] is None:
        options.usage("expected a script, -m MODULE, -c TEXT, or - for the standard input")
    try:
        return run(program[0], program[1:], explainer(options.page) if explaining else nullcontext())
    except FileNotFoundError:
        print(f"rushlight run: there is no file {options.script}")
        return 2
    except ModuleNotFoundError as error:
        print(f"rushlight run: {error}")
        return 1


def explainer(page: str | None) -> AbstractContextManager[Any]:
    """The context in which a script is explained."""
    from rushlight.explain import explain  # 50 files that only --explain needs

    return explain(page=page)


def explain_command(options: argparse.Namespace) -> int:
    """Lists the kinds of mistakes that `rushlight explain` finds."""
    from rushlight.explain.listing import KINDS, listing  # 50 files that no other command needs

    names = list(KINDS) if options.names == ["all"] else options.names
    if unknown := [name for name in names if name not in KINDS]:
        print(f"rushlight explain: there is no kind {', '.join(unknown)}; `rushlight explain --list` lists them all")
        return 2
    print(listing(names))
    return 0


def demo_command(options: argparse.Namespace) -> int:
    """Runs the demonstration."""
    missing = [name for name in ("matplotlib", "mlxtend", "tqdm") if find_spec(name) is None]
    if missing:
        print(f"The demo needs {', '.join(missing)}: pip install 'rushlight[demo]'")
        return 1
    from rushlight.demo import demonstrate  # 140 files, and matplotlib

    demonstrate(out=options.out, data=options.data)
    return 0


def info_command(options: argparse.Namespace) -> int:
    """Prints the configuration."""
    show_config()
    return 0

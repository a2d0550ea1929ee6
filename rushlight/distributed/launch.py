"""`python -m torch.distributed.launch`: the predecessor of `torchrun`, which passes the rank as `--local-rank`."""

import os
import runpy
import sys

from rushlight.distributed import run

__all__ = ["main"]


def main(arguments: list[str] | None = None) -> int:
    """Accepts `torchrun`'s arguments and `--use-env`; without that each process gets its rank as `--local-rank`."""
    given = sys.argv[1:] if arguments is None else arguments
    made = run.parser("torch.distributed.launch")
    run.add(made, "use_env", action="store_true", help="set LOCAL_RANK instead of passing --local-rank")
    options = made.parse_args(given)
    if not options.use_env:
        here = len(given) - len(options.arguments) - 1
        module = ["-m"] if options.module else []
        given = [*given[:here], "-m", "torch.distributed.launch", "--as-process", *module, *given[here:]]
    return run.start(made, given)


def run_with_rank(arguments: list[str]) -> None:
    """Runs a script (with -m a module) in this process, which `main` has started, with its rank as an argument."""
    run_it = runpy.run_module if arguments[0] == "-m" else runpy.run_path
    script, *rest = arguments[1:] if arguments[0] == "-m" else arguments
    sys.argv = [script, f"--local-rank={os.environ['LOCAL_RANK']}", *rest]
    if run_it is runpy.run_path:
        sys.path[0] = os.path.dirname(os.path.abspath(script))
    run_it(script, run_name="__main__")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--as-process"]:
        run_with_rank(sys.argv[2:])
    else:
        sys.exit(main())

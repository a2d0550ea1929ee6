"""`python -m torch.distributed.run`, which is `torchrun`: starts a script on several processes of this machine."""

import argparse
import os
import sys

from rushlight.launch.start import add_arguments, launch

__all__ = ["main"]

NOT_NEEDED = [  # MPI finds and starts the processes, and notices at once when one ends
    "node_rank",
    "master_addr",
    "master_port",
    "rdzv_backend",
    "rdzv_endpoint",
    "rdzv_conf",
    "monitor_interval",
    "local_addr",
    "start_method",
]
REFUSED = [
    "log_dir",
    "redirects",
    "tee",
    "local_ranks_filter",
    "duplicate_stdout_filters",
    "duplicate_stderr_filters",
    "logs_specs",
    "event_log_handler",
    "numa_binding",
    "signals_to_handle",
    "shutdown_timeout",
]


def main(arguments: list[str] | None = None) -> int:
    """Accepts `torchrun`'s arguments, and sets its environment variables; returns the exit status."""
    return start(parser("torch.distributed.run"), arguments)


def parser(name: str) -> argparse.ArgumentParser:
    """The parser for `torchrun`'s arguments."""
    made = argparse.ArgumentParser(name, allow_abbrev=False)
    add(made, "nproc_per_node", default="1", help="number of processes; auto or cpu: one for each CPU")
    made.add_argument("--nnodes", default="1")
    add(made, "max_restarts", type=int, default=0, help="how often to restart all processes when one fails")
    add(made, "rdzv_id", default="none", help="value of TORCHELASTIC_RUN_ID")
    made.add_argument("--role", default="default", help="value of ROLE_NAME")
    made.add_argument("--standalone", action="store_true", help="accepted for compatibility, without effect")
    for name in NOT_NEEDED:
        add(made, name, help="accepted for compatibility, without effect")
    for name in REFUSED:
        add(made, name, help=argparse.SUPPRESS)
    add_arguments(made)
    return made


def add(to: argparse.ArgumentParser, name: str, **options: object) -> None:
    """Adds an option that may be written with underscores or hyphens."""
    to.add_argument(f"--{name}", f"--{name.replace('_', '-')}", **options)  # type: ignore[arg-type]  # as argparse has


def start(made: argparse.ArgumentParser, arguments: list[str] | None) -> int:
    """Starts the processes; returns the exit status."""
    options = made.parse_args(arguments)
    if options.nnodes not in ("1", "1:1") and not options.hosts:
        made.error("several machines are started by MPI: rushlight launch --hosts A,B -n 8 script.py")
    for name in REFUSED:
        if getattr(options, name) is not None:
            made.error(
                f"--{name.replace('_', '-')} is not supported: leave it out. Lines of output begin with rank and time; "
                "redirect the output of this command where it is to be kept."
            )
    options.processes = processes(made, options.nproc_per_node)
    variables = {
        "TORCHELASTIC_RUN_ID": options.rdzv_id,
        "TORCHELASTIC_MAX_RESTARTS": str(options.max_restarts),
        "ROLE_NAME": options.role,
    }
    return launch(options, options.max_restarts, variables)


def processes(made: argparse.ArgumentParser, given: str) -> int:
    """The number of processes for `--nproc-per-node`."""
    if given in ("auto", "cpu"):
        return os.cpu_count() or 1
    if not given.isdigit() or int(given) == 0:
        made.error(f"--nproc-per-node takes a number, or auto or cpu, but got {given}: there are no GPUs.")
    return int(given)


if __name__ == "__main__":
    sys.exit(main())

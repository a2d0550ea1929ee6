"""`python -m torch.distributed.run`, which is `torchrun`: starts a script on several processes of this machine."""

import argparse
import os
import sys

from rushlight.launching import add_arguments, launch

IGNORED = [
    "node_rank", "master_addr", "master_port", "rdzv_backend", "rdzv_endpoint", "rdzv_id", "rdzv_conf",
    "max_restarts", "monitor_interval", "local_addr",
]  # fmt: skip


def main(arguments: list[str] | None = None) -> int:
    """Takes `torchrun`'s arguments. MPI finds the processes by itself: those that say how are not needed."""
    parser = argparse.ArgumentParser("torch.distributed.run", allow_abbrev=False)
    parser.add_argument("--nproc_per_node", "--nproc-per-node", default="1", help="a number, or auto: one for each CPU")
    parser.add_argument("--nnodes", default="1")
    parser.add_argument("--standalone", action="store_true", help="not needed")
    for name in IGNORED:
        parser.add_argument(f"--{name}", f"--{name.replace('_', '-')}", help="not needed")
    add_arguments(parser)
    options = parser.parse_args(arguments)
    if options.nnodes not in ("1", "1:1") and not options.hosts:
        parser.error("several machines are started by MPI: rushlight launch --hosts A,B -n 8 script.py")
    given = options.nproc_per_node
    options.processes = int(given) if given.isdigit() else os.cpu_count() or 1
    return launch(options)


if __name__ == "__main__":
    sys.exit(main())

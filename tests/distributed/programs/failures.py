"""What happens to the others when one process fails, or waits for what does not come."""

import os
import signal
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist

from rushlight.distributed import work

how = sys.argv[1]
if how == "early":
    if os.environ["RANK"] == "1":
        raise KeyError("before there is a group")
elif how == "astray":
    work.ROLL_CALL = 300  # seconds: the roll call ends when all have answered, however late that is
dist.init_process_group("gloo", timeout=timedelta(minutes=5), rank=0 if how == "twice" else -1)
rank = dist.get_rank()
x = torch.ones(1)
dist.all_reduce(x)
os.write(1, f"process {os.getpid()}\n".encode())  # in one piece: others write to the same place
if how in ("late", "astray"):
    dist.group.WORLD.set_timeout(timedelta(seconds=1))
if how == "barrier" and rank != 1:
    dist.monitored_barrier(timeout=timedelta(seconds=0.5), wait_all_ranks=True)
if rank == 1:
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "raise":
        raise KeyError("the cause")
    elif how == "exit":
        sys.exit(3)
    elif how == "words":
        sys.exit("no more data")
    elif how in ("late", "barrier", "ended"):
        time.sleep(300)
    elif how == "astray":
        dist.broadcast(x, 0)
dist.all_reduce(x)
dist.all_reduce(x)
print("nobody failed")

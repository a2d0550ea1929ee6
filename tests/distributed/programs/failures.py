"""What happens to the others when one process fails, or waits for what does not come."""

import os
import signal
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist

dist.init_process_group("gloo", timeout=timedelta(seconds=1 if sys.argv[1] in ("late", "astray", "barrier") else 60))
rank = dist.get_rank()
x = torch.ones(1)
dist.all_reduce(x)
how = sys.argv[1]
if how == "barrier":
    try:
        if rank != 1:
            dist.monitored_barrier(timeout=timedelta(seconds=0.5), wait_all_ranks=True)
    except RuntimeError as error:
        print(error)
        raise
    time.sleep(30)
if rank == 1:
    if how == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif how == "raise":
        raise KeyError("the cause")
    elif how == "exit":
        sys.exit(3)
    elif how == "late":
        time.sleep(60)
    elif how == "astray":
        dist.broadcast(x, 0)
dist.all_reduce(x)
dist.all_reduce(x)
print("nobody failed")

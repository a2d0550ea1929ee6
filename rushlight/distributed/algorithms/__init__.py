"""What is built on communication: training with uneven inputs, and hooks on the communication of gradients."""

from rushlight.distributed.algorithms.join import Join as Join
from rushlight.distributed.algorithms.join import Joinable as Joinable
from rushlight.distributed.algorithms.join import JoinHook as JoinHook

"""Algorithms based on communication: training with uneven inputs, and communication hooks for gradients."""

from rushlight.distributed.algorithms.join import Join as Join
from rushlight.distributed.algorithms.join import Joinable as Joinable
from rushlight.distributed.algorithms.join import JoinHook as JoinHook

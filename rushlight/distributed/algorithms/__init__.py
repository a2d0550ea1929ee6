"""What is built on communication: training with uneven inputs, and hooks on the communication of gradients."""

from rushlight.distributed.algorithms.join import Join, Joinable, JoinHook

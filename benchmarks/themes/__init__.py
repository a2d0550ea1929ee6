"""The workloads, one file for each theme: the same work for every library, with the same numbers."""

from benchmarks.themes import (
    arrays,
    chain,
    convolution,
    equation,
    functions,
    perceptron,
    recurrent,
    startup,
    transformer,
)

THEMES = (chain, recurrent, perceptron, equation, convolution, transformer, arrays, functions, startup)
WORKLOADS = [workload for theme in THEMES for workload in theme.WORKLOADS]

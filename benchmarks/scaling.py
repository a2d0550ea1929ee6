"""`python -m benchmarks.scaling`: simulates the cost of a training step on 1 to 10,000 processes.

A network's backward pass produces buckets of gradients one after the other. A link sends them in this order, beginning
when the first is ready. A message of n bytes over one link takes latency + n / bandwidth. A sum over p processes takes

- by a ring: 2 (p - 1) messages of n / p bytes;
- by a tree: 2 log2(p) messages of n bytes;

and the faster of the two is used for each bucket, as MPI libraries do. Sharded parameters (`fully_shard`) are gathered
in the forward and in the backward pass, in (p - 1) messages of n / p bytes each; scattering gradients takes as many.

Source of the costs: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of Collective Communication Operations in
MPICH", 2005.
"""

import argparse
import math
from typing import NamedTuple

from benchmarks import table

PROCESSES = (1, 2, 8, 64, 512, 4096, 10_000)
BUCKETS_OF = 25 * 2**20  # bytes


class Link(NamedTuple):
    """A connection: what a message costs at least in seconds, and bytes in a second."""

    name: str
    latency: float
    bandwidth: float


class Network(NamedTuple):
    """A network: its parameters' bytes, and the seconds of a step's passes on one process."""

    name: str
    size: int
    forward: float
    backward: float


LINKS = (
    Link("one machine, shared memory", 2.5e-6, 1.2e9),
    Link("Ethernet of 10 Gbit/s", 3e-5, 1.1e9),
    Link("InfiniBand of 100 Gbit/s", 2e-6, 1.1e10),
)
NETWORKS = (
    Network("perceptron 1000-100-10", 404_440, 2e-5, 4e-5),
    Network("small transformer, 25 million parameters", 100_000_000, 0.15, 0.3),
    Network("1 billion parameters", 4_000_000_000, 6.0, 12.0),
)


def ring(link: Link, size: float, processes: int) -> float:
    """The seconds of a sum by a ring."""
    return 2 * (processes - 1) * (link.latency + size / processes / link.bandwidth)


def tree(link: Link, size: float, processes: int) -> float:
    """The seconds of a sum by a tree."""
    return 2 * math.ceil(math.log2(processes)) * (link.latency + size / link.bandwidth) if processes > 1 else 0.0


def all_reduce(link: Link, size: float, processes: int) -> float:
    """The seconds of a sum, the better way."""
    return min(ring(link, size, processes), tree(link, size, processes))


def gather(link: Link, size: float, processes: int) -> float:
    """The seconds of a gathering of shards, or of a scattering."""
    return (processes - 1) * (link.latency + size / processes / link.bandwidth)


def buckets_of(network: Network) -> list[float]:
    """The bytes of a network's buckets."""
    count = max(1, math.ceil(network.size / BUCKETS_OF))
    return [network.size / count] * count


def replicated(network: Network, link: Link, processes: int, overlap: bool = True) -> float:
    """The seconds of a step of `DistributedDataParallel`."""
    buckets = buckets_of(network)
    free = network.forward  # when the link has sent what it has
    for number, size in enumerate(buckets, 1):
        ready = network.forward + network.backward * (number / len(buckets) if overlap else 1)
        free = max(free, ready) + all_reduce(link, size, processes)
    return max(free, network.forward + network.backward)


def sharded(network: Network, link: Link, processes: int) -> float:
    """The seconds of a step of `fully_shard`: parameters gathered where they are used, gradients scattered."""
    buckets = buckets_of(network)
    now = 0.0
    for size in buckets:
        now += gather(link, size, processes) + network.forward / len(buckets)
    for size in buckets:
        now += 2 * gather(link, size, processes) + network.backward / len(buckets)
    return now


def memory(network: Network, processes: int, shards: bool) -> float:
    """The bytes on each process of parameters, gradients and Adam's moments; of shards, one bucket is whole."""
    return 4 * network.size / processes + 2 * buckets_of(network)[0] if shards else 4 * network.size


def percent(network: Network, seconds: float) -> str:
    """The share of a step that is computation."""
    return f"{(network.forward + network.backward) / seconds:.0%}"


def table_of(network: Network) -> str:
    """The share of computation in a step by processes and links, and what each process holds."""
    heads = ["processes"]
    for link in LINKS:
        heads += [f"{link.name}: replicas", "without overlap", "shards"]
    heads += ["GB each, replicas", "GB each, shards"]
    rows = []
    for processes in PROCESSES:
        row = [f"{processes:,}"]
        for link in LINKS:
            row.append(percent(network, replicated(network, link, processes)))
            row.append(percent(network, replicated(network, link, processes, overlap=False)))
            row.append(percent(network, sharded(network, link, processes)))
        row += [f"{memory(network, processes, shards) / 1e9:.3g}" for shards in (False, True)]
        rows.append(row)
    return table.markdown(heads, rows)


def main() -> None:
    """Prints a table for each network."""
    argparse.ArgumentParser("benchmarks.scaling", description=__doc__).parse_args()
    for network in NETWORKS:
        print(f"\n{network.name}: {network.size / 1e6:,.1f} MB, {network.forward + network.backward:g} s a step\n")
        print(table_of(network))


if __name__ == "__main__":
    main()

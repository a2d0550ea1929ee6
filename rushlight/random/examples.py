"""Random numbers inside `vmap`: none, the same ones or different ones for the examples."""

import functools

import numpy as np

from rushlight.core.batched import ENTERED, Batched, grown, levels_of
from rushlight.core.batching import spread
from rushlight.core.modes import Setting

REFUSED = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)
SAME = "Vmap does not currently support same randomness with a batched tensor input: use randomness='different'."


def entered_levels():
    """The levels entered here that have different random numbers. RuntimeError where none are allowed."""
    levels = ENTERED.get()
    if any(level.randomness == "error" for level in levels):
        raise RuntimeError(REFUSED)
    return tuple([level for level in levels if level.randomness == "different"])


def outside(draw, *args, **kwargs):
    """Calls a function that draws as if outside of `vmap`."""
    with Setting(ENTERED, ()):
        return draw(*args, **kwargs)


def for_examples(draw):
    """A function of (generator, shape, ...) that draws; inside `vmap`, for all examples."""

    @functools.wraps(draw)
    def drawn(generator, shape, *args, **kwargs):
        if not ENTERED.get():
            return draw(generator, shape, *args, **kwargs)
        levels = entered_levels()
        sizes = tuple([level.size for level in levels])
        array = outside(draw, generator, (*sizes, *shape), *args, **kwargs)
        return Batched(array, levels) if levels else array

    return drawn


def permutations(draw):
    """The same for a function of (generator, n, ...) that draws a permutation."""

    @functools.wraps(draw)
    def drawn(generator, n, *args, **kwargs):
        levels = entered_levels() if ENTERED.get() else ()
        if not levels:
            return draw(generator, n, *args, **kwargs)
        sizes = tuple([level.size for level in levels])
        rows = [outside(draw, generator, n, *args, **kwargs) for _ in range(int(np.prod(sizes)))]
        return Batched(np.stack(rows).reshape(*sizes, n), levels)

    return drawn


def drawing(op, args, levels):
    """The batching rule of operators that draw numbers by the values of their arguments."""
    entered_levels()
    if any(level.randomness == "same" for level in ENTERED.get() if level in levels_of(*args)):
        raise RuntimeError(SAME)
    ndim = max(arg.ndim for arg in args if isinstance(arg, (Batched, np.ndarray)))
    n = len(levels)
    lifted = [grown(spread(arg, levels), n, ndim) if isinstance(arg, (Batched, np.ndarray)) else arg for arg in args]
    return outside(op.forward, *lifted)

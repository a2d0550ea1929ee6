"""Random numbers inside `vmap`, by its `randomness`: an error, the same, or different numbers for the examples."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from rushlight.core.aliases import Array
from rushlight.core.arrays import is_array
from rushlight.core.batched import ENTERED, Batched, Level, grown, levels_of, spread
from rushlight.core.interpreters import STACK, noted
from rushlight.core.modes import Setting

REFUSED = (
    "vmap: called random operation while in randomness error mode. Please either use the 'same' or 'different' "
    "randomness flags on vmap or perform the randomness operation out of vmap"
)
SAME = "Vmap does not currently support same randomness with a batched tensor input: use randomness='different'."
SHARED = (
    "vmap: Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. "
    "Overwrite a tensor that each example has for itself, such as torch.empty_like(x) of a batched x."
)


def levels_to_draw_on(*arrays: Array) -> tuple[Level, ...]:
    """The `vmap` levels that get numbers of their own: those with different randomness, and those of batched arrays.

    RuntimeError for randomness "error", and if examples differ but have to get the same numbers.
    """
    entered, held = ENTERED.get(), levels_of(*arrays)
    if not entered:
        return held
    if any(level.randomness == "error" for level in entered):
        raise RuntimeError(REFUSED)
    if any(level.randomness == "same" for level in entered if level in held):
        raise RuntimeError(SAME)
    different = [level for level in entered if level.randomness == "different"]
    return tuple(sorted({*held, *different}, key=lambda level: level.number))


def check_overwritten(array: Array) -> None:
    """Raises RuntimeError if an array that is not batched would get different numbers for each example."""
    if not ENTERED.get():
        return
    held = levels_of(array)
    if any(level not in held for level in levels_to_draw_on()):
        raise RuntimeError(SHARED)


def outside(draw: Any, *args: Any, **kwargs: Any) -> Any:
    """Calls a function that draws random numbers, as if outside of `vmap`."""
    with Setting(ENTERED, ()):
        return draw(*args, **kwargs)


def draw_with(
    draw: Callable[..., Any], generator: Any, shape: Sequence[int] | int, args: Sequence[Any], kwargs: dict[str, Any]
) -> Array:
    """Calls a function that draws."""
    return draw(generator, shape, *args, **kwargs)


drawn_once: Callable[..., Any] = noted(draw_with, draws=True)


def for_examples(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a function of (generator, shape, ...) that draws also work inside `vmap`, for all examples.

    Arrays among its arguments are broadcast to the shape.
    """

    @functools.wraps(draw)
    def drawn(generator: Any, shape: Sequence[int], *args: Any, **kwargs: Any) -> Array:
        levels = levels_to_draw_on(*args) if ENTERED.get() else levels_of(*args)
        if not levels:
            if STACK.depth:
                return drawn_once(draw, generator, shape, args, kwargs)
            return draw(generator, shape, *args, **kwargs)
        n, sizes = len(levels), tuple([level.size for level in levels])
        wide = [grown(spread(arg, levels), n, len(shape)) if is_array(arg) else arg for arg in args]
        return Batched(outside(draw, generator, (*sizes, *shape), *wide, **kwargs), levels)

    return drawn


def permutations(draw: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a function of (generator, n, ...) that draws a permutation: one for each example."""

    @functools.wraps(draw)
    def drawn(generator: Any, n: int, *args: Any, **kwargs: Any) -> Array:
        levels = levels_to_draw_on() if ENTERED.get() else ()
        if not levels:
            return drawn_once(draw, generator, n, args, kwargs)
        sizes = [level.size for level in reversed(levels)]  # in the order in which the stream is used
        rows = [outside(draw, generator, n, *args, **kwargs) for _ in range(int(np.prod(sizes)))]
        last = len(levels)
        return Batched(np.stack(rows).reshape(*sizes, n).transpose(*reversed(range(last)), last), levels)

    return drawn

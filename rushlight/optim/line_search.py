"""A line search for the strong Wolfe conditions, by cubic interpolation.

Source: J. Nocedal, S. Wright, "Numerical optimization", 2006, algorithms 3.5 and 3.6, as arranged by M.
Schmidt in minFunc, 2005.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass
class Point:
    """A step size, and the loss, gradient and slope there."""

    size: float
    loss: float
    grad: np.ndarray
    slope: float


def cubic_minimum(a: Point, b: Point, bounds: tuple[float, float] | None = None) -> float:
    """The position of the minimum, within bounds, of the cubic through two points with their slopes.

    If the cubic has no minimum, the middle of the bounds.
    """
    low, high = bounds or (min(a.size, b.size), max(a.size, b.size))
    if a.size == b.size:  # the learning rate is 0
        return (low + high) / 2
    d1 = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.size - b.size)
    square = d1**2 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2
    d2 = square**0.5
    if a.size <= b.size:
        position = b.size - (b.size - a.size) * ((b.slope + d2 - d1) / (b.slope - a.slope + 2 * d2))
    else:
        position = a.size - (a.size - b.size) * ((a.slope + d2 - d1) / (a.slope - b.slope + 2 * d2))
    return float(min(max(position, low), high))


class LineSearch:
    """A line search along a direction, from a point where the slope is negative."""

    evaluations: int
    iterations: int

    c1: Any
    c2: Any

    done: bool

    def __init__(self, evaluate: Any, direction: Any, start: Any, c1: Any, c2: Any, tolerance: Any, limit: Any):
        self.evaluate = evaluate
        self.direction = direction
        self.start = start
        self.c1, self.c2 = c1, c2
        self.tolerance = tolerance
        self.limit = limit
        self.iterations = 0
        self.evaluations = 0
        self.done = False

    def at(self, size: float) -> Point:
        """The point at a step size."""
        loss, grad = self.evaluate(size)
        self.evaluations += 1
        return Point(size, loss, grad, grad.dot(self.direction))

    def too_high(self, point: Point) -> bool:
        """Whether the loss has not decreased enough."""
        return point.loss > self.start.loss + self.c1 * point.size * self.start.slope

    def flat(self, point: Point) -> bool:
        """Whether the slope is small enough."""
        return abs(point.slope) <= -self.c2 * self.start.slope

    def bracket(self, size: float) -> list[Point]:
        """Two points with a good one between them; or a single good one."""
        before, point = self.start, self.at(size)
        while self.iterations < self.limit:
            if self.too_high(point) or (self.iterations > 1 and point.loss >= before.loss):
                return [before, point]
            if self.flat(point):
                self.done = True
                return [point]
            if point.slope >= 0:
                return [before, point]
            bounds = (point.size + 0.01 * (point.size - before.size), point.size * 10)
            before, point = point, self.at(cubic_minimum(before, point, bounds))
            self.iterations += 1
        return [self.start, point]

    def zoom(self, points: list[Point]) -> Point:
        """Narrows a bracket until a good point is found."""
        stuck = False
        scale = np.abs(self.direction).max()
        points.sort(key=lambda point: point.loss)
        while not self.done and self.iterations < self.limit:
            low, high = points
            if abs(high.size - low.size) * scale < self.tolerance:
                break
            size, stuck = self.between(low, high, stuck)
            point = self.at(size)
            self.iterations += 1
            if self.too_high(point) or point.loss >= low.loss:
                points = sorted([low, point], key=lambda point: point.loss)
                continue
            if self.flat(point):
                self.done = True
            elif point.slope * (high.size - low.size) >= 0:
                high = low
            points = [point, high]
        return points[0]

    def between(self, low: Point, high: Point, stuck: bool) -> tuple[float, bool]:
        """The next step size to try, well inside the bracket, and whether the last two were close to its ends."""
        size = cubic_minimum(low, high)
        left, right = sorted([low.size, high.size])
        margin = 0.1 * (right - left)
        if min(right - size, size - left) >= margin:
            return size, False
        if stuck or size >= right or size <= left:
            return (right - margin if abs(size - right) < abs(size - left) else left + margin), False
        return size, True


def strong_wolfe(
    evaluate: Callable[..., Any],
    size: float,
    direction: np.ndarray,
    loss: float,
    grad: np.ndarray,
    slope: float,
    c1: float = 1e-4,
    c2: float = 0.9,
    tolerance_change: float = 1e-9,
    max_ls: int = 25,
) -> tuple[float, np.ndarray, float, int]:
    """Finds a step size that satisfies the strong Wolfe conditions: enough decrease of the loss, and a small slope.

    `evaluate` returns the loss and the gradient at a step size. Returns the loss and gradient there, the step size, and
    the number of evaluations.
    """
    start = Point(0, loss, grad, slope)
    search = LineSearch(evaluate, direction, start, c1, c2, tolerance_change, max_ls)
    best = search.zoom(search.bracket(size))
    return best.loss, best.grad, best.size, search.evaluations

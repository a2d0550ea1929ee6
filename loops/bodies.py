"""The text of loops: what one computes for an element, and the function that calls one by its number."""

from collections import Counter
from collections.abc import Hashable, Sequence

TEXTS = {
    "add": "({} + {})",
    "subtract": "({} - {})",
    "multiply": "({} * {})",
    "divide": "({} / {})",
    "negative": "negated({})",
    "positive": "{}",
    "reciprocal": "(<real>1 / {})",
    "square": "({0} * {0})",
    "sqrt": "root({})",
    "absolute": "magnitude({})",
    "exp": "exponential_of({})",
    "sign": "sign_of({})",
    "trunc": "truncated({})",
    "rint": "rounded({})",
    "copysign": "with_sign({}, {})",
    "maximum": "larger({}, {})",
    "minimum": "smaller({}, {})",
    "greater": "({} > {})",
    "greater_equal": "({} >= {})",
    "less": "({} < {})",
    "less_equal": "({} <= {})",
    "equal": "({} == {})",
    "not_equal": "({} != {})",
    "isnan": "({0} != {0})",
    "logical_and": "({} & {})",
    "logical_or": "({} | {})",
    "logical_xor": "({} != {})",
    "logical_not": "({} == 0)",
    "bitwise_and": "({} & {})",
    "bitwise_or": "({} | {})",
    "bitwise_xor": "({} != {})",
    "invert": "({} == 0)",
    "where": "({1} if {0} else {2})",
}
TRUTHS = set("greater greater_equal less less_equal equal not_equal isnan".split())
TRUTHS |= set("logical_and logical_or logical_xor logical_not bitwise_and bitwise_or bitwise_xor invert".split())
Place = Hashable


def body(
    steps: Sequence[tuple[Place, str, Sequence[Place]]], texts: dict[Place, str], results: dict[str, Place]
) -> tuple[list[str], list[str]]:
    """The statements that compute results, and the variables that they assign; `v` are values that are used again.

    A step is the place of its value, the name of NumPy's function, and the places of its operands. `texts` has what
    stands for the operands of the whole, and gets what stands for the values of steps.
    """
    uses = Counter([place for _, _, given in steps for place in given] + list(results.values()))
    statements, variables = [], []
    for i, (place, name, given) in enumerate(steps):
        texts[place] = TEXTS[name].format(*[texts[operand] for operand in given])
        if uses[place] > 1 and name not in TRUTHS:
            variables.append(f"v{i}")
            statements.append(f"v{i} = {texts[place]}")
            texts[place] = f"v{i}"
    return statements + [f"{target} = {texts[place]}" for target, place in results.items()], variables


def chooser(declaration: str, calls: list[str]) -> str:
    """A function that makes one of several calls, which its argument `which` names."""
    return f"\ncdef void {declaration} noexcept nogil:\n" + "".join(
        [f"    {'elif' if i else 'if'} which == {i}:\n        {call}\n" for i, call in enumerate(calls)]
    )

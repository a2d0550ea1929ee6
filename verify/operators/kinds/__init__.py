"""The kinds of checks: each has a title, cases of an operator, a function that runs a case, and perhaps a judge."""

from verify.operators.kinds import (
    batching,
    bfloat16,
    dtypes,
    forward,
    forward_over_reverse,
    gradients,
    inplace,
    layout,
    out,
    second,
    strided,
    third,
    turned,
    turned_inplace,
    values,
)

KINDS = {
    "values": values,
    "dtypes": dtypes,
    "layout": layout,
    "strided": strided,
    "in-place": inplace,
    "turned": turned,
    "turned-in-place": turned_inplace,
    "out": out,
    "gradients": gradients,
    "bfloat16": bfloat16,
    "second": second,
    "third": third,
    "forward": forward,
    "forward-over-reverse": forward_over_reverse,
    "batching": batching,
}

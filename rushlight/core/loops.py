"""NumPy's inner loops called without the ufunc around them, which costs more than the work on a small array.

This is the plain twin: where the core is compiled, `loops.pxd` takes its place and calls the loop itself.
"""


def loop_number(ufunc, kind):
    """The number of a ufunc's loop that takes and gives only the type of this character; -1 where there is none."""
    nin = getattr(ufunc, "nin", 0)
    wanted = kind * nin + "->" + kind
    return ufunc.types.index(wanted) if nin and wanted in ufunc.types else -1


def run_one(ufunc, loop, x):
    """`ufunc(x)`."""
    return ufunc(x)


def run_pair(ufunc, loop, x, y):
    """`ufunc(x, y)`."""
    return ufunc(x, y)

# What the compiled core calls of loops.pyx.

cpdef run_one(object ufunc, int loop, object x)
cpdef run_pair(object ufunc, int loop, object x, object y)

# cython: boundscheck=False, wraparound=False, cdivision=True
"""Elements of rows by their rank: the first few, that of one rank, the most frequent; and places in a sorted sequence."""

cimport numpy as cnp
from libc.stdlib cimport free, malloc

from rushlight.kernels.compiled.arrays cimport Division, divided, float_type, number_type
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.moves cimport contiguous
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.steps cimport zeros

cnp.import_array()

cdef enum:
    MOST = 32  # the largest k
    AT_ONCE = 32  # elements that are compared with the last of the first k together
    RUN = 256  # columns that are compared side by side
    GRAIN = 1 << 14  # elements of one thread's part

ctypedef fused number:
    float
    double
    cnp.npy_int64


cdef struct Job:
    const void* rows
    void* values
    cnp.npy_int64* places
    Py_ssize_t n, k  # elements of a row, and how many are found or, for extremes, columns
    bint largest, single


cdef inline bint comes_first(real x, real y, bint largest) noexcept nogil:
    """Whether x is before y; NaN counts as the largest."""
    if largest:
        return (x > y) | (x != x) & (y == y)
    return (x < y) | (x == x) & (y != y)


cdef inline Py_ssize_t keep(real x, Py_ssize_t place, Py_ssize_t found, Py_ssize_t k, bint largest, real* values,
                            cnp.npy_int64* places) noexcept nogil:
    """Puts an element among those found so far, up to k, if it belongs there; how many they are then."""
    cdef Py_ssize_t j
    if found == k:
        if not comes_first(x, values[k - 1], largest):
            return found
    else:
        found += 1
    j = found - 1
    while j > 0 and comes_first(x, values[j - 1], largest):
        values[j], places[j] = values[j - 1], places[j - 1]
        j -= 1
    values[j], places[j] = x, place
    return found


cdef wide rank_row(const real* x, Py_ssize_t n, Py_ssize_t k, bint largest, real* values,
                   cnp.npy_int64* places) noexcept nogil:
    """Scans a row once, keeping the first k in order."""
    cdef Py_ssize_t i = 0, j, found = 0
    cdef int any_first
    cdef real last
    while i < n and found < k:
        found = keep(x[i], i, found, k, largest, values, places)
        i += 1
    while i + AT_ONCE <= n:
        last, any_first = values[k - 1], 0
        if largest:
            for j in range(AT_ONCE):
                any_first |= comes_first(x[i + j], last, True)
        else:
            for j in range(AT_ONCE):
                any_first |= comes_first(x[i + j], last, False)
        if any_first:
            for j in range(i, i + AT_ONCE):
                keep(x[j], j, k, k, largest, values, places)
        i += AT_ONCE
    for j in range(i, n):
        keep(x[j], j, k, k, largest, values, places)


cdef void rank_rows(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Ranks some rows."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t r
    for r in range(start, stop):
        if job.single:
            rank_row(<const float*>job.rows + r * job.n, job.n, job.k, job.largest, <float*>job.values + r * job.k,
                     job.places + r * job.k)
        else:
            rank_row(<const double*>job.rows + r * job.n, job.n, job.k, job.largest, <double*>job.values + r * job.k,
                     job.places + r * job.k)


def first(rows, Py_ssize_t k, bint largest):
    """The values and indices of the first k of each row along the last dimension, where k is small.

    None for inputs that the kernel does not take.
    """
    cdef Job job
    cdef cnp.npy_intp[64] shape
    cdef int d, kind = float_type(rows)
    cdef cnp.ndarray source, values, places
    if kind == 0 or (<cnp.ndarray>rows).ndim == 0 or not 0 < k <= MOST:
        return None
    source = contiguous(rows)
    for d in range(source.ndim):
        shape[d] = source.shape[d]
    shape[source.ndim - 1] = k
    values = cnp.PyArray_EMPTY(source.ndim, shape, kind, 0)
    places = cnp.PyArray_EMPTY(source.ndim, shape, cnp.NPY_INT64, 0)
    job.n, job.k, job.largest, job.single = source.shape[source.ndim - 1], k, largest, kind == cnp.NPY_FLOAT
    if k > job.n:
        return None
    job.rows, job.values = cnp.PyArray_DATA(source), cnp.PyArray_DATA(values)
    job.places = <cnp.npy_int64*>cnp.PyArray_DATA(places)
    shared(rank_rows, &job, cnp.PyArray_SIZE(source) // job.n, max(1, GRAIN // job.n))
    return values, places


# the first of the largest or smallest

cdef wide extremes(const real* x, cnp.npy_int64* places, Py_ssize_t rows, Py_ssize_t n, real sign) noexcept nogil:
    """The index of the first largest element of rows times a sign, or of the first NaN: of some rows at the same time."""
    cdef Py_ssize_t start, i, k, count
    cdef real[AT_ONCE] best
    cdef int[AT_ONCE] place
    cdef real one
    cdef bint better
    for start from 0 <= start < rows by AT_ONCE:
        count = min(rows - start, AT_ONCE)
        for k in range(count):
            best[k], place[k] = sign * x[(start + k) * n], 0
        for i in range(1, n):
            for k in range(count):
                one = sign * x[(start + k) * n + i]
                better = (one > best[k]) | (one != one) & (best[k] == best[k])
                best[k], place[k] = one if better else best[k], <int>i if better else place[k]
        for k in range(count):
            places[start + k] = place[k]


cdef wide extremes_of_columns(const real* x, cnp.npy_int64* places, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width,
                              real sign) noexcept nogil:
    """The index of the first largest element of columns times a sign, or of the first NaN."""
    cdef real[RUN] best
    cdef cnp.npy_int32[RUN] place
    cdef Py_ssize_t i, k
    cdef real one
    cdef bint better
    for k in range(width):
        best[k], place[k] = sign * x[k], 0
    for i in range(1, n):
        x += step
        for k in range(width):
            one = sign * x[k]
            better = (one > best[k]) | (one != one) & (best[k] == best[k])
            best[k] = one if better else best[k]
            place[k] = <cnp.npy_int32>i if better else place[k]
    for k in range(width):
        places[k] = place[k]


cdef void find_part(const Job* job, const real* x, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Finds the extremes of some rows, or of some runs of columns, counted through all matrices."""
    cdef Py_ssize_t runs = (job.k + RUN - 1) // RUN, i, matrix, column
    cdef real sign = 1 if job.largest else -1
    if job.k == 1:
        extremes(x + start * job.n, job.places + start, stop - start, job.n, sign)
        return
    for i in range(start, stop):
        matrix, column = i // runs, i % runs * RUN
        extremes_of_columns(x + matrix * job.n * job.k + column, job.places + matrix * job.k + column, job.n, job.k,
                            min(<Py_ssize_t>RUN, job.k - column), sign)


cdef void find_extremes(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Finds some extremes by the dtype of a job."""
    cdef const Job* job = <const Job*>given
    if job.single:
        find_part(job, <const float*>job.rows, start, stop)
    else:
        find_part(job, <const double*>job.rows, start, stop)


def extreme(array, int dim, bint largest):
    """The index of the first largest, or smallest, element along a dimension; NaN is either.

    The array is contiguous, or the transpose of a contiguous matrix, and short along its last dimension; None for
    others.
    """
    cdef Job job
    cdef Division parts
    cdef int kind = float_type(array)
    cdef cnp.ndarray source = None if kind == 0 else array, places
    if kind == 0 or not 0 <= dim < source.ndim <= 64:
        return None
    if source.ndim == 2 and not cnp.PyArray_IS_C_CONTIGUOUS(source):
        source, dim = source.T, 1 - dim
    parts = divided(source, dim, dim)
    if not cnp.PyArray_IS_C_CONTIGUOUS(source) or (parts.columns == 1 and parts.size > MOST) \
            or parts.size >> 31:
        return None
    places = cnp.PyArray_EMPTY(source.ndim - 1, parts.shape, cnp.NPY_INT64, 0)
    job.n, job.k, job.largest, job.single = parts.size, parts.columns, largest, kind == cnp.NPY_FLOAT
    job.rows, job.places = cnp.PyArray_DATA(source), <cnp.npy_int64*>cnp.PyArray_DATA(places)
    shared(find_extremes, &job, parts.outer * ((job.k + RUN - 1) // RUN), max(1, GRAIN // (job.n * min(job.k, <Py_ssize_t>RUN))))
    return places


# the element of one rank

cdef struct Selection:
    const void* rows
    cnp.npy_int64* places
    Py_ssize_t n, rank  # a negative rank stands for the middle
    bint numbers_only, single


cdef inline void exchange(real* x, cnp.npy_int64* order, Py_ssize_t i, Py_ssize_t j) noexcept nogil:
    """Exchanges two elements with their indices."""
    x[i], x[j] = x[j], x[i]
    order[i], order[j] = order[j], order[i]


cdef void select(real* x, cnp.npy_int64* order, Py_ssize_t low, Py_ssize_t high, Py_ssize_t rank) noexcept nogil:
    """Partitions the numbers from `low` to `high` until that of a rank is in its place (Hoare's quickselect)."""
    cdef Py_ssize_t i, j, middle
    cdef real pivot
    while high > low:
        middle = low + ((high - low) >> 1)
        if x[middle] < x[low]:
            exchange(x, order, middle, low)
        if x[high] < x[low]:
            exchange(x, order, high, low)
        if x[high] < x[middle]:
            exchange(x, order, high, middle)
        if high - low < 3:
            return
        pivot = x[middle]
        i, j = low, high
        while i <= j:
            while x[i] < pivot:
                i += 1
            while pivot < x[j]:
                j -= 1
            if i <= j:
                exchange(x, order, i, j)
                i += 1
                j -= 1
        if rank <= j:
            high = j
        elif rank >= i:
            low = i
        else:
            return


cdef Py_ssize_t place_of(const real* row, const Selection* job, real* x, cnp.npy_int64* order) noexcept nogil:
    """The index of a row's element of the wanted rank, NaN being the largest; of the middle, that of its first NaN."""
    cdef Py_ssize_t i, numbers = 0, first = -1, rank = job.rank
    for i in range(job.n):
        if row[i] == row[i]:
            x[numbers], order[numbers] = row[i], i
            numbers += 1
        elif first < 0:
            first = i
    if rank < 0:
        if first >= 0 and (numbers == 0 or not job.numbers_only):
            return first
        rank = (numbers - 1) // 2
    if rank < numbers:
        select(x, order, 0, numbers - 1, rank)
        return order[rank]
    for i in range(job.n):
        if row[i] != row[i]:
            if numbers == rank:
                return i
            numbers += 1
    return 0


cdef void select_in_rows(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Selects in some rows."""
    cdef const Selection* job = <const Selection*>given
    cdef Py_ssize_t r
    cdef cnp.npy_int64* order = <cnp.npy_int64*>malloc(job.n * (sizeof(cnp.npy_int64) + sizeof(double)))
    for r in range(start, stop):
        if order == NULL:
            job.places[r] = -1
        elif job.single:
            job.places[r] = place_of(<const float*>job.rows + r * job.n, job, <float*>(order + job.n), order)
        else:
            job.places[r] = place_of(<const double*>job.rows + r * job.n, job, <double*>(order + job.n), order)
    free(order)


def place_in_rows(rows, Py_ssize_t rank, bint numbers_only):
    """The index of the element of a rank in each row along the last dimension; None for arrays that are not taken.

    NaN counts as the largest. A negative rank stands for the lower of the middle ones: the first NaN, if a row has any,
    or the middle of the numbers alone.
    """
    cdef Selection job
    cdef int kind = float_type(rows)
    if kind == 0 or (<cnp.ndarray>rows).ndim == 0:
        return None
    cdef cnp.ndarray source = contiguous(rows)
    job.n, job.rank, job.numbers_only = source.shape[source.ndim - 1], rank, numbers_only
    if rank >= job.n:
        return None
    cdef cnp.ndarray places = cnp.PyArray_EMPTY(source.ndim - 1, source.shape, cnp.NPY_INT64, 0)
    job.single = kind == cnp.NPY_FLOAT
    job.rows, job.places = cnp.PyArray_DATA(source), <cnp.npy_int64*>cnp.PyArray_DATA(places)
    shared(select_in_rows, &job, cnp.PyArray_SIZE(places), max(1, GRAIN // (8 * job.n)))
    if cnp.PyArray_SIZE(places) and job.places[0] < 0:
        raise MemoryError
    return places


# the most frequent element

cdef struct Runs:
    const void* rows
    const cnp.npy_int64* order
    cnp.npy_int64* places
    Py_ssize_t n
    bint single


cdef Py_ssize_t longest_run(const real* row, const cnp.npy_int64* order, Py_ssize_t n) noexcept nogil:
    """The last index of the first of the longest runs of equal elements in order."""
    cdef Py_ssize_t i = 0, start, last, longest = 0, found = 0
    while i < n:
        start, last = i, order[i]
        i += 1
        while i < n and row[order[i]] == row[order[start]]:
            last = max(last, order[i])
            i += 1
        if i - start > longest:
            longest, found = i - start, last
    return found


cdef void look_for_runs(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Looks for the longest run of some rows."""
    cdef const Runs* job = <const Runs*>given
    cdef Py_ssize_t r
    for r in range(start, stop):
        if job.single:
            job.places[r] = longest_run(<const float*>job.rows + r * job.n, job.order + r * job.n, job.n)
        else:
            job.places[r] = longest_run(<const double*>job.rows + r * job.n, job.order + r * job.n, job.n)


def most_frequent(rows, order):
    """The index of the most frequent element of each row, of which the order is known; of several such, the smallest.

    It is the last of the element's indices. None for arrays that are not taken.
    """
    cdef Runs job
    cdef int kind = float_type(rows)
    if kind == 0 or (<cnp.ndarray>rows).ndim == 0 or not cnp.PyArray_CheckExact(order) \
            or cnp.PyArray_TYPE(order) != cnp.NPY_INT64 or not cnp.PyArray_SAMESHAPE(rows, order):
        return None
    cdef cnp.ndarray source = contiguous(rows), sorting = contiguous(order)
    cdef cnp.ndarray places = cnp.PyArray_EMPTY(source.ndim - 1, source.shape, cnp.NPY_INT64, 0)
    job.n, job.single = source.shape[source.ndim - 1], kind == cnp.NPY_FLOAT
    job.rows, job.order = cnp.PyArray_DATA(source), <const cnp.npy_int64*>cnp.PyArray_DATA(sorting)
    job.places = <cnp.npy_int64*>cnp.PyArray_DATA(places)
    shared(look_for_runs, &job, cnp.PyArray_SIZE(places), max(1, GRAIN // job.n))
    return places


# places in a sorted sequence

cdef enum:
    SIDE_BY_SIDE = 8  # values that are looked up at a time

cdef struct Search:
    const void* sequence
    const void* values
    cnp.npy_int64* places
    Py_ssize_t n
    bint right, single


cdef void look_up(const real* sequence, Py_ssize_t n, const real* values, cnp.npy_int64* places, Py_ssize_t start,
                  Py_ssize_t stop, bint right) noexcept nogil:
    """Finds the places of some values by bisection: as many steps for each, side by side and without branches."""
    cdef Py_ssize_t first, i, count, left, half
    cdef cnp.npy_int64[SIDE_BY_SIDE] low
    cdef real[SIDE_BY_SIDE] value
    cdef real element
    for first from start <= first < stop by SIDE_BY_SIDE:
        count = min(<Py_ssize_t>SIDE_BY_SIDE, stop - first)
        for i in range(SIDE_BY_SIDE):
            low[i], value[i] = 0, values[first + (i if i < count else 0)]
        left = n
        while left > 1:
            half = left >> 1
            for i in range(SIDE_BY_SIDE):
                element = sequence[low[i] + half - 1]
                low[i] += half if (not (element > value[i]) if right else not (element >= value[i])) else 0
            left -= half
        for i in range(count):
            element = sequence[low[i]] if n else 0
            places[first + i] = low[i] + (n > 0 and (not (element > value[i]) if right else not (element >= value[i])))


cdef void search_part(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Finds the places of some values."""
    cdef const Search* job = <const Search*>given
    if job.single:
        look_up(<const float*>job.sequence, job.n, <const float*>job.values, job.places, start, stop, job.right)
    else:
        look_up(<const double*>job.sequence, job.n, <const double*>job.values, job.places, start, stop, job.right)


def places_in(sequence, values, bint right):
    """Where in a sorted sequence to insert values, before equal elements or after them (`right`).

    None for arrays that are not taken.
    """
    cdef Search job
    cdef int kind = float_type(sequence)
    if kind == 0 or float_type(values) != kind or (<cnp.ndarray>sequence).ndim != 1:
        return None
    cdef cnp.ndarray inside = contiguous(sequence), wanted = contiguous(values)
    cdef cnp.ndarray places = cnp.PyArray_EMPTY(wanted.ndim, wanted.shape, cnp.NPY_INT64, 0)
    job.n, job.right, job.single = inside.shape[0], right, kind == cnp.NPY_FLOAT
    job.sequence, job.values = cnp.PyArray_DATA(inside), cnp.PyArray_DATA(wanted)
    job.places = <cnp.npy_int64*>cnp.PyArray_DATA(places)
    shared(search_part, &job, cnp.PyArray_SIZE(wanted), GRAIN // 8)
    return places


cdef wide compare(const number* x, number wanted, unsigned char* found, Py_ssize_t n) noexcept nogil:
    """Notes which elements are equal to one."""
    cdef Py_ssize_t i
    for i in range(n):
        found[i] |= x[i] == wanted


cdef void compare_all(
    const number* x, Py_ssize_t n, const number* wanted, Py_ssize_t count, unsigned char* found
) noexcept nogil:
    """Notes which elements are among some others."""
    cdef Py_ssize_t k
    for k in range(count):
        compare(x, wanted[k], found, n)


def among(elements, others):
    """Which elements of an array are among few others, which are compared one by one; None for what is not taken."""
    cdef int kind = number_type(elements)
    cdef cnp.ndarray x, wanted, found
    if kind == 0 or number_type(others) != kind:
        return None
    x, wanted = elements, others
    if not cnp.PyArray_IS_C_CONTIGUOUS(x) or not cnp.PyArray_IS_C_CONTIGUOUS(wanted):
        return None
    found = zeros(x.ndim, x.shape, cnp.NPY_BOOL)
    if kind == cnp.NPY_INT64:
        compare_all(<cnp.npy_int64*>cnp.PyArray_DATA(x), cnp.PyArray_SIZE(x), <cnp.npy_int64*>cnp.PyArray_DATA(wanted),
                    cnp.PyArray_SIZE(wanted), <unsigned char*>cnp.PyArray_DATA(found))
    elif kind == cnp.NPY_FLOAT:
        compare_all(<float*>cnp.PyArray_DATA(x), cnp.PyArray_SIZE(x), <float*>cnp.PyArray_DATA(wanted),
                    cnp.PyArray_SIZE(wanted), <unsigned char*>cnp.PyArray_DATA(found))
    else:
        compare_all(<double*>cnp.PyArray_DATA(x), cnp.PyArray_SIZE(x), <double*>cnp.PyArray_DATA(wanted),
                    cnp.PyArray_SIZE(wanted), <unsigned char*>cnp.PyArray_DATA(found))
    return found

# cython: boundscheck=False, wraparound=False, cdivision=True
"""Grid sampling of images, bilinear or nearest, and its adjoint: 64 points at a time, for all channels."""

cimport numpy as cnp
from libc.math cimport fabs, floor, fma, fmod, rint
from libc.string cimport memset

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.lanes cimport real
from rushlight.kernels.compiled.sharing cimport shared

cnp.import_array()

cdef enum:
    POINTS = 64  # points that are located at a time
    CORNERS = 4
    GRAIN = 1 << 14  # elements of one thread's part
    FARTHEST = 1 << 30  # pixels
    NOWHERE = -1  # the index of points outside the image
    NEAREST = 1
    ZEROS = 0
    REFLECTION = 2

cdef struct Job:
    const void* x
    const void* grid
    const void* grad  # NULL in the forward pass
    void* out  # the result, or the gradient of the image, or NULL
    void* out_grid  # the gradient of the grid, or NULL
    Py_ssize_t channels, height, width, points
    int mode, padding
    bint corners, single


cdef inline double reflected(double x, double size, bint corners, double* slope) noexcept nogil:
    """A coordinate reflected at the image's borders; the sign of its derivative is updated."""
    cdef double low = 0 if corners else -0.5, span = size - 1 if corners else size
    cdef double distance = fabs(x - low), rest
    if span == 0:
        slope[0] = 0
        return 0
    rest = fmod(distance, span)
    if x < low:
        slope[0] = -slope[0]
    if fmod(rint((distance - rest) / span), 2) == 1:
        slope[0] = -slope[0]
        return span - rest + low
    return rest + low


cdef inline double pixel(real along, Py_ssize_t size, const Job* job, double* slope) noexcept nogil:
    """A coordinate from -1 to 1 in pixels, padded according to the mode, and its derivative.

    It is rounded as PyTorch's, once before the product and once after the difference: the points of an identity grid
    lie on pixels, where the derivative has a jump.
    """
    cdef double last = size - 1, half = 0 if job.corners else 0.5, x
    cdef real far = along + 1
    slope[0] = last / 2 if job.corners else <double>size / 2
    if real is double:
        x = fma(far, slope[0], -half)
    else:
        x = <real>(far * slope[0] - half)  # the product is exact
    if job.padding == ZEROS:
        return x
    if job.padding == REFLECTION:
        x = reflected(x, size, job.corners, slope)
    if not (0 < x < last):
        slope[0] = 0
    return 0 if x < 0 else last if x > last else x


cdef inline Py_ssize_t place_of(double row, double column, const Job* job) noexcept nogil:
    """The index of a pixel; NOWHERE outside."""
    if not (0 <= row < job.height and 0 <= column < job.width):
        return NOWHERE
    return <Py_ssize_t>row * job.width + <Py_ssize_t>column


cdef void find(const real* grid, Py_ssize_t n, const Job* job, Py_ssize_t* places, real* down, real* across,
               real* slopes) noexcept nogil:
    """Locates the corners around n points, the offsets from the first corner, and the derivatives of the offsets."""
    cdef Py_ssize_t i
    cdef double x, y, left, top, slope_x, slope_y
    for i in range(n):
        x, y = pixel(grid[2 * i], job.width, job, &slope_x), pixel(grid[2 * i + 1], job.height, job, &slope_y)
        if job.mode == NEAREST:
            places[i] = place_of(rint(y), rint(x), job)
            continue
        left, top = floor(x), floor(y)
        across[i], down[i] = <real>(x - left), <real>(y - top)
        slopes[i], slopes[POINTS + i] = <real>slope_x, <real>slope_y
        places[i], places[POINTS + i] = place_of(top, left, job), place_of(top, left + 1, job)
        places[2 * POINTS + i], places[3 * POINTS + i] = place_of(top + 1, left, job), place_of(top + 1, left + 1, job)


cdef inline real at(const real* x, Py_ssize_t place) noexcept nogil:
    """An element, or zero outside."""
    return <real>0 if place == NOWHERE else x[place]


cdef void look(const real* x, real* out, Py_ssize_t n, const Job* job, const Py_ssize_t* places, const real* down,
               const real* across) noexcept nogil:
    """The values of a channel at n points."""
    cdef Py_ssize_t i
    cdef real upper, lower
    for i in range(n):
        if job.mode == NEAREST:
            out[i] = at(x, places[i])
        else:
            upper = at(x, places[i]) * (1 - across[i]) + at(x, places[POINTS + i]) * across[i]
            lower = at(x, places[2 * POINTS + i]) * (1 - across[i]) + at(x, places[3 * POINTS + i]) * across[i]
            out[i] = upper * (1 - down[i]) + lower * down[i]


cdef inline void put(real* out, Py_ssize_t place, real value) noexcept nogil:
    """Adds to an element; does nothing outside."""
    if place != NOWHERE:
        out[place] += value


cdef void put_back(real* out, const real* grad, Py_ssize_t n, const Job* job, const Py_ssize_t* places,
                   const real* down, const real* across) noexcept nogil:
    """The gradient of a channel from those of its values at n points."""
    cdef Py_ssize_t i
    for i in range(n):
        if job.mode == NEAREST:
            put(out, places[i], grad[i])
        else:
            put(out, places[i], grad[i] * (1 - down[i]) * (1 - across[i]))
            put(out, places[POINTS + i], grad[i] * (1 - down[i]) * across[i])
            put(out, places[2 * POINTS + i], grad[i] * down[i] * (1 - across[i]))
            put(out, places[3 * POINTS + i], grad[i] * down[i] * across[i])


cdef void move(const real* x, const real* grad, real* ways, Py_ssize_t n, const Py_ssize_t* places, const real* down,
               const real* across) noexcept nogil:
    """Adds a channel's contribution to the gradients of the offsets across and down."""
    cdef Py_ssize_t i
    cdef real a, b, c, d
    for i in range(n):
        a, b = at(x, places[i]), at(x, places[POINTS + i])
        c, d = at(x, places[2 * POINTS + i]), at(x, places[3 * POINTS + i])
        ways[i] += grad[i] * ((b - a) * (1 - down[i]) + (d - c) * down[i])
        ways[POINTS + i] += grad[i] * ((c - a) * (1 - across[i]) + (d - b) * across[i])


cdef void work(const Job* job, const real* x, Py_ssize_t sample, Py_ssize_t first, Py_ssize_t n) noexcept nogil:
    """Processes n points of a sample, in all channels."""
    cdef Py_ssize_t[CORNERS * POINTS] places
    cdef real[POINTS] down
    cdef real[POINTS] across
    cdef real[2 * POINTS] slopes
    cdef real[2 * POINTS] ways
    cdef Py_ssize_t channel, i, plane = job.height * job.width, row
    cdef real* moved
    find(<const real*>job.grid + 2 * (sample * job.points + first), n, job, places, down, across, slopes)
    memset(ways, 0, sizeof(ways))
    for channel in range(job.channels):
        row = sample * job.channels + channel
        if job.grad == NULL:
            look(x + row * plane, <real*>job.out + row * job.points + first, n, job, places, down, across)
            continue
        if job.out != NULL:
            put_back(<real*>job.out + row * plane, <const real*>job.grad + row * job.points + first, n, job, places,
                     down, across)
        if job.out_grid != NULL and job.mode != NEAREST:
            move(x + row * plane, <const real*>job.grad + row * job.points + first, ways, n, places, down, across)
    if job.out_grid != NULL and job.mode != NEAREST:
        moved = <real*>job.out_grid + 2 * (sample * job.points + first)
        for i in range(n):
            moved[2 * i], moved[2 * i + 1] = ways[i] * slopes[i], ways[POINTS + i] * slopes[POINTS + i]


cdef void sample_parts(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Processes some groups of points, counted through all samples."""
    cdef const Job* job = <const Job*>given
    cdef Py_ssize_t groups = (job.points + POINTS - 1) // POINTS, i, first, n
    for i in range(start, stop):
        first = i % groups * POINTS
        n = min(<Py_ssize_t>POINTS, job.points - first)
        if job.single:
            work(job, <const float*>job.x, i // groups, first, n)
        else:
            work(job, <const double*>job.x, i // groups, first, n)


cdef void sample_whole(const void* given, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Processes all points of some samples: they may add to the same pixels."""
    cdef Py_ssize_t groups = ((<const Job*>given).points + POINTS - 1) // POINTS
    sample_parts(given, start * groups, stop * groups)


cdef cnp.ndarray prepared(object x, int ndim, int kind):
    """An array of a type and number of dimensions, in C order; None for others."""
    if float_type(x) != kind or (<cnp.ndarray>x).ndim != ndim:
        return None
    return cnp.PyArray_GETCONTIGUOUS(x)


cdef bint settle(Job* job, cnp.ndarray x, cnp.ndarray grid, int mode, int padding, bint corners) noexcept:
    """Sets up a job; returns whether image and grid match."""
    if x is None or grid is None or grid.shape[0] != x.shape[0] or grid.shape[3] != 2 or not 0 <= mode <= NEAREST:
        return False
    job.x, job.grid, job.grad = cnp.PyArray_DATA(x), cnp.PyArray_DATA(grid), NULL
    job.channels, job.height, job.width, job.points = x.shape[1], x.shape[2], x.shape[3], grid.shape[1] * grid.shape[2]
    job.mode, job.padding, job.corners, job.single = mode, padding, corners, cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT
    return job.height * job.width < FARTHEST


def sampled(x, grid, int mode, int padding, bint corners):
    """The image (N, C, H, W) at the points of a grid (N, H', W', 2); None for inputs that the kernel does not take."""
    cdef int kind = float_type(x)
    cdef cnp.ndarray image = prepared(x, 4, kind), places = prepared(grid, 4, kind)
    cdef cnp.npy_intp[4] shape
    cdef Job job
    if kind == 0 or not settle(&job, image, places, mode, padding, corners):
        return None
    shape[0], shape[1], shape[2], shape[3] = image.shape[0], image.shape[1], places.shape[1], places.shape[2]
    out = cnp.PyArray_SimpleNew(4, shape, kind)
    job.out, job.out_grid = cnp.PyArray_DATA(out), NULL
    shared(sample_parts, &job, shape[0] * ((job.points + POINTS - 1) // POINTS),
           max(1, GRAIN // (POINTS * job.channels)))
    return out


def returned(grad, x, grid, int mode, int padding, bint corners, bint to_image, bint to_grid):
    """The gradients of image and grid, None for one that is not wanted; None for inputs that are not supported."""
    cdef int kind = float_type(x)
    cdef cnp.ndarray image = prepared(x, 4, kind), places = prepared(grid, 4, kind), arrived = prepared(grad, 4, kind)
    cdef Job job
    if kind == 0 or arrived is None or not settle(&job, image, places, mode, padding, corners):
        return None
    of_image = cnp.PyArray_ZEROS(4, image.shape, kind, 0) if to_image else None
    of_grid = cnp.PyArray_ZEROS(4, places.shape, kind, 0) if to_grid else None
    job.grad = cnp.PyArray_DATA(arrived)
    job.out = cnp.PyArray_DATA(of_image) if to_image else NULL
    job.out_grid = cnp.PyArray_DATA(of_grid) if to_grid else NULL
    shared(sample_whole, &job, image.shape[0], max(1, GRAIN // (job.points * job.channels)))
    return of_image, of_grid

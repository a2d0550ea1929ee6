# cython: boundscheck=False, wraparound=False, cdivision=True
"""Grid sampling of images, bilinear or nearest, and its adjoint: 64 points at a time, for all channels."""

cimport numpy as cnp
from libc.math cimport fabs, floor, floorf, fma, fmod, rint, rintf
from libc.string cimport memset

from rushlight.kernels.compiled.arrays cimport float_type
from rushlight.kernels.compiled.lanes cimport real, wide
from rushlight.kernels.compiled.sharing cimport shared
from rushlight.kernels.compiled.steps cimport zeros

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


cdef wide unfold(const real* grid, real* x, real* slopes, Py_ssize_t n, double slope, double half) noexcept nogil:
    """Every second number of a grid, a coordinate from -1 to 1, in pixels, and the derivatives.

    It is rounded as PyTorch's, once before the product and once after the difference: the points of an identity grid
    lie on pixels, where the derivative has a jump.
    """
    cdef Py_ssize_t i
    cdef real far
    for i in range(n):
        far = grid[2 * i] + <real>1
        x[i] = fma(far, slope, -half) if real is double else <real>(far * slope - half)  # the product of floats is exact
        slopes[i] = <real>slope


cdef wide bound(real* x, real* slopes, Py_ssize_t n, real last) noexcept nogil:
    """Moves coordinates into the image, where their derivatives are zero from the border on."""
    cdef Py_ssize_t i
    for i in range(n):
        slopes[i] = slopes[i] if (x[i] > 0) & (x[i] < last) else <real>0
        x[i] = <real>0 if x[i] < 0 else last if x[i] > last else x[i]


cdef void find_pixels(const real* grid, real* x, real* slopes, Py_ssize_t n, Py_ssize_t size,
                      const Job* job) noexcept nogil:
    """One coordinate of n points in pixels, padded according to the mode, and its derivatives."""
    cdef Py_ssize_t i
    cdef double slope
    unfold(grid, x, slopes, n, (size - 1) / 2.0 if job.corners else size / 2.0, 0 if job.corners else 0.5)
    if job.padding == REFLECTION:
        for i in range(n):
            slope = slopes[i]
            x[i] = <real>reflected(x[i], size, job.corners, &slope)
            slopes[i] = <real>slope
    if job.padding != ZEROS:
        bound(x, slopes, n, <real>(size - 1))


cdef wide find_corners(const real* x, const real* y, int* places, real* across, real* down, Py_ssize_t n, int width,
                       int height) noexcept nogil:
    """The indices of the pixels around points, NOWHERE outside of the image, and the offsets from the first of them."""
    cdef Py_ssize_t i
    cdef real left, top
    cdef int first
    cdef bint has_left, has_right, has_top, has_bottom
    for i in range(n):
        left, top = floorf(x[i]) if real is float else floor(x[i]), floorf(y[i]) if real is float else floor(y[i])
        across[i], down[i] = x[i] - left, y[i] - top
        has_left, has_right = (left >= 0) & (left < width), (left >= -1) & (left < width - 1)
        has_top, has_bottom = (top >= 0) & (top < height), (top >= -1) & (top < height - 1)
        left = left if has_left | has_right else <real>0
        top = top if has_top | has_bottom else <real>0
        first = <int>top * width + <int>left
        places[i] = first if has_top & has_left else NOWHERE
        places[POINTS + i] = first + 1 if has_top & has_right else NOWHERE
        places[2 * POINTS + i] = first + width if has_bottom & has_left else NOWHERE
        places[3 * POINTS + i] = first + width + 1 if has_bottom & has_right else NOWHERE


cdef wide find_nearest(const real* x, const real* y, int* places, Py_ssize_t n, int width, int height) noexcept nogil:
    """The indices of the pixels nearest to points, NOWHERE outside of the image."""
    cdef Py_ssize_t i
    cdef real column, row
    cdef bint inside
    for i in range(n):
        column, row = rintf(x[i]) if real is float else rint(x[i]), rintf(y[i]) if real is float else rint(y[i])
        inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
        column, row = column if inside else <real>0, row if inside else <real>0
        places[i] = <int>row * width + <int>column if inside else NOWHERE


cdef inline real at(const real* x, int place) noexcept nogil:
    """An element, or zero outside. It is read in any case, so that vectors of elements are."""
    cdef real found = x[place if place > 0 else 0]
    return found if place >= 0 else <real>0


cdef wide look(const real* x, real* out, Py_ssize_t n, const int* places, const real* across,
               const real* down) noexcept nogil:
    """The values of a channel at n points."""
    cdef Py_ssize_t i
    cdef real upper, lower
    for i in range(n):
        upper = at(x, places[i]) * (<real>1 - across[i]) + at(x, places[POINTS + i]) * across[i]
        lower = at(x, places[2 * POINTS + i]) * (<real>1 - across[i]) + at(x, places[3 * POINTS + i]) * across[i]
        out[i] = upper * (<real>1 - down[i]) + lower * down[i]


cdef wide look_nearest(const real* x, real* out, Py_ssize_t n, const int* places) noexcept nogil:
    """The values of a channel at the pixels nearest to n points."""
    cdef Py_ssize_t i
    for i in range(n):
        out[i] = at(x, places[i])


cdef inline void put(real* out, int place, real value) noexcept nogil:
    """Adds to an element; does nothing outside."""
    if place != NOWHERE:
        out[place] += value


cdef void put_back(real* out, const real* grad, Py_ssize_t n, const Job* job, const int* places, const real* across,
                   const real* down) noexcept nogil:
    """The gradient of a channel from those of its values at n points."""
    cdef Py_ssize_t i
    for i in range(n):
        if job.mode == NEAREST:
            put(out, places[i], grad[i])
        else:
            put(out, places[i], grad[i] * (<real>1 - down[i]) * (<real>1 - across[i]))
            put(out, places[POINTS + i], grad[i] * (<real>1 - down[i]) * across[i])
            put(out, places[2 * POINTS + i], grad[i] * down[i] * (<real>1 - across[i]))
            put(out, places[3 * POINTS + i], grad[i] * down[i] * across[i])


cdef wide move(const real* x, const real* grad, real* ways, Py_ssize_t n, const int* places, const real* across,
               const real* down) noexcept nogil:
    """Adds a channel's contribution to the gradients of the offsets across and down."""
    cdef Py_ssize_t i
    cdef real a, b, c, d
    for i in range(n):
        a, b = at(x, places[i]), at(x, places[POINTS + i])
        c, d = at(x, places[2 * POINTS + i]), at(x, places[3 * POINTS + i])
        ways[i] += grad[i] * ((b - a) * (<real>1 - down[i]) + (d - c) * down[i])
        ways[POINTS + i] += grad[i] * ((c - a) * (<real>1 - across[i]) + (d - b) * across[i])


cdef wide bring(const real* ways, const real* slopes, real* out, Py_ssize_t n) noexcept nogil:
    """The gradients of the grid from those of the offsets."""
    cdef Py_ssize_t i
    for i in range(n):
        out[2 * i] = ways[i] * slopes[i]
        out[2 * i + 1] = ways[POINTS + i] * slopes[POINTS + i]


cdef void find(const real* grid, Py_ssize_t n, const Job* job, int* places, real* across, real* down,
               real* slopes) noexcept nogil:
    """Locates the pixels around n points, the offsets from the first of them, and the derivatives of the offsets."""
    cdef real[POINTS] x
    cdef real[POINTS] y
    find_pixels(grid, x, slopes, n, job.width, job)
    find_pixels(grid + 1, y, slopes + POINTS, n, job.height, job)
    if job.mode == NEAREST:
        find_nearest(x, y, places, n, job.width, job.height)
    else:
        find_corners(x, y, places, across, down, n, job.width, job.height)


cdef void work(const Job* job, const real* x, Py_ssize_t sample, Py_ssize_t first, Py_ssize_t n) noexcept nogil:
    """Processes n points of a sample, in all channels."""
    cdef int[CORNERS * POINTS] places
    cdef real[POINTS] across
    cdef real[POINTS] down
    cdef real[2 * POINTS] slopes
    cdef real[2 * POINTS] ways
    cdef Py_ssize_t channel, plane = job.height * job.width, row
    cdef const real* grad
    cdef bint moves = job.out_grid != NULL and job.mode != NEAREST
    find(<const real*>job.grid + 2 * (sample * job.points + first), n, job, places, across, down, slopes)
    memset(ways, 0, sizeof(ways))
    for channel in range(job.channels):
        row = sample * job.channels + channel
        grad = <const real*>job.grad + row * job.points + first
        if job.grad == NULL and job.mode == NEAREST:
            look_nearest(x + row * plane, <real*>job.out + row * job.points + first, n, places)
        elif job.grad == NULL:
            look(x + row * plane, <real*>job.out + row * job.points + first, n, places, across, down)
        elif job.out != NULL:
            put_back(<real*>job.out + row * plane, grad, n, job, places, across, down)
        if moves:
            move(x + row * plane, grad, ways, n, places, across, down)
    if moves:
        bring(ways, slopes, <real*>job.out_grid + 2 * (sample * job.points + first), n)


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


cdef int share_points(const Job* job, Py_ssize_t samples) except -1:
    """Shares groups of points among threads."""
    return shared(sample_parts, job, samples * ((job.points + POINTS - 1) // POINTS),
                  max(1, GRAIN // (POINTS * job.channels)))


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
    share_points(&job, shape[0])
    return out


def returned(grad, x, grid, int mode, int padding, bint corners, bint to_image, bint to_grid):
    """The gradients of image and grid, None for one that is not wanted; None for inputs that are not supported."""
    cdef int kind = float_type(x)
    cdef cnp.ndarray image = prepared(x, 4, kind), places = prepared(grid, 4, kind), arrived = prepared(grad, 4, kind)
    cdef Job job
    if kind == 0 or arrived is None or not settle(&job, image, places, mode, padding, corners):
        return None
    of_image = zeros(4, image.shape, kind) if to_image else None
    of_grid = zeros(4, places.shape, kind) if to_grid else None
    job.grad = cnp.PyArray_DATA(arrived)
    job.out = cnp.PyArray_DATA(of_image) if to_image else NULL
    job.out_grid = cnp.PyArray_DATA(of_grid) if to_grid else NULL
    if to_image:
        shared(sample_whole, &job, image.shape[0], max(1, GRAIN // (job.points * job.channels)))
    else:
        share_points(&job, image.shape[0])
    return of_image, of_grid

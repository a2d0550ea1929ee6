# The windows of pooling along one dimension: at equal distances, as many as a dimension is divided into, or listed ones.
cimport numpy as cnp

cdef enum:
    MOST = 3  # spatial dimensions

cdef struct Line:
    Py_ssize_t size, places
    Py_ssize_t kernel  # 0 for windows that divide the dimension
    Py_ssize_t stride, padding, dilation
    Py_ssize_t low, high  # the windows that lie inside and are processed tap by tap, side by side
    const Py_ssize_t* starts  # the first element of each window, or NULL


cdef inline Py_ssize_t begin(const Line* line, Py_ssize_t place) noexcept nogil:
    # The first element of a window.
    cdef Py_ssize_t start
    if line.starts != NULL:
        return line.starts[place]
    if line.kernel == 0:
        return place * line.size // line.places
    start = place * line.stride - line.padding
    return start if start >= 0 else start + (line.dilation - 1 - start) // line.dilation * line.dilation


cdef inline Py_ssize_t end(const Line* line, Py_ssize_t place) noexcept nogil:
    # The end of a window.
    if line.starts != NULL:
        return line.starts[place] + line.kernel
    if line.kernel == 0:
        return ((place + 1) * line.size + line.places - 1) // line.places
    return min(line.size, place * line.stride - line.padding + (line.kernel - 1) * line.dilation + 1)


cdef inline Py_ssize_t counted(const Line* line, Py_ssize_t place, bint padded) noexcept nogil:
    # How many elements a window has, or how many with the padding.
    if padded and line.kernel:
        return min(line.kernel, line.size + 2 * line.padding - place * line.stride)
    return end(line, place) - begin(line, place)


cdef inline Py_ssize_t measure(const Line* lines, cnp.ndarray x, int dims, bint back, cnp.npy_intp* shape,
                               Py_ssize_t* planes) noexcept:
    # Writes the shape of what is pooled from an array whose last dimensions have windows, or of what that was pooled
    # from (`back`), and the number of planes; returns how many elements the windows of one look at.
    cdef Py_ssize_t work = 1
    cdef int d, outer = x.ndim - dims
    cdef const Line* line
    planes[0] = 1
    for d in range(x.ndim):
        if d < outer:
            shape[d] = x.shape[d]
            planes[0] *= shape[d]
        else:
            line = &lines[d - outer + MOST - dims]
            shape[d] = line.size if back else line.places
            work *= line.places * (line.kernel if line.kernel else 1 + line.size // line.places)
    return work


cdef inline Line single_line() noexcept nogil:
    # A dimension of size 1, which stands for one that there is not.
    return Line(1, 1, 1, 1, 0, 1, 0, 0, NULL)


cdef inline Line dividing(Py_ssize_t size, Py_ssize_t places) noexcept nogil:
    # As many windows as a dimension is divided into.
    return Line(size, places, 0, 1, 0, 1, 0, 0, NULL)


cdef inline Line sliding(Py_ssize_t size, Py_ssize_t places, Py_ssize_t kernel, Py_ssize_t stride, Py_ssize_t padding,
                         Py_ssize_t dilation) noexcept nogil:
    # Windows at equal distances; steps of up to 2 make vectors.
    cdef Line line = Line(size, places, kernel, stride, padding, dilation, 0, 0, NULL)
    cdef Py_ssize_t room = size + padding - (kernel - 1) * dilation - 1
    if stride <= 2 and room >= 0:
        line.low = min(places, (padding + stride - 1) // stride)
        line.high = max(line.low, min(places, room // stride + 1))
    return line


cdef inline Py_ssize_t places_along(Py_ssize_t size, Py_ssize_t kernel, Py_ssize_t stride, Py_ssize_t padding,
                                    Py_ssize_t dilation, bint ceil_mode) noexcept nogil:
    # How many windows fit; 0 if none does.
    cdef Py_ssize_t room = size + 2 * padding - dilation * (kernel - 1) - 1 + (stride - 1 if ceil_mode else 0)
    cdef Py_ssize_t places = room // stride + 1 if room >= 0 else 0
    return places - 1 if ceil_mode and places and (places - 1) * stride >= size + padding else places

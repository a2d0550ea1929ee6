from rushlight.kernels.compiled.lanes cimport real

cdef void exponentials(const real* x, real* out, Py_ssize_t n) noexcept nogil

cdef inline float exp_near_zero(float r) noexcept nogil:
    # exp(r) for |r| up to ln(2) / 2: the polynomial of Moshier's Cephes library.
    cdef float p = <float>1.9875691500e-4 * r + <float>1.3981999507e-3
    p = p * r + <float>8.3334519073e-3
    p = p * r + <float>4.1665795894e-2
    p = p * r + <float>1.6666665459e-1
    p = p * r + <float>0.5
    return (p * (r * r) + r) + <float>1

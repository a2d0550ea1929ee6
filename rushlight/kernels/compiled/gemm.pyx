# cython: boundscheck=False, wraparound=False, cdivision=True
"""The product of two float32 matrices on a CPU with AVX-512, with any strides.

Six rows of the result, 64 columns wide, are summed at a time in 24 registers (`block`; others are 32 and 16 wide). Each
step of the sum reads a row of the right matrix, 64 numbers, and one number of each of six rows of the left. The right
matrix is therefore packed into panels of 64 columns and at most DEPTH rows, which stay in the L1 cache while all rows
of the left one are processed, and the left matrix into strips of six rows. If both are contiguous along the sum, and
one has few rows, these are packed as a panel of 16 columns, and 24 rows of the other are processed at a time without
packing (`tower`).
The method is that of K. Goto and R. van de Geijn, "Anatomy of high-performance matrix multiplication", 2008.
"""

cimport numpy as cnp
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from rushlight.kernels.compiled.batches cimport MOST_DIMS, SHARED, Batch, batch_of, index, number_of
from rushlight.kernels.compiled.lanes cimport always, floats, wide, wide_registers, widest
from rushlight.kernels.compiled.small_products cimport are_small, multiply_small
from rushlight.kernels.compiled.sharing cimport number_of_threads, shared
from rushlight.kernels.compiled.squares cimport turned

cnp.import_array()

cdef enum:
    ROWS = 6
    LANES = 16
    FEW = 48  # most rows, or LANES columns, for inner products,
    LONG = 256  # of at least so many numbers
    SQUARE = 4  # rows and columns of a block of inner products
    TOWER = 24  # rows that are multiplied by a panel of one vector's width at a time
    LOW = 8  # rows of the last tower
    TALL = 1024  # the most rows of such a panel
    COLUMNS = 64
    DEPTH = 192
    OFTEN = 160  # rows or columns from which on packing the other matrix pays

AVAILABLE = bool(wide_registers())
NEEDS = "avx512"

cdef float[16] ZEROS = [0] * 16


cdef always store(float* out, const floats* a, const floats* b, bint adds) noexcept nogil:
    """Writes 32 sums, or adds them."""
    cdef floats* o = <floats*>out
    if adds:
        o[0] += a[0]
        o[1] += b[0]
    else:
        o[0] = a[0]
        o[1] = b[0]


cdef wide block(const Matrix* a, const Matrix* b, index depth, float* out, index stride, bint adds) noexcept nogil:
    """out[6, 64] = or += a[6, depth] @ b[depth, 64]; the rows of `b` are contiguous."""
    cdef floats a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3, e0, e1, e2, e3, f0, f1, f2, f3
    cdef floats x0, x1, x2, x3
    cdef const floats* x
    cdef const float* y = a.start
    cdef index k
    a0 = a1 = a2 = a3 = b0 = b1 = b2 = b3 = c0 = c1 = c2 = c3 = (<const floats*>ZEROS)[0]
    d0 = d1 = d2 = d3 = e0 = e1 = e2 = e3 = f0 = f1 = f2 = f3 = (<const floats*>ZEROS)[0]
    for k in range(depth):
        x = <const floats*>(b.start + k * b.down)
        x0 = x[0]; x1 = x[1]; x2 = x[2]; x3 = x[3]
        a0 += y[0] * x0; a1 += y[0] * x1; a2 += y[0] * x2; a3 += y[0] * x3
        b0 += y[a.down] * x0; b1 += y[a.down] * x1; b2 += y[a.down] * x2; b3 += y[a.down] * x3
        c0 += y[2 * a.down] * x0; c1 += y[2 * a.down] * x1; c2 += y[2 * a.down] * x2; c3 += y[2 * a.down] * x3
        d0 += y[3 * a.down] * x0; d1 += y[3 * a.down] * x1; d2 += y[3 * a.down] * x2; d3 += y[3 * a.down] * x3
        e0 += y[4 * a.down] * x0; e1 += y[4 * a.down] * x1; e2 += y[4 * a.down] * x2; e3 += y[4 * a.down] * x3
        f0 += y[5 * a.down] * x0; f1 += y[5 * a.down] * x1; f2 += y[5 * a.down] * x2; f3 += y[5 * a.down] * x3
        y += a.right
    store(out, &a0, &a1, adds)
    store(out + 32, &a2, &a3, adds)
    store(out + stride, &b0, &b1, adds)
    store(out + stride + 32, &b2, &b3, adds)
    store(out + 2 * stride, &c0, &c1, adds)
    store(out + 2 * stride + 32, &c2, &c3, adds)
    store(out + 3 * stride, &d0, &d1, adds)
    store(out + 3 * stride + 32, &d2, &d3, adds)
    store(out + 4 * stride, &e0, &e1, adds)
    store(out + 4 * stride + 32, &e2, &e3, adds)
    store(out + 5 * stride, &f0, &f1, adds)
    store(out + 5 * stride + 32, &f2, &f3, adds)


cdef wide half_block(const Matrix* a, const Matrix* b, index depth, float* out, index stride, bint adds) noexcept nogil:
    """out[6, 32] = or += a[6, depth] @ b[depth, 32]."""
    cdef floats a0, a1, b0, b1, c0, c1, d0, d1, e0, e1, f0, f1, x0, x1
    cdef const floats* x
    cdef const float* y = a.start
    cdef index k
    a0 = a1 = b0 = b1 = c0 = c1 = d0 = d1 = e0 = e1 = f0 = f1 = (<const floats*>ZEROS)[0]
    for k in range(depth):
        x = <const floats*>(b.start + k * b.down)
        x0 = x[0]; x1 = x[1]
        a0 += y[0] * x0; a1 += y[0] * x1
        b0 += y[a.down] * x0; b1 += y[a.down] * x1
        c0 += y[2 * a.down] * x0; c1 += y[2 * a.down] * x1
        d0 += y[3 * a.down] * x0; d1 += y[3 * a.down] * x1
        e0 += y[4 * a.down] * x0; e1 += y[4 * a.down] * x1
        f0 += y[5 * a.down] * x0; f1 += y[5 * a.down] * x1
        y += a.right
    store(out, &a0, &a1, adds)
    store(out + stride, &b0, &b1, adds)
    store(out + 2 * stride, &c0, &c1, adds)
    store(out + 3 * stride, &d0, &d1, adds)
    store(out + 4 * stride, &e0, &e1, adds)
    store(out + 5 * stride, &f0, &f1, adds)


cdef always store_one(float* out, const floats* sums, bint adds) noexcept nogil:
    """Writes 16 sums, or adds them."""
    cdef floats* o = <floats*>out
    if adds:
        o[0] += sums[0]
    else:
        o[0] = sums[0]


cdef wide narrow_block(const Matrix* a, const Matrix* b, index depth, float* out, index stride,
                       bint adds) noexcept nogil:
    """out[6, 16] = or += a[6, depth] @ b[depth, 16]."""
    cdef floats a0, b0, c0, d0, e0, f0, x
    cdef const float* y = a.start
    cdef index k
    a0 = b0 = c0 = d0 = e0 = f0 = (<const floats*>ZEROS)[0]
    for k in range(depth):
        x = (<const floats*>(b.start + k * b.down))[0]
        a0 += y[0] * x; b0 += y[a.down] * x; c0 += y[2 * a.down] * x
        d0 += y[3 * a.down] * x; e0 += y[4 * a.down] * x; f0 += y[5 * a.down] * x
        y += a.right
    store_one(out, &a0, adds)
    store_one(out + stride, &b0, adds)
    store_one(out + 2 * stride, &c0, adds)
    store_one(out + 3 * stride, &d0, adds)
    store_one(out + 4 * stride, &e0, adds)
    store_one(out + 5 * stride, &f0, adds)


cdef wide lay_rows(Matrix b, index depth, index width, index full, float* panel) noexcept nogil:
    """Packs `width` columns as a panel: rows of COLUMNS numbers, padded with zeros to the `full` width."""
    cdef index j, k
    for k in range(depth):
        for j in range(width):
            panel[k * COLUMNS + j] = b.start[k * b.down + j]
        for j in range(width, full):
            panel[k * COLUMNS + j] = 0


cdef widest lay_lanes(const float* few, index step, index width, index depth, float* panel,
                      index stride) noexcept nogil:
    """Packs rows as 16 columns of a panel; missing ones repeat the last."""
    cdef floats x[16]
    cdef const float* row[16]
    cdef index k, r, whole = depth - depth % LANES
    for r in range(16):
        row[r] = few + min(r, width - 1) * step
    for k from 0 <= k < whole by LANES:
        for r in range(16):
            x[r] = (<const floats*>(row[r] + k))[0]
        turned(x)
        for r in range(16):
            (<floats*>(panel + (k + r) * stride))[0] = x[r]
    for k in range(whole, depth):
        for r in range(16):
            panel[k * stride + r] = row[r][k]


cdef void lay_panel(Matrix b, index depth, index width, index full, float* panel) noexcept nogil:
    """Packs `width` columns, which are rows or columns in memory, as a panel of the `full` width."""
    cdef index j, first
    if b.right == 1:
        lay_rows(b, depth, width, full, panel)
        return
    for j from 0 <= j < full by LANES:
        first = min(j, width - 1)
        lay_lanes(b.start + first * b.right, b.right, width - first, depth, panel + j, COLUMNS)


cdef wide lay_strips(Matrix a, index rows, index depth, float* strips) noexcept nogil:
    """Packs rows as strips of six, one below the other, padded with zeros."""
    cdef index i, k, r
    cdef const float* start
    for i from 0 <= i <= rows - ROWS by ROWS:
        start = a.start + i * a.down
        for k in range(depth):
            for r in range(ROWS):
                strips[(i * depth) + k * ROWS + r] = start[r * a.down + k * a.right]
    i = rows - rows % ROWS
    start = a.start + i * a.down
    if i < rows:
        for k in range(depth):
            for r in range(ROWS):
                strips[(i * depth) + k * ROWS + r] = start[r * a.down + k * a.right] if i + r < rows else 0


cdef void multiply(Matrix a, Matrix b, float* out, index stride, index m, index n, index depth, float* scratch,
                   bint adds) noexcept nogil:
    """out (m, n) = or += a (m, depth) @ b (depth, n), of at most DEPTH products in a sum."""
    cdef float* strips = scratch + DEPTH * COLUMNS + ROWS * COLUMNS
    cdef index j, width, full, whole = m
    cdef Matrix panel
    if n > OFTEN or m < ROWS:
        whole = 0
        lay_strips(a, m, depth, strips)
    elif m % ROWS:
        whole = m - m % ROWS
        lay_strips(Matrix(a.start + whole * a.down, a.down, a.right), m % ROWS, depth, strips)
    j = 0
    while j < n:
        full = COLUMNS if n - j > COLUMNS - LANES else COLUMNS // 2 if n - j > LANES else LANES
        width = min(full, n - j)
        panel = Matrix(b.start + j * b.right, b.down, b.right)
        if b.right != 1 or width != full or m > OFTEN:
            lay_panel(panel, depth, width, full, scratch)
            panel = Matrix(scratch, COLUMNS, 1)
        pass_by(a, panel, strips, whole, out + j, stride, m, width, full, depth, scratch + DEPTH * COLUMNS, adds)
        j += width


cdef void pass_by(Matrix a, Matrix panel, float* strips, index whole, float* out, index stride, index m, index width,
                  index full, index depth, float* corner, bint adds) noexcept nogil:
    """Multiplies all rows by a panel: the first `whole` without packing, the others as strips."""
    cdef index i, r, height
    cdef Matrix six
    for i from 0 <= i < m by ROWS:
        height = min(<index>ROWS, m - i)
        six = Matrix(a.start + i * a.down, a.down, a.right)
        if i >= whole:
            six = Matrix(strips + (i - whole) * depth, 1, ROWS)
        if height == ROWS and width == full:
            run_block(&six, &panel, depth, out + i * stride, stride, full, adds)
            continue
        run_block(&six, &panel, depth, corner, full, full, False)
        for r in range(height):
            copy_or_add(corner + r * full, out + (i + r) * stride, width, adds)


cdef inline void run_block(const Matrix* a, const Matrix* b, index depth, float* out, index stride, index full,
                           bint adds) noexcept nogil:
    """The block of the width of a panel."""
    if full == COLUMNS:
        block(a, b, depth, out, stride, adds)
    elif full == COLUMNS // 2:
        half_block(a, b, depth, out, stride, adds)
    else:
        narrow_block(a, b, depth, out, stride, adds)


cdef inline void copy_or_add(const float* values, float* out, index n, bint adds) noexcept nogil:
    """out[:n] = or += values[:n]."""
    cdef index j
    if adds:
        for j in range(n):
            out[j] += values[j]
    else:
        for j in range(n):
            out[j] = values[j]


cdef wide dots(const float* a, index down, const float* b, index right, index depth, float* out, index stride,
               index height, index width, bint adds) noexcept nogil:
    """out[:height, :width] = or += a[4, depth] @ b[4, depth]ᵀ, rows contiguous; missing rows repeat the last one."""
    cdef floats s00, s01, s02, s03, s10, s11, s12, s13, s20, s21, s22, s23, s30, s31, s32, s33, x0, x1, x2, x3, y
    cdef const float* x[4]
    cdef const float* z[4]
    cdef float sums[16][16]
    cdef index i, j, k, whole = depth - depth % LANES
    for i in range(4):
        x[i] = a + min(i, height - 1) * down
        z[i] = b + min(i, width - 1) * right
    s00 = s01 = s02 = s03 = s10 = s11 = s12 = s13 = (<const floats*>ZEROS)[0]
    s20 = s21 = s22 = s23 = s30 = s31 = s32 = s33 = (<const floats*>ZEROS)[0]
    for k from 0 <= k < whole by LANES:
        x0 = (<const floats*>(x[0] + k))[0]
        x1 = (<const floats*>(x[1] + k))[0]
        x2 = (<const floats*>(x[2] + k))[0]
        x3 = (<const floats*>(x[3] + k))[0]
        y = (<const floats*>(z[0] + k))[0]
        s00 += x0 * y; s10 += x1 * y; s20 += x2 * y; s30 += x3 * y
        y = (<const floats*>(z[1] + k))[0]
        s01 += x0 * y; s11 += x1 * y; s21 += x2 * y; s31 += x3 * y
        y = (<const floats*>(z[2] + k))[0]
        s02 += x0 * y; s12 += x1 * y; s22 += x2 * y; s32 += x3 * y
        y = (<const floats*>(z[3] + k))[0]
        s03 += x0 * y; s13 += x1 * y; s23 += x2 * y; s33 += x3 * y
    (<floats*>sums[0])[0] = s00; (<floats*>sums[1])[0] = s01; (<floats*>sums[2])[0] = s02; (<floats*>sums[3])[0] = s03
    (<floats*>sums[4])[0] = s10; (<floats*>sums[5])[0] = s11; (<floats*>sums[6])[0] = s12; (<floats*>sums[7])[0] = s13
    (<floats*>sums[8])[0] = s20; (<floats*>sums[9])[0] = s21; (<floats*>sums[10])[0] = s22; (<floats*>sums[11])[0] = s23
    (<floats*>sums[12])[0] = s30; (<floats*>sums[13])[0] = s31; (<floats*>sums[14])[0] = s32; (<floats*>sums[15])[0] = s33
    for i in range(16):
        for j in range(8):
            sums[i][j] += sums[i][j + 8]
        for j in range(4):
            sums[i][j] += sums[i][j + 4]
        sums[i][0] = (sums[i][0] + sums[i][1]) + (sums[i][2] + sums[i][3])
    for k in range(whole, depth):
        for i in range(4):
            for j in range(4):
                sums[4 * i + j][0] += x[i][k] * z[j][k]
    for i in range(height):
        for j in range(width):
            out[i * stride + j] = sums[4 * i + j][0] + (out[i * stride + j] if adds else 0)


cdef void all_dots(Matrix a, Matrix b, float* out, index m, index n, index depth, bint adds) noexcept nogil:
    """out (m, n) = or += a @ b by blocks of inner products."""
    cdef index i, j
    for j from 0 <= j < n by SQUARE:
        for i from 0 <= i < m by SQUARE:
            dots(a.start + i * a.down, a.down, b.start + j * b.right, b.right, depth, out + i * n + j, n,
                 min(<index>SQUARE, m - i), min(<index>SQUARE, n - j), adds)


cdef widest tower(const float* y, index down, const float* panel, index depth, float* sums) noexcept nogil:
    """sums[24, 16] = y[24, depth] @ panel[depth, 16], with rows contiguous."""
    cdef floats a0, a1, a2, a3, a4, a5, a6, a7
    cdef floats b0, b1, b2, b3, b4, b5, b6, b7
    cdef floats c0, c1, c2, c3, c4, c5, c6, c7
    cdef floats x
    cdef const float* z = y + 8 * down
    cdef const float* w = z + 8 * down
    cdef floats* s = <floats*>sums
    cdef index k
    a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = (<const floats*>ZEROS)[0]
    b0 = b1 = b2 = b3 = b4 = b5 = b6 = b7 = (<const floats*>ZEROS)[0]
    c0 = c1 = c2 = c3 = c4 = c5 = c6 = c7 = (<const floats*>ZEROS)[0]
    for k in range(depth):
        x = (<const floats*>(panel + k * LANES))[0]
        a0 += y[k] * x; a1 += y[down + k] * x; a2 += y[2 * down + k] * x; a3 += y[3 * down + k] * x
        a4 += y[4 * down + k] * x; a5 += y[5 * down + k] * x; a6 += y[6 * down + k] * x; a7 += y[7 * down + k] * x
        b0 += z[k] * x; b1 += z[down + k] * x; b2 += z[2 * down + k] * x; b3 += z[3 * down + k] * x
        b4 += z[4 * down + k] * x; b5 += z[5 * down + k] * x; b6 += z[6 * down + k] * x; b7 += z[7 * down + k] * x
        c0 += w[k] * x; c1 += w[down + k] * x; c2 += w[2 * down + k] * x; c3 += w[3 * down + k] * x
        c4 += w[4 * down + k] * x; c5 += w[5 * down + k] * x; c6 += w[6 * down + k] * x; c7 += w[7 * down + k] * x
    s[0] = a0; s[1] = a1; s[2] = a2; s[3] = a3
    s[4] = a4; s[5] = a5; s[6] = a6; s[7] = a7
    s[8] = b0; s[9] = b1; s[10] = b2; s[11] = b3
    s[12] = b4; s[13] = b5; s[14] = b6; s[15] = b7
    s[16] = c0; s[17] = c1; s[18] = c2; s[19] = c3
    s[20] = c4; s[21] = c5; s[22] = c6; s[23] = c7


cdef widest low_tower(const float* y, index down, const float* panel, index depth, float* sums) noexcept nogil:
    """sums[8, 16] = y[8, depth] @ panel[depth, 16], likewise."""
    cdef floats a0, a1, a2, a3, a4, a5, a6, a7, x
    cdef floats* s = <floats*>sums
    cdef index k
    a0 = a1 = a2 = a3 = a4 = a5 = a6 = a7 = (<const floats*>ZEROS)[0]
    for k in range(depth):
        x = (<const floats*>(panel + k * LANES))[0]
        a0 += y[k] * x; a1 += y[down + k] * x; a2 += y[2 * down + k] * x; a3 += y[3 * down + k] * x
        a4 += y[4 * down + k] * x; a5 += y[5 * down + k] * x; a6 += y[6 * down + k] * x; a7 += y[7 * down + k] * x
    s[0] = a0; s[1] = a1; s[2] = a2; s[3] = a3
    s[4] = a4; s[5] = a5; s[6] = a6; s[7] = a7


cdef void lay_down(const float* sums, float* out, index down, index right, index height, index width,
                   bint adds) noexcept nogil:
    """out[height, width] = or += sums, whose rows are vectors."""
    cdef index i, j
    for i in range(height):
        for j in range(width):
            out[i * down + j * right] = sums[i * LANES + j] + (out[i * down + j * right] if adds else 0)

cdef inline bint is_along(index right, index down, index m, index n, index depth) noexcept nogil:
    """Whether inner products of whole rows and columns are faster."""
    return right == 1 and down == 1 and depth >= LONG and (m <= FEW or n <= LANES)


cdef inline bint has_towers(index m, index n) noexcept nogil:
    """Whether towers are used for a product of matrices that are contiguous along the sum."""
    return min(m, n) > SQUARE and max(m, n) >= LOW


cdef bint by_towers(Matrix a, Matrix b, float* out, index m, index n, index depth, index start, index stop,
                    bint adds) noexcept nogil:
    """out (m, n) = or += a @ b for rows (or columns, if there are more) from `start` to `stop`.

    False if there is no memory to pack the smaller operand.
    """
    cdef Matrix many = Matrix(b.start, b.right, 1), few = Matrix(a.start, a.down, 1)  # contiguous along the sum
    cdef index rows = n, count = m, down = 1, right = n, j, k
    cdef float* panel = <float*>malloc(sizeof(float) * LANES * (min(<index>TALL, depth) + TOWER))
    if panel == NULL:
        return False
    if m > n:
        many, few, rows, count, down, right = few, many, m, n, n, 1
    for j from 0 <= j < count by LANES:
        for k from 0 <= k < depth by TALL:
            lay_lanes(few.start + j * few.down + k, few.down, count - j, min(<index>TALL, depth - k), panel, LANES)
            pass_tower(Matrix(many.start + k, many.down, 1), panel, min(<index>TALL, depth - k), rows, start, stop,
                       out + j * right, down, right, min(<index>LANES, count - j), adds or k > 0)
    free(panel)
    return True


cdef void pass_tower(Matrix a, float* panel, index depth, index rows, index start, index stop, float* out, index down,
                     index right, index width, bint adds) noexcept nogil:
    """out[start:stop, :width] = or += a[start:stop] @ panel; there must be space for the sums behind the panel."""
    cdef float* sums = panel + LANES * depth
    cdef index i = start, size, place
    while i < stop:
        size = TOWER if stop - i >= TOWER else LOW
        place = min(i, rows - size)  # some rows are computed twice
        if size == TOWER:
            tower(a.start + place * a.down, a.down, panel, depth, sums)
        else:
            low_tower(a.start + place * a.down, a.down, panel, depth, sums)
        lay_down(sums + (i - place) * LANES, out + i * down, down, right, min(size, stop - i), width, adds)
        i += size


cdef bint multiply_rows(Matrix a, Matrix b, float* out, index m, index n, index depth, bint along,
                        bint adds) noexcept nogil:
    """out (m, n) = or += a @ b; False if there is no memory to pack the operands."""
    cdef index k, strips = (m + ROWS - 1) // ROWS * ROWS * min(<index>DEPTH, depth)
    cdef float* scratch
    if along:
        if has_towers(m, n):
            return by_towers(a, b, out, m, n, depth, 0, max(m, n), adds)
        all_dots(a, b, out, m, n, depth, adds)
        return True
    scratch = <float*>malloc(sizeof(float) * (DEPTH * COLUMNS + ROWS * COLUMNS + strips))
    if scratch == NULL:
        return False
    for k from 0 <= k < depth by DEPTH:
        multiply(Matrix(a.start + k * a.right, a.down, a.right), Matrix(b.start + k * b.down, b.down, b.right),
                 out, n, m, n, min(<index>DEPTH, depth - k), scratch, adds or k > 0)
    free(scratch)
    return True


cdef struct Job:
    Batch a, b
    float* out
    index m, n, depth
    bint along  # both matrices are contiguous along the sum, and one is small
    bint adds  # to the present values
    bint failed  # if memory ran out


cdef inline Matrix matrix_of(const Batch* batch, index i) noexcept nogil:
    """The i-th matrix of a batch."""
    cdef const char* start = batch.start
    cdef int dim
    for dim in range(batch.dims - 1, -1, -1):
        start += i % batch.shape[dim] * batch.strides[dim]
        i //= batch.shape[dim]
    return Matrix(<const float*>start, batch.strides[batch.dims] // 4, batch.strides[batch.dims + 1] // 4)


cdef void compute_rows(const void* given, index start, index stop) noexcept nogil:
    """Computes rows of a single product."""
    cdef Job* job = <Job*>given
    cdef Matrix a = matrix_of(&job.a, 0)
    a.start += start * a.down
    if not multiply_rows(a, matrix_of(&job.b, 0), job.out + start * job.n, stop - start, job.n, job.depth, job.along,
                         job.adds):
        job.failed = True


cdef void compute_towers(const void* given, index start, index stop) noexcept nogil:
    """Computes some rows of a product by towers, or some columns if there are more of them."""
    cdef Job* job = <Job*>given
    if not by_towers(matrix_of(&job.a, 0), matrix_of(&job.b, 0), job.out, job.m, job.n, job.depth, start, stop, job.adds):
        job.failed = True


cdef void compute_products(const void* given, index start, index stop) noexcept nogil:
    """Computes products of a batch."""
    cdef Job* job = <Job*>given
    cdef index i
    for i in range(start, stop):
        if not multiply_rows(matrix_of(&job.a, i), matrix_of(&job.b, i), job.out + i * job.m * job.n, job.m, job.n,
                             job.depth, job.along, job.adds):
            job.failed = True


cdef int multiply_batch(Batch a, Batch b, float* out, index m, index n, index depth, bint adds) except -1:
    """out (..., m, n) = or += a (..., m, depth) @ b (..., depth, n), shared among threads; results are contiguous.

    One of the last two strides of b is that of an element. MemoryError if there is no memory to pack operands.
    """
    cdef Job job = Job(a, b, out, m, n, depth, False, adds, False)
    cdef index parts
    if are_small(a, b, m, n, depth):
        return multiply_small(a, b, <char*>out, m, n, depth, True, adds)
    job.along = is_along(a.strides[a.dims + 1] // 4, b.strides[b.dims] // 4, m, n, depth)
    if a.dims == 0:
        parts = max(1, min(number_of_threads(), (m * n * depth + SHARED // 2) // SHARED))
        if job.along and has_towers(m, n):
            shared(compute_towers, &job, max(m, n), (max(m, n) + parts - 1) // parts)
        else:
            parts *= SQUARE if job.along else ROWS
            shared(compute_rows, &job, m, (m + parts - 1) // parts * (SQUARE if job.along else ROWS))
    else:
        shared(compute_products, &job, number_of(a), max(1, SHARED // (m * n * depth + 1)))
    if job.failed:
        raise MemoryError
    return 0


cdef inline bint takes(cnp.ndarray x) noexcept:
    """Whether an array consists of float32 matrices."""
    cdef int i
    if x.ndim < 2 or cnp.PyArray_TYPE(x) != cnp.NPY_FLOAT or not cnp.PyArray_ISBEHAVED_RO(x):
        return False
    for i in range(x.ndim):
        if x.strides[i] % 4 or (x.strides[i] == 0 and x.shape[i] > 1):
            return False
    return True


cdef cnp.ndarray empty_product(cnp.ndarray a, cnp.ndarray b):
    """A new array for the result; None if the operands do not fit, or BLAS is faster."""
    cdef int dim, dims = a.ndim - 2
    cdef cnp.npy_intp shape[MOST_DIMS]
    if not takes(a) or not takes(b) or a.ndim != b.ndim or a.ndim > MOST_DIMS or a.shape[dims + 1] != b.shape[dims]:
        return None
    if b.strides[dims] != 4 and b.strides[dims + 1] != 4:
        return None
    for dim in range(dims):
        if a.shape[dim] != b.shape[dim]:
            return None
        shape[dim] = a.shape[dim]
    shape[dims], shape[dims + 1] = a.shape[dims], b.shape[dims + 1]
    if shape[dims] < 2 or shape[dims + 1] < 2 or a.shape[dims + 1] == 0:
        return None
    return cnp.PyArray_SimpleNew(a.ndim, shape, cnp.NPY_FLOAT)


def product(a, b, index most):
    """`a @ b` for float32 matrices, or equally many in batches of one shape.

    None for others, for expanded matrices, and for more than `most` multiplications.
    """
    return product_of(a, b, most) if cnp.PyArray_CheckExact(a) and cnp.PyArray_CheckExact(b) else None


cdef object product_of(cnp.ndarray a, cnp.ndarray b, index most):
    cdef int dims = a.ndim - 2
    cdef cnp.ndarray result
    if a.ndim == 2 and cnp.PyArray_SIZE(a) > most // max(1, b.shape[b.ndim - 1]):
        return None
    result = empty_product(a, b)
    if result is not None:
        multiply_batch(batch_of(a), batch_of(b), <float*>cnp.PyArray_DATA(result), result.shape[dims],
                       result.shape[dims + 1], a.shape[dims + 1], False)
    return result

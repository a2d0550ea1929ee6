"""The machine: its CPU, the BLAS kernels for it, threads, and the memory allocator."""

# The numbers of `rushlight/kernels/codes.py`, which `setup.py` gives to the C compiler.
cdef extern from *:
    enum:
        SUM "RUSHLIGHT_SUM"
        NUMBERS "RUSHLIGHT_NUMBERS"
        PRODUCT "RUSHLIGHT_PRODUCT"
        LARGEST "RUSHLIGHT_LARGEST"
        SMALLEST "RUSHLIGHT_SMALLEST"
        SQUARES "RUSHLIGHT_SQUARES"
        SIZES "RUSHLIGHT_SIZES"
        MOST_DIMS "RUSHLIGHT_MOST_DIMS"
        MOST_STEPS "RUSHLIGHT_MOST_STEPS"
        ALIGNMENT "RUSHLIGHT_ALIGNMENT"
        MOST_INPUTS "RUSHLIGHT_MOST_INPUTS"

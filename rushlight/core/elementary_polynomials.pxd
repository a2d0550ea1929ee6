# Polynomials, fitted at Chebyshev's nodes, for elementary functions: to 1e-17 where `precise`, else to 1e-9.


cdef inline double exponential_rest(double x, bint precise) noexcept nogil:
    # (exp(x) - 1 - x) / x² for |x| up to ln(2) / 2.
    cdef double p
    if precise:
        p = 2.0914686968086876e-09 * x + 2.5105217004720745e-08
        p = p * x + 2.75572736431103e-07
        p = p * x + 2.7557255400206422e-06
        p = p * x + 2.4801587325547743e-05
        p = p * x + 0.00019841269874820627
        p = p * x + 0.0013888888888883748
        p = p * x + 0.008333333333326136
        p = p * x + 0.04166666666666667
        p = p * x + 0.1666666666666667
        p = p * x + 0.5
    else:
        p = 0.00019890990824673654 * x + 0.0013933649996309251
        p = p * x + 0.0083333109254809
        p = p * x + 0.041666464925285904
        p = p * x + 0.16666666681623232
        p = p * x + 0.500000001346581
    return p


cdef inline double logarithm_rest(double x, bint precise) noexcept nogil:
    # (2 atanh(s) / s - 2) / x, where x = s², for s up to (√2 - 1) / (√2 + 1).
    cdef double p
    if precise:
        p = 0.13086907887965027 * x + 0.13268746195596595
        p = p * x + 0.15386240708969665
        p = p * x + 0.18181795621632782
        p = p * x + 0.22222222391887064
        p = p * x + 0.2857142857080285
        p = p * x + 0.4000000000000088
        p = p * x + 0.6666666666666666
    else:
        p = 0.2333069667245578 * x + 0.28550812382590146
        p = p * x + 0.4000012191414928
        p = p * x + 0.6666666655440618
    return p


cdef inline double arctangent_rest(double x, bint precise) noexcept nogil:
    # (atan(t) / t - 1) / x, where x = t², for t up to tan(π / 8).
    cdef double p
    if precise:
        p = 0.016284375050043393 * x - 0.03456931506332609
        p = p * x + 0.045515447340221615
        p = p * x - 0.05230443640686948
        p = p * x + 0.05878927554473807
        p = p * x - 0.0666642476020052
        p = p * x + 0.07692296368042296
        p = p * x - 0.09090908753259112
        p = p * x + 0.11111111105150588
        p = p * x - 0.14285714285659779
        p = p * x + 0.19999999999999804
        p = p * x - 0.3333333333333333
    else:
        p = -0.04043033696147107 * x + 0.07135234647464041
        p = p * x - 0.09028967562110418
        p = p * x + 0.11107493853432703
        p = p * x - 0.14285612465275252
        p = p * x + 0.19999998916690562
        p = p * x - 0.33333333331439496
    return p


cdef inline double arcsine_rest(double x, bint precise) noexcept nogil:
    # (asin(t) / t - 1) / x, where x = t², for t up to 0.5.
    cdef double p
    if precise:
        p = 0.02961201126495512 * x - 0.01924167174674304
        p = p * x + 0.019554513336123378
        p = p * x + 0.0030448799094556773
        p = p * x + 0.009319560794767446
        p = p * x + 0.009621842970100282
        p = p * x + 0.011566459612121669
        p = p * x + 0.01396378001220357
        p = p * x + 0.017352816540325496
        p = p * x + 0.02237215744350722
        p = p * x + 0.03038194447553234
        p = p * x + 0.044642857142551895
        p = p * x + 0.07500000000000118
        p = p * x + 0.16666666666666666
    else:
        p = 0.02930523970533579 * x + 0.0054431851027481075
        p = p * x + 0.019306260869368045
        p = p * x + 0.022132443623426794
        p = p * x + 0.030397634130580702
        p = p * x + 0.044642358484883196
        p = p * x + 0.07500000598829049
        p = p * x + 0.16666666665495086
    return p

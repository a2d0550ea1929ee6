"""A thread pool: each thread has a share of the work, which it does in parts, and takes parts of others' shares after it.

So a thread finds in its cache what it wrote when it had the same share of earlier work, and nobody waits for the
slowest.

The threads do not use Python unless the work does. After a piece of work they spin for a moment, waiting for the next,
so that a training step has its threads at hand without waking them; then they sleep. So does a caller that waits for
the others' last parts. Only one piece of work is shared at a time: another one, from another thread or from within, is
done by its caller alone.

Where other programs use the CPUs too, a thread may lose its CPU within a part, and its caller waits for the others'
turns to end, many times as long as the part takes. After such a stall callers work alone for as long; where stalls soon
follow each other, as they do not on a quiet machine, for up to several times as long.
"""

from rushlight.core.locks import around_forks

from libc.string cimport memset

cdef extern from * nogil:
    """
    #ifdef _WIN32  /* no POSIX threads: none can be started, and whoever has work does it alone */
    typedef int pthread_t, pthread_mutex_t, pthread_cond_t, sigset_t;
    #define SIG_SETMASK 0
    #define pthread_create(thread, options, function, argument) 1
    #define pthread_detach(thread) 0
    #define pthread_mutex_init(mutex, options) 0
    #define pthread_mutex_lock(mutex) 0
    #define pthread_mutex_unlock(mutex) 0
    #define pthread_cond_init(condition, options) 0
    #define pthread_cond_wait(condition, mutex) 0
    #define pthread_cond_broadcast(condition) 0
    #define sigfillset(signals) 0
    #define pthread_sigmask(how, signals, before) 0
    #define rushlight_pause()
    #define rushlight_now() 0.0
    #define rushlight_cpu() 0
    #define rushlight_keep_off(cpu, threads, n)
    static long rushlight_add(long* x, long y) { long before = *x; *x += y; return before; }
    static int rushlight_swap(long* x, long before, long after) { return *x == before ? (*x = after, 1) : 0; }
    #else
    #include <pthread.h>
    #include <sched.h>
    #include <signal.h>
    #include <time.h>
    static double rushlight_now(void) {
        struct timespec found;
        clock_gettime(CLOCK_MONOTONIC, &found);
        return found.tv_sec + 1e-9 * found.tv_nsec;
    }
    #define rushlight_add __sync_fetch_and_add
    #define rushlight_swap __sync_bool_compare_and_swap
    #ifdef __linux__
    static int rushlight_cpu(void) { return sched_getcpu(); }
    static void rushlight_keep_off(int cpu, const pthread_t* threads, long n) {
        cpu_set_t allowed;
        if (pthread_getaffinity_np(pthread_self(), sizeof(allowed), &allowed)) return;
        CPU_CLR(cpu, &allowed);
        for (long i = 0; CPU_COUNT(&allowed) && i < n; i++)
            pthread_setaffinity_np(threads[i], sizeof(allowed), &allowed);
    }
    #else
    #define rushlight_cpu() 0
    #define rushlight_keep_off(cpu, threads, n)
    #endif
    #if defined(__x86_64__) || defined(__i386__)
    #define rushlight_pause() __builtin_ia32_pause()
    #else
    #define rushlight_pause() sched_yield()
    #endif
    #endif
    """
    ctypedef struct pthread_t:
        pass
    ctypedef struct pthread_mutex_t:
        pass
    ctypedef struct pthread_cond_t:
        pass
    ctypedef struct sigset_t:
        pass
    int SIG_SETMASK
    int pthread_create(pthread_t*, void*, void* (*)(void*) noexcept nogil, void*)
    int pthread_detach(pthread_t)
    int pthread_mutex_init(pthread_mutex_t*, void*)
    int pthread_mutex_lock(pthread_mutex_t*)
    int pthread_mutex_unlock(pthread_mutex_t*)
    int pthread_cond_init(pthread_cond_t*, void*)
    int pthread_cond_wait(pthread_cond_t*, pthread_mutex_t*)
    int pthread_cond_broadcast(pthread_cond_t*)
    int sigfillset(sigset_t*)
    int pthread_sigmask(int, const sigset_t*, sigset_t*)
    double now "rushlight_now"()  # in seconds
    void pause "rushlight_pause"()
    int cpu_here "rushlight_cpu"()  # on which the caller runs
    void keep_off "rushlight_keep_off"(int cpu, const pthread_t* threads, long n)  # lets threads run on all other CPUs
    long add "rushlight_add"(long*, long)  # returns the old value; this and `swap` are full memory barriers
    bint swap "rushlight_swap"(long*, long, long)

cdef enum:
    LOOKS = 4000  # spins before a thread sleeps: about a tenth of a millisecond
    STALL = 2  # a wait is a stall if it takes so many times the caller's own work
    ALONE = 8  # times the length of a stall for which callers work alone at most
    LONGEST = 1  # seconds for which they do so
    MOST = 256  # threads
    FEW = 7  # of them

cdef struct Share:
    long next  # the first part that is not taken
    long stop
    long unused[6]  # so that each share has a cache line of its own

cdef struct Pool:
    Kernel kernel
    const void* job
    Py_ssize_t size
    Py_ssize_t grain
    Share shares[MOST]  # of the caller, and of each helper
    long turn  # the number of pieces of work so far
    long open  # whether threads may take parts now
    long active  # threads that are working
    long busy  # whether the pool is in use
    long asleep
    long awaited  # whether the caller sleeps until no thread is working
    double alone_until  # the time until which callers work alone
    long caution  # times the length of the last stall for which they do so
    long helpers  # threads that may take part
    pthread_t threads[MOST]
    long started
    int avoided  # the CPU that the threads keep off, if any

cdef Pool POOL
cdef pthread_mutex_t LOCK
cdef pthread_cond_t WAKE, DONE
cdef long NUMBER = 0  # not known yet


def use(long number):
    """Sets the number of threads that share work, including the caller."""
    global NUMBER
    NUMBER = min(number, MOST)


cdef long number_of_threads() except -1:
    """The number of threads that share work; `rushlight.machine.threads` sets it when it is loaded."""
    if NUMBER == 0:
        import rushlight.machine.threads
    return NUMBER


def forget():
    """Forgets the threads that exist only in the parent process after a fork."""
    memset(&POOL, 0, sizeof(Pool))
    pthread_mutex_init(&LOCK, NULL)
    pthread_cond_init(&WAKE, NULL)
    pthread_cond_init(&DONE, NULL)


cdef void divide(long sharers) noexcept nogil:
    """Gives each of those that share the work as many parts."""
    cdef long parts = (POOL.size + POOL.grain - 1) // POOL.grain, i
    for i in range(sharers):
        POOL.shares[i].next, POOL.shares[i].stop = parts * i // sharers, parts * (i + 1) // sharers


cdef void take_parts(long own) noexcept nogil:
    """Takes the parts of one share, then those that are left of others."""
    cdef long sharers = POOL.helpers + 1, i
    for i in range(sharers):
        take_share(&POOL.shares[(own + i) % sharers])


cdef void take_share(Share* share) noexcept nogil:
    """Takes parts of a share until none are left."""
    cdef long part = add(&share.next, 1)
    while part < share.stop:
        POOL.kernel(POOL.job, part * POOL.grain, min((part + 1) * POOL.grain, POOL.size))
        part = add(&share.next, 1)


cdef void wait_for(long seen) noexcept nogil:
    """Waits until there is another piece of work than the last one seen."""
    cdef int looks
    for looks in range(LOOKS):
        if add(&POOL.turn, 0) != seen:
            return
        pause()
    pthread_mutex_lock(&LOCK)
    add(&POOL.asleep, 1)
    while add(&POOL.turn, 0) == seen:
        pthread_cond_wait(&WAKE, &LOCK)
    add(&POOL.asleep, -1)
    pthread_mutex_unlock(&LOCK)


cdef void* help(void* number) noexcept nogil:
    """The main function of a helping thread; it blocks all signals."""
    cdef sigset_t all_signals
    cdef long seen = 0
    sigfillset(&all_signals)
    pthread_sigmask(SIG_SETMASK, &all_signals, NULL)
    while True:
        wait_for(seen)
        seen = add(&POOL.turn, 0)
        if <long>number < POOL.helpers:
            add(&POOL.active, 1)
            if add(&POOL.open, 0):
                take_parts(<long>number + 1)
            if add(&POOL.active, -1) == 1 and add(&POOL.awaited, 0):
                pthread_mutex_lock(&LOCK)
                pthread_cond_broadcast(&DONE)
                pthread_mutex_unlock(&LOCK)


cdef void start_helpers(long wanted) noexcept nogil:
    """Starts threads until there are so many, or no more can be started."""
    while POOL.started < wanted:
        if pthread_create(&POOL.threads[POOL.started], NULL, help, <void*>POOL.started):
            return
        pthread_detach(POOL.threads[POOL.started])
        POOL.started += 1
        POOL.avoided = -1


cdef void make_room() noexcept nogil:
    """Keeps the threads off the caller's CPU: Linux leaves them there for a while, where they would have to wait.

    Of many threads some are elsewhere, so it does nothing unless they have to be woken.
    """
    cdef int cpu = cpu_here()
    if cpu != POOL.avoided and (POOL.started <= FEW or add(&POOL.asleep, 0)):
        keep_off(cpu, POOL.threads, POOL.started)
        POOL.avoided = cpu


cdef void run(Kernel kernel, const void* job, Py_ssize_t size, Py_ssize_t grain, long helpers) noexcept nogil:
    """Shares work with helping threads, and returns when all of it is done."""
    cdef double start = now()
    if start < POOL.alone_until or not swap(&POOL.busy, 0, 1):
        work_alone(kernel, job, size, grain)
        return
    start_helpers(helpers)
    helpers = min(helpers, POOL.started)
    make_room()
    POOL.kernel, POOL.job, POOL.size, POOL.grain, POOL.helpers = kernel, job, size, grain, helpers
    divide(helpers + 1)
    add(&POOL.open, 1)
    add(&POOL.turn, 1)
    if add(&POOL.asleep, 0):
        pthread_mutex_lock(&LOCK)
        pthread_cond_broadcast(&WAKE)
        pthread_mutex_unlock(&LOCK)
    take_parts(0)
    add(&POOL.open, -1)
    if not others_finish():
        note_wait(start)
    swap(&POOL.busy, 1, 0)


cdef void work_alone(Kernel kernel, const void* job, Py_ssize_t size, Py_ssize_t grain) noexcept nogil:
    """Does all parts in order."""
    cdef Py_ssize_t start = 0
    while start < size:
        kernel(job, start, min(start + grain, size))
        start += grain


cdef bint others_finish() noexcept nogil:
    """Waits actively for the parts of others; returns whether they ended in that time."""
    cdef int looks
    for looks in range(LOOKS):
        if not add(&POOL.active, 0):
            return True
        pause()
    return False


cdef void note_wait(double start) noexcept nogil:
    """Sleeps until the others are done with work that began at `start`; lets callers work alone after a stall.

    They do so for longer if the last time alone ended not long before.
    """
    cdef double middle = now(), waited
    pthread_mutex_lock(&LOCK)
    add(&POOL.awaited, 1)
    while add(&POOL.active, 0):
        pthread_cond_wait(&DONE, &LOCK)
    add(&POOL.awaited, -1)
    pthread_mutex_unlock(&LOCK)
    waited = now() - middle
    if waited > STALL * (middle - start):
        POOL.caution = min(2 * POOL.caution, ALONE) if start < POOL.alone_until + ALONE * waited else 1
        POOL.alone_until = now() + min(POOL.caution * waited, LONGEST)


cdef int shared(Kernel kernel, const void* job, Py_ssize_t size, Py_ssize_t grain) except -1:
    """Calls a kernel for all of range(size): in parts of `grain`, or in one call if that is not worth it."""
    cdef long helpers
    if size <= grain:
        kernel(job, 0, size)
        return 0
    helpers = min(number_of_threads(), (size + grain - 1) // grain) - 1
    with nogil:
        if helpers < 1:
            kernel(job, 0, size)
        else:
            run(kernel, job, size, grain, helpers)
    return 0


cdef class Calls:
    """Work given as a Python function, and the exception that it raised."""

    cdef object work
    cdef object error


cdef void call(const void* job, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Calls a Python function for a part."""
    with gil:
        calls = <Calls>job
        if calls.error is None:
            try:
                calls.work(start, stop)
            except BaseException as error:
                calls.error = error


def share(work, Py_ssize_t size, Py_ssize_t grain):
    """`threads.share`."""
    cdef Calls calls = Calls()
    cdef Py_ssize_t start
    calls.work = work
    if number_of_threads() == 1 or size <= grain:
        for start in range(0, size, grain):
            work(start, min(start + grain, size))
        return
    shared(call, <const void*>calls, size, grain)
    if calls.error is not None:
        raise calls.error


forget()
around_forks(after_in_child=forget)

# What the compiled core calls in context.pyx.

cpdef object value_of(object variable)
cpdef long next_number() noexcept
cpdef long last_number() noexcept
cpdef object made_by(type base, type cls)

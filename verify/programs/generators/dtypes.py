"""Types of data: promotion with tensors and numbers, casts, integers, changes in place, `out=`."""

from verify.programs.writer import Writer

TYPES = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128")
NUMBERS = ("2", "-1", "0", "3", "True", "False", "0.5", "-1.5", "2.0", "1j", "float('nan')", "float('inf')", "300")
BINARY = (
    "{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / {b}", "{a} // {b}", "{a} % {b}", "{a} ** {b}", "{a} < {b}",
    "{a} == {b}", "{a} != {b}", "{a} >= {b}", "{a} & {b}", "{a} | {b}", "{a} ^ {b}", "{a} << {b}", "{a} >> {b}",
    "torch.add({a}, {b}, alpha=2)", "torch.sub({a}, {b})", "torch.div({a}, {b}, rounding_mode='floor')",
    "torch.div({a}, {b}, rounding_mode='trunc')", "torch.where(m, {a}, {b})", "torch.fmod({a}, {b})", "{a}.eq({b})",
    "torch.remainder({a}, {b})", "torch.pow({a}, {b})", "torch.mul({a}, {b})", "torch.float_power({a}, {b})",
    "torch.xlogy({a}, {b})", "{a}.lerp({a}, {b})", "torch.true_divide({a}, {b})", "torch.rsub({a}, {b})",
    "torch.bitwise_left_shift({a}, {b})", "{a}.clamp({b})", "{a}.masked_fill(m, {b})", "torch.full_like({a}, {b})",
    "torch.isclose({a}, {b})", "torch.ldexp({a}, {b})", "torch.copysign({a}, {b})", "torch.heaviside({a}, {a})",
    "torch.full((2, 3), {b})", "torch.result_type({a}, {b})", "torch.floor_divide({a}, {b})", "torch.gt({a}, {b})",
    "torch.logical_and({a}, {a})", "torch.nextafter({a}, {a})", "torch.scalar_tensor(2) + {a}",
)  # fmt: skip
PAIRS = (
    "torch.maximum({a}, {b})", "torch.fmin({a}, {b})", "torch.logical_xor({a}, {b})", "torch.atan2({a}, {b})",
    "torch.hypot({a}, {b})", "torch.cat([{a}, {b}])", "torch.stack([{a}, {b}])", "{a} @ {b}.mT", "{a}.copysign({b})",
    "torch.outer({a}.reshape(-1), {b}.reshape(-1))", "torch.gcd({a}, {b})", "torch.lcm({a}, {b})",
    "torch.equal({a}, {b})", "torch.logaddexp({a}, {b})", "torch.promote_types({a}.dtype, {b}.dtype)",
    "{a}.type_as({b})", "torch.isin({a}, {b})", "torch.can_cast({a}.dtype, {b}.dtype)",
    "torch.dot({a}.reshape(-1), {b}.reshape(-1))", "torch.allclose({a}, {b})", "torch.addcmul({a}, {b}, {b}, value=2)",
    "torch.addcdiv({a}, {b}, {b})", "torch.nn.functional.mse_loss({a}, {b})", "torch.cross({a}, {b}, 1)",
    "torch.add({a}, {b}, out=torch.empty(0, dtype={a}.dtype))", "torch.complex({a}, {b})",
    "torch.mul({a}, {b}, out=torch.empty(0, dtype={b}.dtype))", "torch.tensordot({a}, {b}, 2)",
    "torch.polar({a}, {b})", "torch.div({a}, {b}, out=torch.empty(2, 3, dtype=torch.float32))", "{a}.cdist({b})",
    "torch.inner({a}, {b})",
)  # fmt: skip
UNARY = (
    "{a}.sum()", "{a}.mean()", "{a}.prod(0)", "{a}.cumsum(0)", "{a}.abs()", "-{a}", "~{a}", "+{a}", "{a}.sin()",
    "{a}.exp()", "{a}.sqrt()", "{a}.round()", "{a}.floor()", "{a}.sign()", "{a}.max()", "{a}.var()", "{a}.any(0)",
    "{a}.all()", "{a}.norm()", "{a}.sort()[0]", "{a}.argmax()", "{a}.unique()", "{a}.float()", "{a}.int()",
    "{a}.bool()", "{a}.half()", "{a}.long()", "{a}.to(torch.{t})", "{a}.to(torch.uint8)", "{a}.sigmoid()",
    "{a}.reciprocal()", "{a}.square()", "{a}.isnan()", "{a}.nan_to_num()", "{a}.softmax(0)",
    "{a}.sum(dtype=torch.{t})", "{a}.item()", "{a}.tolist()", "{a}.median()", "{a}.cumprod(0)", "{a}.logical_not()",
    "{a}.clone()", "{a}[0]", "{a}.angle()", "{a}.real", "{a}.imag", "{a}.conj()", "{a}.amax(0)", "{a}.std(0)",
    "{a}.trunc()", "{a}.frac()", "{a}.rsqrt()", "{a}.histc(4)", "{a}.bincount()", "{a}.count_nonzero()", "{a}.diff()",
    "{a}.logsumexp(0)", "{a}.trace()", "{a}.neg()", "{a}.is_floating_point()", "{a}.element_size()",
    "torch.zeros_like({a}, dtype=torch.{t})", "{a}.type()", "{a}.sgn()", "torch.ones_like({a})",
    "{a}.new_tensor([1, 2])", "{a}.new_full((2,), 2)", "torch.tensor({a}.tolist())", "{a}.erf()",
    "torch.as_tensor({a}.tolist())", "torch.arange({a}.reshape(-1)[0].item(), 5)", "{a}.log2()", "{a}.lgamma()",
    "{a}.mode()[0]", "torch.tensor([{n}, {n}])", "torch.linspace(0, {n}, 4)", "torch.arange({n})",
    "{a}.view(torch.int16)", "{a}.aminmax()[0]", "{a}.view(torch.{t})", "bool({a}.sum())", "int({a}.sum())",
    "float({a}.sum())", "complex({a}.sum())", "{a}.digamma()", "torch.nn.functional.relu({a})",
    "torch.special.expit({a})", "{a}.logit()", "{a}.quantile(0.5)", "{a}.kthvalue(1)[0]", "{a}.clamp(0, 2)",
    "{a}.dist({a})", "{a}.renorm(2, 0, 1)", "{a}.nansum()", "{a}.cummax(0)[0]", "{a}.logcumsumexp(0)",
    "torch.iinfo({a}.dtype).max", "torch.finfo({a}.dtype).eps", "{a}.bitwise_not()", "{a}.deg2rad()", "{a}.positive()",
)  # fmt: skip
CHANGES = (
    "{a} += {b}", "{a} -= {b}", "{a} *= {b}", "{a} /= {b}", "{a} //= {b}", "{a} **= {b}", "{a} %= {b}", "{a}[0] = {b}",
    "{a}.add_({b})", "{a}.copy_({b})", "{a}.fill_({n})", "{a}.clamp_({n})", "{a}.sin_()", "{a}.abs_()", "{a} &= {b}",
    "{a}.round_()", "{a}.masked_fill_(m, {n})", "{a}.index_fill_(0, torch.tensor([0]), {n})", "{a}.lt_({b})",
    "{a}.random_(3)", "{a}.bernoulli_()", "{a}.logical_and_({b})", "{a} <<= 1", "{a}.pow_({n})", "{a}.neg_()",
)  # fmt: skip


def made(writer: Writer, kind: str) -> None:
    """A tensor of a type: of two dimensions, or of none, whose type yields to that of others."""
    values = [writer.random.randrange(-3, 5) for _ in range(6)]
    shape = writer.weighted({"(2, 3)": 6, "()": 2, "(3,)": 1})
    values = values if shape == "(2, 3)" else values[: 1 if shape == "()" else 3]
    if kind == "uint8":
        values = [abs(v) for v in values]
    writer.new(f"torch.tensor({values}).to(torch.{kind}).reshape({shape})")


def write(writer: Writer) -> None:
    """A program of up to ten operations on tensors of all types."""
    writer.line("m = torch.tensor([True, False, True])")
    for kind in writer.random.sample(TYPES, 3):
        made(writer, kind)
    for _ in range(writer.random.randint(3, 10)):
        a = writer.pick(lambda t: 0 < t.numel() < 100)
        b = writer.broadcastable(a)
        n = writer.one(NUMBERS)
        family = writer.one((BINARY, BINARY, PAIRS, UNARY, CHANGES))
        form = writer.one(family)
        if family is BINARY and writer.often(0.6):
            a, b = writer.one(((a, n), (n, a)))
        line = form.format(a=a, b=b, n=n, t=writer.one(TYPES))
        if family is CHANGES:
            writer.line(line)
        else:
            writer.new(line)

"""Functions at points where they have no derivative, or several: expressions in x, y or z, and values for these."""

NAN, INF = float("nan"), float("inf")
TIES = [[1.0, 3.0, 3.0], [3.0, 2.0, 2.0]]
ZEROS = [[0.0, 2.0, 3.0], [0.0, 0.0, 4.0], [1.0, 2.0, 3.0]]
AROUND = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0]
SPECIAL = [-INF, -1.0, -0.0, 0.0, 1.0, INF, NAN]

EXTREMA = [
    "x.max()",
    "x.min()",
    "x.amax()",
    "x.amin()",
    "x.amax(0)",
    "x.amin(1)",
    "x.amax((0, 1))",
    "x.max(0)[0]",
    "x.max(1)[0]",
    "x.min(0)[0]",
    "x.min(1)[0]",
    "x.aminmax()[0]",
    "x.aminmax(dim=1)[1]",
    "x.median()",
    "x.median(0)[0]",
    "x.median(1)[0]",
    "x.nanmedian()",
    "x.mode(1)[0]",
    "x.kthvalue(2, 1)[0]",
    "x.topk(2, 1)[0]",
    "x.sort(1)[0]",
    "x.sort(1, descending=True)[0]",
    "x.cummax(1)[0]",
    "x.cummin(1)[0]",
    "x.quantile(0.5)",
    "x.quantile(0.25, dim=1)",
    "torch.maximum(x, x * 1)",
    "x.logsumexp(1)",
    "x.softmax(1)",
    "x.std(1)",
    "x.var(0)",
    "x.diff(dim=1).abs()",
    "torch.nn.functional.max_pool1d(x.view(1, 2, 3), 2, 1)",
    "torch.nn.functional.adaptive_max_pool1d(x.view(1, 2, 3), 1)",
]
PAIRS = [
    "torch.maximum(x, y)",
    "torch.minimum(x, y)",
    "torch.fmax(x, y)",
    "torch.fmin(x, y)",
    "torch.atan2(x, y)",
    "torch.hypot(x, y)",
    "x / y",
    "x**y",
    "torch.fmod(x, y)",
    "torch.remainder(x, y)",
    "torch.xlogy(x, y)",
    "torch.copysign(x, y)",
    "torch.logaddexp(x, y)",
    "torch.where(x > 0, x, y)",
    "torch.dist(x, y)",
    "torch.nn.functional.smooth_l1_loss(x, y)",
    "torch.nn.functional.l1_loss(x, y)",
    "torch.nn.functional.huber_loss(x, y)",
    "torch.nn.functional.pairwise_distance(x, y)",
    "torch.nn.functional.cosine_similarity(x, y, 0)",
    "torch.clamp(x, min=y)",
    "torch.clamp(x, max=y)",
]
PRODUCTS = [
    "x.prod()",
    "x.prod(0)",
    "x.prod(1)",
    "x.cumprod(0)",
    "x.cumprod(1)",
    "x[0].prod()",
    "x[1].cumprod(0)",
    "torch.linalg.det(x)",
    "x.norm()",
    "x.norm(dim=1)",
]
NORMS = [
    "x.norm()",
    "x.norm(p=1)",
    "x.norm(p=2)",
    "x.norm(p=3)",
    "x.norm(p=0.5)",
    "x.norm(p=0)",
    "x.norm(p=float('inf'))",
    "x.norm(p=-float('inf'))",
    "torch.linalg.norm(x)",
    "torch.linalg.vector_norm(x, 1.5)",
    "x.abs().sum()",
    "x.std()",
    "x.var()",
    "x.view(3, 1).renorm(2, 0, 1.0)",
    "torch.nn.functional.normalize(x, dim=0)",
    "x / x.norm()",
    "x.square().sum().sqrt()",
    "x.logsumexp(0)",
    "torch.cdist(x.view(1, 3), x.view(1, 3) * 1)",
    "x.mean() / x.std()",
    "torch.nn.functional.layer_norm(x, (3,))",
]
POINTS = [
    "x.abs()",
    "x.sign()",
    "x.sgn()",
    "x.relu()",
    "torch.nn.functional.relu6(3 * x)",
    "torch.nn.functional.leaky_relu(x)",
    "torch.nn.functional.elu(x)",
    "torch.nn.functional.selu(x)",
    "torch.nn.functional.celu(x)",
    "torch.nn.functional.hardtanh(x)",
    "torch.nn.functional.hardsigmoid(3 * x)",
    "torch.nn.functional.hardswish(3 * x)",
    "torch.nn.functional.hardshrink(x)",
    "torch.nn.functional.softshrink(x)",
    "torch.nn.functional.threshold(x, 0.5, 2.0)",
    "torch.nn.functional.softplus(x)",
    "torch.nn.functional.softsign(x)",
    "torch.nn.functional.logsigmoid(x)",
    "torch.nn.functional.gelu(x)",
    "torch.nn.functional.silu(x)",
    "torch.nn.functional.mish(x)",
    "torch.nn.functional.prelu(x, torch.tensor([0.25], dtype=x.dtype))",
    "x.clamp(-1, 1)",
    "x.clamp(min=0.5)",
    "x.clamp(max=-0.5)",
    "x.clamp(1, -1)",
    "x.floor()",
    "x.ceil()",
    "x.round()",
    "x.trunc()",
    "x.frac()",
    "x.sqrt()",
    "x.rsqrt()",
    "x.log()",
    "x.log1p()",
    "x.log2()",
    "x.reciprocal()",
    "x.tan()",
    "x.asin()",
    "x.acos()",
    "x.atan()",
    "x.acosh()",
    "x.atanh()",
    "x.asinh()",
    "x.erf()",
    "x.erfinv()",
    "x.lgamma()",
    "x.digamma()",
    "x.sinc()",
    "x.logit()",
    "x.exp()",
    "x.expm1()",
    "x.tanh()",
    "x.sigmoid()",
    "x.square()",
    "x.pow(0)",
    "x.pow(1)",
    "x.pow(2)",
    "x.pow(3)",
    "x.pow(0.5)",
    "x.pow(1.5)",
    "x.pow(-1)",
    "2.0**x",
    "0.0**x",
    "1.0**x",
    "x**x",
    "x.abs().pow(0.5)",
    "torch.xlogy(x, x)",
    "x.nan_to_num()",
    "x.fmod(1.0)",
    "x.remainder(1.0)",
    "x.fmod(-0.5)",
    "torch.special.entr(x)",
    "torch.special.xlog1py(x, x)",
    "torch.special.i0(x)",
    "torch.special.i1(x)",
    "torch.where(x > 0, x.log(), torch.zeros_like(x))",
    "torch.where(x > 0, x, 0 * x.sqrt())",
    "x.masked_fill(x <= 0, 0.0).sqrt()",
    "x[x > 0].log()",
    "x.nansum()",
    "x.nanmean()",
    "x.deg2rad()",
    "x.abs().sqrt()",
    "x.abs().log()",
    "x / x.abs()",
    "x * (x > 0)",
    "torch.nn.functional.glu(torch.cat([x, x]))",
]
COMPLEX = [
    "z.abs()",
    "z.angle()",
    "z.sgn()",
    "z.real",
    "z.imag",
    "z.conj()",
    "z.sqrt()",
    "z.log()",
    "z.pow(2)",
    "z.pow(0.5)",
    "z.reciprocal()",
    "z * z.conj()",
    "torch.polar(z.real, z.imag)",
    "z.prod()",
]

CASES = [
    *((e, {"x": TIES}) for e in EXTREMA),
    *((e, {"x": [[NAN, 3.0, 3.0], [3.0, NAN, 2.0]]}) for e in EXTREMA if "mode" not in e and "pool" not in e),
    *((e, {"x": [-1.0, 0.0, 0.0, 1.0, 2.0, NAN], "y": [-1.0, 0.0, 1.0, 0.0, 2.0, 1.0]}) for e in PAIRS),
    *((e, {"x": ZEROS}) for e in PRODUCTS),
    *((e, {"x": [0.0, 0.0, 0.0]}) for e in NORMS),
    *((e, {"x": [3.0, 0.0, -3.0]}) for e in NORMS),
    *((e, {"x": AROUND}) for e in POINTS),
    *((e, {"x": SPECIAL}) for e in POINTS),
    *((e, {"z": [1 + 0j, -1 + 0j, -2j]}) for e in COMPLEX),
    *((e, {"z": [0j, 1 + 0j]}) for e in COMPLEX if e != "z.reciprocal()"),
]

UNLIKE = {  # where rushlight's result is another on purpose: the expression, a part of its values, and why
    ("torch.special.i1(x)", NAN): "a NaN stays NaN",
    ("x.logit()", -INF): "-inf at -0.0: there PyTorch's own sign depends on the length of the tensor",
    ("x.digamma()", 0.0): "infinite at the poles, and precise to the last digits elsewhere",
    ("torch.polar(z.real, z.imag)", "0"): "a negative length points backwards; PyTorch's gradient points forwards",
}


def is_unlike(expression, values):
    """Whether a case is one where rushlight differs on purpose."""
    flat = str(values)
    return any(e == expression and str(point) in flat for e, point in UNLIKE)


def numbers(torch, tensor):
    """The elements of a tensor as they are kept in JSON: complex ones in pairs."""
    elements = (tensor + torch.zeros(tensor.shape, dtype=tensor.dtype)).flatten().tolist()  # PyTorch's may have none
    return [[v.real, v.imag] if isinstance(v, complex) else v for v in elements]


def evaluate(torch, expression, values):
    """What an expression gives, and the gradient of the sum of it for each of its variables, flat."""
    tensors = {
        name: torch.tensor(v, dtype=torch.complex128 if name == "z" else torch.float64, requires_grad=True)
        for name, v in values.items()
    }
    result = eval(expression, {"torch": torch, "float": float, **tensors})
    live = result.abs() if result.is_complex() and not result.requires_grad else result
    grads = dict.fromkeys(tensors)
    if live.requires_grad:
        found = torch.autograd.grad(live, list(tensors.values()), torch.ones_like(live), allow_unused=True)
        grads = dict(zip(tensors, found, strict=True))
    return {
        "value": numbers(torch, result.detach()),
        **{name: g if g is None else numbers(torch, g) for name, g in grads.items()},
    }


def key(expression, values):
    """The name of a case in the record."""
    return f"{expression} at {values}"

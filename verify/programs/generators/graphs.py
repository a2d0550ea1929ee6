"""Expression graphs with broadcasting, modes, hooks, and passes of every kind over them."""

from verify.programs.writer import Writer

UNARY = (
    "{a}.tanh()",
    "{a}.sin()",
    "({a} * 0.3).exp()",
    "{a}.sigmoid()",
    "torch.relu({a})",
    "{a}.abs()",
    "{a} ** 2",
    "({a} ** 2 + 1).sqrt()",
    "({a} ** 2 + 0.5).log()",
    "{a}.softmax(-1)",
    "{a}.cumsum(-1)",
    "{a}.clamp(-0.5, 0.5)",
    "{a}.clone()",
    "-{a}",
    "{a} * 2 - 1",
    "1 / ({a} ** 2 + 1)",
    "{a}.atan()",
    "{a}.flip(-1)",
    "{a}.roll(1, 0)",
    "{a}.sort(-1).values",
    "{a}.mT",
    "{a}.reshape(-1)",
    "{a}[0]",
    "{a}[..., 1:]",
    "{a}.unsqueeze(-1)",
    "{a}.expm1()",
    "torch.nn.functional.gelu({a})",
    "torch.nn.functional.softplus({a})",
    "{a}.detach()",
    "{a}.square()",
    "{a}.cos()",
    "{a}.erf()",
    "{a}.sinh()",
    "{a}.log_softmax(-1)",
    "{a}.cumprod(-1)",
    "{a}.logcumsumexp(0)",
    "{a}.triu()",
    "{a}.diag_embed()",
    "{a}.topk(2).values",
    "{a}.to(torch.float32)",
    "{a}.double()",
    "{a}.nan_to_num()",
    "torch.nn.functional.layer_norm({a}, {a}.shape[-1:])",
    "torch.nn.functional.pad({a}, (1, 1))",
    "{a}.cummax(-1)[0]",
    "torch.nn.functional.normalize({a}, dim=-1)",
    "{a}.repeat_interleave(2, -1)",
    "{a}.renorm(2, 0, 1.0)",
    "{a}.expand(2, *{a}.shape)",
    "{a}.diff()",
    "torch.complex({a}, {a}).abs()",
    "torch.view_as_real({a} * 1j)",
)
BINARY = (
    "{a} + {b}",
    "{a} - {b}",
    "{a} * {b}",
    "{a} / ({b} ** 2 + 1)",
    "torch.maximum({a}, {b})",
    "torch.atan2({a}, {b})",
    "torch.where({a} > 0, {a}, {b})",
    "torch.lerp({a}, {b}, 0.3)",
    "torch.hypot({a}, {b})",
    "torch.cat([{a}, {b}])",
    "torch.stack([{a}, {b}])",
    "{a} @ {b}",
    "{a} @ {b}.mT",
    "torch.outer({a}.reshape(-1)[:3], {b}.reshape(-1)[:2])",
    "torch.addcmul({a}, {b}, {b})",
    "({a} * {b}).sum(-1)",
    "torch.minimum({a}, {b})",
    "torch.dist({a}, {b})",
    "torch.logaddexp({a}, {b})",
    "({a}.abs() + 0.5) ** {b}",
    "torch.cdist({a}, {b})",
    "torch.einsum('...i,...i', {a}, {b})",
    "torch.nn.functional.mse_loss({a}, {b})",
    "torch.broadcast_tensors({a}, {b})[0]",
    "torch.fmod({a}, {b}.abs() + 1)",
    "torch.nn.functional.cosine_similarity({a}, {b}, -1)",
    "torch.cov(torch.atleast_2d({a}))",
    "torch.kron({a}, {b})",
)
REDUCTIONS = (
    "{a}.sum()",
    "{a}.mean()",
    "{a}.sum(0)",
    "{a}.mean(-1, keepdim=True)",
    "{a}.max()",
    "{a}.amax(0)",
    "{a}.prod(-1)",
    "{a}.var(-1)",
    "{a}.norm()",
    "{a}.logsumexp(-1)",
    "{a}.std()",
    "{a}.median()",
    "{a}.min(0).values",
    "{a}.amin()",
    "torch.linalg.vector_norm({a}, 1, -1)",
    "{a}.nansum()",
    "{a}.quantile(0.3)",
    "torch.aminmax({a})[1]",
    "{a}.trace()",
    "torch.trapezoid({a})",
    "torch.var_mean({a}, 0)[1]",
    "{a}.mode()[0]",
)
HOOKS = (
    "lambda g: g * 2",
    "lambda g: None",
    "lambda g: g.sum() * torch.ones_like(g)",
    "lambda g: g.clone()",
    "lambda g: g[:1]",
    "lambda g: g.float()",
    "seen.append",
    "lambda g: g + 0 * t0.sum()",
)
MODES = (
    "torch.no_grad()",
    "torch.enable_grad()",
    "torch.set_grad_enabled(False)",
    "torch.inference_mode()",
    "torch.autograd.set_multithreading_enabled(False)",
    "torch.autograd.set_detect_anomaly(True)",
    "torch.autograd.graph.saved_tensors_hooks(lambda t: t.detach() * 1, lambda t: t)",
    "torch.autograd.graph.save_on_cpu()",
    "torch.autograd.graph.allow_mutation_on_saved_tensors()",
)
LEAVES = "[x, w, b, s]"


def node(writer: Writer) -> None:
    """A new tensor, now and then made in another mode."""
    form = writer.one(writer.one((UNARY, UNARY, BINARY, BINARY, REDUCTIONS)))
    a = writer.pick(lambda t: 0 < t.numel() <= 64)
    expression = form.format(a=a, b=writer.broadcastable(a))
    if writer.often(0.07):
        name = f"t{writer.made}"
        writer.made += 1
        if writer.line(f"with {writer.one(MODES)}:\n    {name} = {expression}"):
            writer.names.append(name)
    else:
        writer.new(expression)


def hook(writer: Writer) -> None:
    """Something that looks at gradients on their way, or keeps them."""
    a = writer.pick(lambda t: t.requires_grad)
    writer.line(
        writer.one(
            (
                f"__, h{writer.made} = {a}.grad_fn, {a}.register_hook({writer.one(HOOKS)})",  # unseen, PyTorch crashes
                f"{a}.retain_grad()",
                f"{a}.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.clone()))",
                f"{a}.grad_fn.register_hook(lambda gi, go: seen.append((gi, go)))",
                f"{a}.grad_fn.register_hook(lambda gi, go: tuple(None if g is None else g * 3 for g in gi))",
                f"{a}.grad_fn.register_prehook(lambda go: tuple(None if g is None else g / 2 for g in go))",
                f"{a}.requires_grad_()",
                f"h{writer.made - 1}.remove()",
            )
        )
    )


def change(writer: Writer) -> None:
    """A change in place, or of how a tensor takes part."""
    a = writer.pick(lambda t: not t.is_leaf)
    b = writer.broadcastable(a)
    forms = ("{a}.mul_(2)", "{a}.add_({b})", "{a}[0] = {b}", "{a}.tanh_()", "{a}.detach_()", "{a} += 1", "{a}.zero_()")
    writer.line(writer.one(forms).format(a=a, b=b))


def backward(writer: Writer) -> None:
    """A pass: `backward` or `grad`, of one or more tensors, with or without a graph of its own."""
    a = writer.pick(lambda t: t.requires_grad and not t.is_leaf)
    b = writer.pick(lambda t: t.requires_grad)
    keep = writer.one(("", "", ", retain_graph=True", ", create_graph=True"))
    more = keep.removeprefix(", ")
    form = writer.one(
        (
            f"{a}.sum().backward({more})",
            f"{a}.backward({more})",
            f"{a}.backward(torch.ones_like({a}){keep})",
            f"({a} * {a}).sum().backward({more})",
            f"torch.autograd.backward([{a}, {b}], [torch.ones_like({a}), None]{keep})",
            f"torch.autograd.backward([{a}.sum(), ({b} ** 2).sum()]{keep})",
            f"{a}.sum().backward(inputs=[x, {b}]{keep})",
        )
    )
    ones = f"torch.ones_like({a})"
    rows = f"torch.eye({a}.numel()).reshape(-1, *{a}.shape).to({a})"
    pair = f"[{ones}, torch.ones_like({b})]"
    grads = writer.one(
        (
            f"torch.autograd.grad({a}.sum(), {LEAVES}, allow_unused=True{keep})",
            f"torch.autograd.grad(({a} ** 2).sum(), [x, {b}], allow_unused=True{keep})",
            f"torch.autograd.grad({a}.sum(), {LEAVES}, materialize_grads=True{keep})",
            f"torch.autograd.grad({a}, x, {ones}{keep})",
            f"torch.autograd.grad([{a}, {b}], [w, s], {pair}{keep}, allow_unused=True)",
            f"torch.autograd.grad({a}, {b}, {rows}, is_grads_batched=True{keep})",
        )
    )
    if writer.often(0.5):
        writer.line(form)
        return
    name = f"g{writer.made}"
    writer.made += 1
    if writer.line(f"{name} = {grads}") and "create" in keep:
        writer.new(f"sum((g ** 2).sum() for g in {name} if g is not None)")


def tidy(writer: Writer) -> None:
    """Gradients are cleared, tensors forgotten."""
    writer.line(
        writer.one(
            (
                "x.grad = None",
                "w.grad.zero_()",
                "x.grad = x.detach() * 2",
                "x.data.mul_(0.5)",
                "s.requires_grad_(False)",
                "b.grad = torch.ones(2)",
                "x.grad.detach_()",
            )
        )
    )


STEPS = {node: 12, hook: 2, change: 1.2, backward: 2.5, tidy: 0.4}


def write(writer: Writer) -> None:
    """A program with up to eighteen steps and a pass at the end."""
    writer.line("seen = []")
    dtype = writer.weighted({"torch.float64": 9, "torch.complex128": 1})
    for name, shape in (("x", "3, 4"), ("w", "4"), ("b", "3, 1"), ("s", "")):
        expression = f"torch.randn({shape or '()'}, dtype={dtype})"
        writer.new(f"{expression}.requires_grad_()", name)
    writer.new(f"torch.randn(3, 4, dtype={dtype})")
    for _ in range(writer.random.randint(3, 18)):
        writer.weighted(STEPS)(writer)
    backward(writer)

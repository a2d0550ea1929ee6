"""Views of views, changes of them in place under grad modes, and derivatives of all that comes out."""

from verify.programs.writer import Writer

VIEWS = (
    "{a}[1]",
    "{a}[..., 0]",
    "{a}[1:]",
    "{a}[::2]",
    "{a}[None]",
    "{a}.transpose(0, -1)",
    "{a}.mT",
    "{a}.view(-1)",
    "{a}.reshape(-1, 2)",
    "{a}.reshape(-1)",
    "{a}.flatten()",
    "{a}.unsqueeze(0)",
    "{a}.squeeze()",
    "{a}.expand(2, *{a}.shape)",
    "{a}.diagonal()",
    "{a}.narrow(0, 0, 2)",
    "{a}.unfold(0, 2, 2)",
    "{a}.unfold(-1, 2, 1)",
    "{a}.unbind(0)[1]",
    "{a}.split(2)[0]",
    "{a}.chunk(2, -1)[-1]",
    "{a}.as_strided((2, 2), (2, 1))",
    "{a}.as_strided((2, 2), (1, 1))",
    "{a}.detach()",
    "{a}.movedim(0, -1)",
    "{a}.swapaxes(0, -1)",
    "{a}.view_as({a})",
    "{a}.tensor_split(2)[1]",
    "{a}.unflatten(-1, (2, -1))",
    "{a}.permute(*range({a}.ndim)[::-1])",
    "{a}.real",
    "{a}.select(-1, -1)",
    "{a}.data",
    "{a}",
    "torch.broadcast_to({a}, {a}.shape)",
    "torch.atleast_2d({a})",
    "{a}.contiguous()",
    "{a}.adjoint()",
    "torch.ravel({a})",
    "{a}.view({a}.shape)",
)
CHANGES = (
    "{a}.mul_(2)",
    "{a}.add_({b})",
    "{a} += {b}",
    "{a} *= {b}",
    "{a} -= 0.5",
    "{a} /= 2",
    "{a}.mul_({b})",
    "{a}.div_({b}.abs() + 3)",
    "{a}.sub_({b}, alpha=0.5)",
    "{a}.tanh_()",
    "{a}.sigmoid_()",
    "{a}.sin_()",
    "{a}.zero_()",
    "{a}.fill_(0.25)",
    "{a}.copy_({b})",
    "{a}[0] = 0.5",
    "{a}[1:] = {b}",
    "{a}[:] = {b}",
    "{a}[..., -1] = {b}",
    "{a}[[0, -1]] = {b}.clone()",
    "{a}[{a}.detach() > 0] = 0.75",
    "{a}.masked_fill_({a}.detach() > 0.5, 0.1)",
    "{a}.index_add_(0, torch.tensor([1, 0]), {b}[:2].clone())",
    "{a}.clamp_(-0.5, 0.5)",
    "{a}.addcmul_({b}, {b})",
    "{a}.lerp_({b}, 0.3)",
    "{a}.relu_()",
    "{a}.neg_()",
    "{a}.exp_()",
    "{a}.pow_(2)",
    "{a}.fill_diagonal_(0.5)",
    "{a}.index_fill_(0, torch.tensor([0]), 0.5)",
    "{a}.cumsum_(-1)",
    "{a}.diagonal().mul_(2)",
    "{a}.t_()",
    "{a}.unsqueeze_(0)",
    "{a}.squeeze_()",
    "{a}.transpose_(0, -1)",
    "{a}.detach_()",
    "{a}.requires_grad_()",
    "{a}.normal_()",
    "{a}.uniform_(-1, 1)",
    "{a}.swapdims_(0, -1)",
    "{a}.triu_()",
    "{a}.tril_()",
    "{a}.round_()",
    "{a}.abs_()",
    "{a}.sqrt_()",
    "{a}.index_copy_(0, torch.tensor([1]), {b}[:1].clone())",
    "{a}.clip_(max=0.3)",
    "{a}.masked_scatter_({a}.detach() > 0, {a} * 2)",
    "torch.nn.functional.relu_({a})",
    "{a}.rsqrt_()",
    "{a}.atan2_({b})",
    "{a}.floor_()",
    "{a}.reciprocal_()",
    "{a}.sign_()",
    "{a}.data = {b}.data",
)
RESULTS = (
    "{a} * {b}",
    "{a} + {b}",
    "{a}.tanh()",
    "({a} * 0.1).exp()",
    "{a}.clone()",
    "{a}[[0, 0]]",
    "{a}.sum()",
    "torch.stack([{a}, {a} * 2])",
    "{a}.mean(0)",
    "{a}.sin()",
    "torch.cat([{a}, {b}])",
    "{a}.sigmoid()",
    "torch.empty_like({a}).copy_({b})",
    "{a}.repeat(2, *[1] * ({a}.ndim - 1))",
    "{a} @ {b}",
)
SILENT = ("torch.no_grad()", "torch.no_grad()", "torch.inference_mode()", "torch.enable_grad()")


def overlaps(tensor) -> bool:
    """Whether elements of a tensor share memory: what is written there is nobody's promise."""
    extent = 1
    for stride, size in sorted((n, m) for m, n in zip(tensor.shape, tensor.stride(), strict=True) if m > 1):
        if stride < extent:
            return True
        extent = stride * (size - 1) + extent
    return False


def step(writer: Writer) -> None:
    """One line: a view, a change in place, or a result, now and then in another grad mode."""
    a = writer.pick()
    form = writer.one(writer.one((VIEWS, CHANGES, CHANGES, RESULTS)))
    if form in CHANGES:
        if not writer.rarely():
            a = writer.pick(lambda t: not overlaps(t))
        if overlaps(writer.tensor(a)) and writer.tensor(a).dim() != 0:
            return
    line = form.format(a=a, b=writer.broadcastable(a))
    mode = writer.one(SILENT) if writer.often(0.12) else ""
    writer.line(f"{a}.grad_fn")  # PyTorch takes a view for a leaf until it is asked for the node of its new history
    if form in CHANGES:
        writer.line(f"with {mode}:\n    {line}" if mode else line)
    elif mode:
        name = f"t{writer.made}"
        writer.made += 1
        if writer.line(f"with {mode}:\n    {name} = {line}"):
            writer.names.append(name)
    else:
        writer.new(line)


def gradients(writer: Writer) -> None:
    """First and second derivatives of a function of all that came out."""
    ends = [name for name in writer.names if writer.tensor(name).requires_grad]
    if not ends:
        return
    writer.new(" + ".join(f"({name} * {name}).sum()" for name in ends), "total")
    if "total" not in writer.names:
        return
    order = writer.random.randrange(3)
    if order == 0:
        writer.line("total.backward()")
        return
    writer.line(f"first = torch.autograd.grad(total, [x, w], create_graph={order == 2}, allow_unused=True)")
    if order == 2:
        writer.line("again = sum((g * g).sum() for g in first if g is not None and g.requires_grad)")
        writer.line("second = torch.autograd.grad(again, [x, w], allow_unused=True)")


def write(writer: Writer) -> None:
    """A program of up to nine changes."""
    writer.new("torch.rand(3, 4, dtype=torch.float64, requires_grad=True)", "x")
    writer.new("torch.rand(4, dtype=torch.float64, requires_grad=True)", "w")
    writer.new("torch.rand(3, 4, dtype=torch.float64)", "c")
    for expression in ("x * 1", "w * 2", "c[1]"):
        writer.new(expression)
    for _ in range(writer.random.randint(2, 9)):
        step(writer)
    gradients(writer)

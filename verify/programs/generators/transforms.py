"""Transforms of functions, nested: those of `func` and of `autograd.functional`, tangents by hand."""

from verify.programs.writer import Writer

SCALARS = (
    "(x.sin() * x).sum()",
    "(x ** 3).sum()",
    "x.exp().mean()",
    "(x * w).sum().tanh()",
    "torch.logsumexp(x * w, -1).sum()",
    "(x.softmax(-1) * w).sum()",
    "x.norm() ** 2",
    "(x - w).pow(2).sum().sqrt()",
    "(x.cumsum(-1) * w).prod()",
    "torch.nn.functional.softplus(x).sum()",
    "x.sum() * w.prod()",
    "torch.linalg.vector_norm(x - 2)",
    "(x @ w).sum().cos()",
    "torch.where(x > 0, x ** 2, x.exp()).sum()",
    "x[..., 0].sum() * x[..., -1].sum()",
    "(x.sort(-1).values * w).sum()",
    "torch.stack([x.sin().sum(), w.cos().sum()]).prod()",
    "x.clone().mul_(w).sum().sin()",
    "x.var(-1).sum() + w.sum()",
    "(x.detach() * x).sum()",
    "torch.nn.functional.mse_loss(x.tanh(), w)",
    "x.logcumsumexp(-1).sum()",
    "x.amax(-1).sum() ** 2",
    "torch.outer(x.reshape(-1), w).sin().sum()",
    "x.expand(2, *x.shape).cos().sum()",
    "torch.cat([x, x * w], -1).exp().sum()",
    "torch.nn.functional.layer_norm(x, (3,), w).tanh().sum()",
    "torch.nn.functional.gelu(x).sum()",
    "torch.erf(x * w).sum()",
    "x.index_select(-1, torch.tensor([2, 0, 0])).sin().sum()",
    "torch.einsum('...i,i->...', x, w).exp().sum()",
    "w.sum()",
)
VECTORS = (
    "x.sin() * w",
    "x ** 2",
    "x.cumsum(-1)",
    "x.softmax(-1)",
    "x * w.sum()",
    "x.flip(-1) + w",
    "x.exp().roll(1, -1)",
    "x[..., 1:] * x[..., :-1]",
    "torch.stack([x, w.expand(x.shape)])",
    "x.tanh().sum(-1, keepdim=True) * w",
    "w * 1",
    "x.clone().add_(w).cos()",
    "x.unsqueeze(-1) * w",
    "x.sort(-1).values",
    "x.diff()",
    "x.view(-1) ** 2",
    "x.relu()",
)
TO_SCALAR = {
    "grad": "torch.func.grad({f})",
    "grad of both": "torch.func.grad({f}, argnums=(0, 1))",
    "hessian": "torch.func.hessian({f})",
    "grad and value": "torch.func.grad_and_value({f})",
    "second": "torch.func.grad({f}, argnums=1)",
}
TO_ANY = {
    "jacrev": "torch.func.jacrev({f})",
    "jacfwd": "torch.func.jacfwd({f})",
    "jacrev of w": "torch.func.jacrev({f}, 1)",
    "vjp": "lambda x, w: (lambda o, p: p(torch.ones_like(o)))(*torch.func.vjp({f}, x, w))",
    "jacfwd of w": "torch.func.jacfwd({f}, 1)",
    "jvp": "lambda x, w: torch.func.jvp({f}, (x, w), (torch.cos(x), w))[1]",
    "functional.jacobian": "lambda x, w: torch.autograd.functional.jacobian({f}, (x, w), create_graph=True)",
    "functional.vjp": "lambda x, w: torch.autograd.functional.vjp(lambda x: {f}(x, w), x, {f}(x, w).exp())[1]",
    "functional.jvp": "lambda x, w: torch.autograd.functional.jvp(lambda x: {f}(x, w), x, x, create_graph=True)[1]",
    "linearize": "lambda x, w: torch.func.linearize(lambda x: {f}(x, w), x)[1](x * 2)",
    "jacrev in chunks": "torch.func.jacrev({f}, chunk_size=2)",
}
BATCHED = (
    "torch.vmap({f}, (0, None))",
    "torch.func.vmap({f}, (-1, None))",
    "torch.vmap({f}, (0, None), chunk_size=1)",
    "torch.vmap({f}, (None, 0))",
    "torch.vmap({f})",
    "torch.vmap({f}, (0, None), randomness='same')",
)


def summed(name: str) -> str:
    """A function that sums what another gives."""
    return f"lambda x, w: sum(t.sum() for t in leaves({name}(x, w)))"


def transformed(writer: Writer, name: str, scalar: bool) -> tuple[str, bool]:
    """A line with one transform of a function; the new function's name, and whether it gives a scalar."""
    form = writer.one(list((TO_SCALAR if scalar and writer.often(0.6) else TO_ANY).values()))
    made = f"f{writer.made}"
    writer.made += 1
    writer.line(f"{made} = {form.format(f=name)}")
    return made, False


def forward_mode(writer: Writer, name: str) -> None:
    """A tangent sent through a function by hand."""
    writer.line(
        "with torch.autograd.forward_ad.dual_level():\n"
        "    dual = torch.autograd.forward_ad.make_dual(x, torch.ones_like(x))\n"
        f"    both = tuple(torch.autograd.forward_ad.unpack_dual({name}(dual, w)))\n"
        "values = [t if t is None else t.detach() for t in both]\n"
        "del both, dual"
    )


def write(writer: Writer) -> None:
    """A program with one to three transforms, one inside the other, of a function of x and w."""
    writer.line("leaves = lambda v: [v] if isinstance(v, torch.Tensor) else [t for u in v for t in leaves(u)]")
    shape = writer.weighted({"3": 3, "2, 3": 3, "3, 3": 1})
    grad = writer.one(("", ".requires_grad_()"))
    writer.new(f"torch.randn({shape}, dtype=torch.float64){grad}", "x")
    writer.new(f"torch.randn(3, dtype=torch.float64){writer.one(('', '.requires_grad_()'))}", "w")
    scalar = writer.often(0.6)
    writer.line(f"f = lambda x, w: {writer.one(SCALARS if scalar else VECTORS)}")
    name = "f"
    if writer.often(0.12):
        forward_mode(writer, name)
        return
    for depth in range(writer.weighted({1: 3, 2: 4, 3: 1})):
        if depth and writer.often(0.4):
            made = f"f{writer.made}"
            writer.made += 1
            writer.line(f"{made} = {summed(name)}")
            name, scalar = made, True
        if writer.often(0.3):
            made = f"f{writer.made}"
            writer.made += 1
            writer.line(f"{made} = {writer.one(BATCHED).format(f=name)}")
            name, scalar = made, False
        else:
            name, scalar = transformed(writer, name, scalar)
    writer.line(f"result = ({name}(x, w),)")
    writer.line("total = sum((t.abs() ** 2).sum() for t in leaves(result))")
    writer.line("grads = torch.autograd.grad(total, [t for t in (x, w) if t.requires_grad], allow_unused=True)")

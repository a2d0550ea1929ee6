"""Indexing to read and to write, gather and scatter, with derivatives."""

import torch

from verify.programs.writer import Writer

NUMBERS = ("0", "-1", "1", "2", "5")
SLICES = (":", "1:", ":-1", "::2", "1:1", "-2:", "0:9:3")
READS = (
    "{a}.gather({d}, {i})",
    "{a}.index_select({d}, {v})",
    "{a}.take({i})",
    "{a}.take_along_dim({i}, {d})",
    "{a}.masked_select({m})",
    "{a}.index_add({d}, {v}, {b})",
    "{a}.scatter({d}, {i}, {b})",
    "{a}.scatter({d}, {i}, 0.5)",
    "{a}.scatter_add({d}, {i}, {b})",
    "{a}.index_fill({d}, {v}, 2.0)",
    "{a}.masked_fill({m}, 0.5)",
    "{a}.where({m}, {b})",
    "{a}.index_put(({v},), {b})",
    "{a}.masked_scatter({m}, {a} * 2)",
    "{a}.index_put(({v},), {b}, accumulate=True)",
    "{a}.scatter_reduce({d}, {i}, {b}, '{r}')",
    "{a}.select({d}, 1)",
    "{a}.index_reduce({d}, {v}, {b}, '{q}')",
    "{a}.index_copy({d}, {v}, {b})",
    "{a}.narrow({d}, 1, 2)",
    "{a}.scatter_reduce({d}, {i}, {b}, '{r}', include_self=False)",
    "{a}.select_scatter({a}[0], 0, -1)",
    "{a}.slice_scatter({a}[1:], 0, 1)",
    "{a}.diagonal_scatter({a}.diagonal())",
    "torch.nn.functional.embedding({v}, {a})",
    "{a}.put({v}, {b})",
    "{a}.unfold({d}, 2, 1)",
    "{a}.tril()",
    "{a}.nonzero()",
    "{a}.argsort({d})",
    "{a}.unique()",
    "{a}.topk(2, {d})[1]",
    "{a}.argmax({d})",
    "torch.searchsorted({a}.sort()[0], {b})",
    "{a}.bucketize({a}[0].sort()[0])",
)
WRITES = (
    "{a}[{x}] = {b}",
    "{a}[{x}] = 0.5",
    "{a}[{x}] += 1",
    "{a}[{x}] *= {b}",
    "{a}.scatter_({d}, {i}, 1.5)",
    "{a}.scatter_add_({d}, {i}, {b})",
    "{a}.index_put_(({v},), {b})",
    "{a}.masked_fill_({m}, 0)",
    "{a}[{x}] = {a}[{x}]",
    "{a}.index_add_({d}, {v}, {b}, alpha=2)",
    "{a}.put_({v}, {b})",
    "{a}.masked_scatter_({m}, {a} * 2)",
    "{a}[{x}].zero_()",
)


def overlaps(tensor) -> bool:
    """Whether elements share memory: what a change in place leaves there, PyTorch does not say."""
    places = sum(
        torch.arange(n).mul(step).reshape(-1, *[1] * (tensor.dim() - i - 1))
        for i, (n, step) in enumerate(zip(tensor.shape, tensor.stride(), strict=True))
    )
    return tensor.dim() > 0 and places.unique().numel() < tensor.numel()


def index(writer: Writer, tensor) -> str:
    """What may stand in brackets after a tensor: up to one part for each dimension, and new dimensions."""
    parts = []
    for size in tensor.shape[: writer.random.randint(0, max(tensor.dim(), 1))]:
        n = max(size, 1)
        numbers = [writer.random.randrange(-n, n) for _ in range(2)]
        kind = writer.random.randrange(6)
        if kind == 0:
            parts.append(writer.one(NUMBERS) if writer.rarely() else str(numbers[0]))
        elif kind in (1, 2):
            parts.append(writer.one(SLICES))
        elif kind == 3:
            parts.append(writer.one((f"{numbers}", f"torch.tensor({numbers})", f"torch.tensor([{numbers}])")))
        elif kind == 4:
            parts.append(f"torch.tensor({[writer.often(0.5) for _ in range(size)]})")
        else:
            parts.append(writer.one(("None", "torch.tensor(0)", f"torch.tensor({numbers[0]})", ":")))
    if writer.often(0.15):
        parts.insert(writer.random.randint(0, len(parts)), writer.one(("...", "None")))
    if writer.often(0.05):
        return "torch.tensor(True)"
    return ", ".join(parts) or "..."


def written(writer: Writer, form: str, a: str) -> str:
    """A form with its places filled."""
    tensor = writer.tensor(a)
    d = writer.random.randrange(-tensor.dim(), tensor.dim()) if tensor.dim() else 0
    n = max(tensor.shape[d], 1) if tensor.dim() else 1
    vector = [writer.random.randrange(n) for _ in range(writer.random.randint(1, 3))]
    like = lambda t: t.dim() == tensor.dim() and t.dtype == tensor.dtype
    return form.format(
        a=a,
        b=writer.broadcastable(a) if writer.often(0.3) else writer.pick(like),
        d=d,
        v=f"torch.tensor({vector})",
        i=f"(torch.arange({tensor.numel()}).reshape({list(tensor.shape)}) * 7 % {n})",
        m=writer.one((f"({a} > 0)", f"({a}.detach() < 0.3)", "torch.tensor(True)")),
        r=writer.one(("sum", "prod", "mean", "amax", "amin")),
        q=writer.one(("prod", "mean", "amax", "amin")),
        x=index(writer, tensor),
    )


def write(writer: Writer) -> None:
    """A program with up to ten reads and writes, and the gradients of what came out."""
    kind = writer.weighted({"torch.float64": 8, "torch.float32": 1, "torch.complex128": 1})
    for name, shape in (("x", "3, 4"), ("y", "3, 4"), ("z", "2, 3, 4"), ("w", "4")):
        writer.new(f"torch.randn({shape}, dtype={kind}, requires_grad=True)", name)
    writer.new("x * 2")
    writer.new("z * 1")
    for _ in range(writer.random.randint(2, 10)):
        a = writer.pick(lambda t: t.dim() > 0 and t.is_floating_point() and t.numel() < 200)
        form = writer.one(writer.one((READS, READS, WRITES, ("{a}[{x}]",))))
        if form in WRITES:
            a = writer.pick(lambda t: t.dim() > 0 and not t.is_leaf and not overlaps(t))
            if not overlaps(writer.tensor(a)):
                writer.line(written(writer, form, a))
        else:
            writer.new(written(writer, form, a))
    ends = [name for name in writer.names if writer.tensor(name).requires_grad]
    graph = writer.often(0.4)
    total = " + ".join(f"({name}.abs() ** 2).sum()" for name in ends)
    writer.line(f"first = torch.autograd.grad({total}, [x, y, z, w], create_graph={graph}, allow_unused=True)")
    if graph:
        writer.line("again = sum((g.abs() ** 2).sum() for g in first if g is not None and g.requires_grad)")
        writer.line("second = torch.autograd.grad(again, [x, y, z, w], allow_unused=True)")

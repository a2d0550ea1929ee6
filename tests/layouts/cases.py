"""What users see of where results lie: calls of operators on tensors that lie in memory in several ways."""

LAYOUTS = {
    "in order": lambda x: x.clone(),
    "transposed": lambda x: x.mT.contiguous().mT if x.ndim > 1 else x.clone(),
    "channels last": lambda x: x.movedim(1, -1).contiguous().movedim(-1, 1) if x.ndim > 2 else x.clone(),
    "reversed": lambda x: x.permute(*range(x.ndim)[::-1]).contiguous().permute(*range(x.ndim)[::-1]),
    "repeated": lambda x: x[:1].expand(x.shape),
}

SHAPES = {
    "vector": (6,),
    "matrix": (4, 5),
    "square": (4, 4),
    "cube": (3, 4, 5),
    "image": (2, 3, 6, 6),
    "batch": (9, 3, 6, 6),
    "volume": (2, 3, 4, 4, 4),
}

UNARY = [
    "abs",
    "sin",
    "exp",
    "neg",
    "relu",
    "sigmoid",
    "tanh",
    "sqrt",
    "sign",
    "isnan",
    "logical_not",
    "square",
    "erf",
    "clone",
    "flip",
    "cumsum",
    "sort",
    "argsort",
    "softmax",
    "roll",
    "fft",
    "sum",
    "mean",
    "amax",
    "prod",
    "std",
    "contiguous",
    "to",
    "triu",
    "tril",
    "index_select",
    "gather",
    "take",
    "repeat",
    "nonzero",
    "topk",
    "median",
    "cat",
    "stack",
    "split",
    "unbind",
    "masked_fill",
    "where",
    "clamp",
    "index_fill",
    "diagonal",
    "zeros_like",
    "ones_like",
    "pad",
]


def calls(torch):
    """The calls by name: the shapes of their tensors and a function of them."""
    F, numbers = torch.nn.functional, torch.tensor([0, 1])
    found = {}
    with_options = {
        "flip": lambda x: x.flip(0),
        "cumsum": lambda x: x.cumsum(-1),
        "sort": lambda x: x.sort(-1),
        "argsort": lambda x: x.argsort(-1, descending=True),
        "softmax": lambda x: x.softmax(-1),
        "roll": lambda x: x.roll(1, -1),
        "fft": lambda x: torch.fft.fft(x, dim=0),
        "sum": lambda x: x.sum(0),
        "mean": lambda x: x.mean(-1),
        "amax": lambda x: x.amax(0, True),
        "prod": lambda x: x.prod(-1),
        "std": lambda x: x.std(-1),
        "to": lambda x: x.to(torch.float64),
        "index_select": lambda x: x.index_select(0, numbers),
        "gather": lambda x: x.gather(0, (x > 9).long()),
        "take": lambda x: x.take(numbers),
        "repeat": lambda x: x.repeat(2, *x.shape),
        "topk": lambda x: x.topk(2, -1),
        "median": lambda x: x.median(-1),
        "cat": lambda x: torch.cat([x, x]),
        "stack": lambda x: torch.stack([x, x], 1),
        "split": lambda x: x.split(2),
        "unbind": lambda x: x.unbind(0),
        "masked_fill": lambda x: x.masked_fill(x > 0, 1),
        "where": lambda x: torch.where(x > 0, x, 0.0),
        "clamp": lambda x: x.clamp(0, 1),
        "index_fill": lambda x: x.index_fill(0, numbers, 1.0),
        "diagonal": lambda x: x.diagonal(0, 0, -1),
        "zeros_like": torch.zeros_like,
        "ones_like": torch.ones_like,
        "pad": lambda x: F.pad(x, (1, 1)),
    }
    for name in UNARY:
        call = with_options.get(name) or (lambda x, name=name: getattr(x, name)())
        for shape in ("matrix", "cube", "image") if name != "stack" else ("matrix", "cube"):
            found[f"{name} of {shape}"] = (shape,), call
    for name in ("add", "mul", "div", "pow", "maximum", "atan2", "eq", "lerp"):
        call = (
            (lambda x, y: torch.lerp(x, y, 0.5)) if name == "lerp" else (lambda x, y, f=name: getattr(torch, f)(x, y))
        )
        found[f"{name} of images"] = ("image", "image"), call
        found[f"{name} of one that lies in order"] = ("cube", "cube"), lambda x, y, call=call: call(x.contiguous(), y)
        found[f"{name} with one that lies in order"] = ("cube", "cube"), lambda x, y, call=call: call(x, y.contiguous())
        found[f"{name} of a broadcast one"] = ("cube", "cube"), lambda x, y, call=call: call(x, y[0])
    found |= {
        "matmul": (("matrix", "matrix"), lambda x, y: x @ y.T),
        "bmm": (("cube", "cube"), lambda x, y: x @ y.mT),
        "linear": (("image", "square"), lambda x, y: F.linear(x[..., :4], y)),
        "einsum": (("cube", "cube"), lambda x, y: torch.einsum("ijk,ilk->ijl", x, y)),
        "cross": (("image", "image"), lambda x, y: torch.linalg.cross(x, y, dim=1)),
        "inv": (("square",), lambda x: torch.linalg.inv(x + 20 * torch.eye(4))),
        "solve": (("square", "square"), lambda x, y: torch.linalg.solve(x + 20 * torch.eye(4), y)),
        "qr": (("matrix",), torch.linalg.qr),
        "svd": (("cube",), torch.linalg.svd),
        "cholesky": (("square",), lambda x: torch.linalg.cholesky(x @ x.T + 20 * torch.eye(4))),
        "eigh": (("square",), lambda x: torch.linalg.eigh(x + x.T)),
        "rfftn": (("cube",), torch.fft.rfftn),
        "ifft2": (("cube",), torch.fft.ifft2),
        "fft of a middle one": (("cube",), lambda x: torch.fft.fft(x, 8, 1)),
        "fft of nothing": (("cube",), lambda x: torch.fft.fft(x[:, :0], 8, 1)),
        "rfftn of nothing": (("cube",), lambda x: torch.fft.rfftn(x[..., :0], (3, 8), (1, 2))),
        "one_hot": (("matrix",), lambda x: F.one_hot((x > 0).long(), 3)),
        "embedding": (("matrix",), lambda x: F.embedding(numbers, x)),
        "layer_norm": (("cube",), lambda x: F.layer_norm(x, (5,))),
    }
    for shape in ("image", "batch"):
        found |= {f"{name} of {shape}": ((shape,), call) for name, call in layers(torch, F).items()}
    found["conv3d"] = ("volume",), lambda x: F.conv3d(x, torch.ones(2, 3, 2, 2, 2))
    found["avg_pool3d"] = ("volume",), lambda x: F.avg_pool3d(x, 2)
    found["max_pool3d"] = ("volume",), lambda x: F.max_pool3d(x, 2)
    return found


def layers(torch, F):
    """The calls of layers on images."""
    weight, ones = torch.ones(4, 3, 3, 3), torch.ones(3)
    return {
        "conv2d": lambda x: F.conv2d(x, weight),
        "conv2d with padding": lambda x: F.conv2d(x, weight, None, 2, 1),
        "conv_transpose2d": lambda x: F.conv_transpose2d(x, torch.ones(3, 2, 3, 3)),
        "relu of conv2d": lambda x: F.relu(F.conv2d(x, weight)),
        "two added": lambda x: F.conv2d(x, weight) + 1,
        "conv2d plus an image": lambda x: F.conv2d(x, torch.ones(3, 3, 3, 3), None, 1, 1) + x,
        "conv1d": lambda x: F.conv1d(x[..., 0], torch.ones(2, 3, 2)),
        "max_pool2d": lambda x: F.max_pool2d(x, 2),
        "avg_pool2d": lambda x: F.avg_pool2d(x, 2),
        "adaptive_avg_pool2d": lambda x: F.adaptive_avg_pool2d(x, 4),
        "adaptive_max_pool2d": lambda x: F.adaptive_max_pool2d(x, 4),
        "avg_pool1d": lambda x: F.avg_pool1d(x[0], 2),
        "interpolate": lambda x: F.interpolate(x, (4, 4), mode="bilinear"),
        "nearest": lambda x: F.interpolate(x, scale_factor=2),
        "batch_norm": lambda x: F.batch_norm(x, ones, ones),
        "batch_norm in training": lambda x: F.batch_norm(x, None, None, training=True),
        "group_norm": lambda x: F.group_norm(x, 3),
        "reflect": lambda x: F.pad(x, (1, 1, 1, 1), "reflect"),
        "pixel_shuffle": lambda x: F.pixel_shuffle(x.repeat(1, 4, 1, 1), 2),
        "unfold": lambda x: F.unfold(x, 2),
        "dropout": lambda x: F.dropout(x),
        "gelu": lambda x: F.gelu(x),
        "conv2d, then view": lambda x: viewed(F, x, weight),
    }


def viewed(F, x, weight):
    """Three views of a convolution's result, which only what lies in order has."""
    image = F.conv2d(x, weight)
    if not image.is_contiguous():
        return image
    return image.view(-1), image[1:], image.as_strided((2, 2), (3, 1), 5)


def inputs(torch, shapes, layout):
    """Tensors of the shapes, that lie in memory in a layout, with few different elements."""
    found = []
    for number, name in enumerate(shapes):
        shape = SHAPES[name]
        values = torch.arange(float(torch.zeros(shape).numel())) * (7 + number) % 11 - 4
        found.append(LAYOUTS[layout](values.reshape(shape)))
    return found


def results_of(torch, name, layout):
    """The results of a call as a list, and the tensors that it had."""
    shapes, call = calls(torch)[name]
    tensors = inputs(torch, shapes, layout)
    results = call(*tensors)
    return (list(results) if isinstance(results, (tuple, list)) else [results]), tensors


def seen(torch, name, layout):
    """What is seen of each result: the strides along dimensions that have any, the offset, whether it lies in order."""
    results, _ = results_of(torch, name, layout)
    return [[strides(r), r.storage_offset(), r.is_contiguous()] for r in results]


def strides(tensor):
    """Those along the dimensions of more than one element."""
    return [step for step, n in zip(tensor.stride(), tensor.shape, strict=True) if n > 1]

"""Small networks with losses and optimizers, trained for a few steps."""

from verify.programs.writer import Writer

ACTIVATIONS = (
    "ReLU()",
    "Tanh()",
    "Sigmoid()",
    "GELU()",
    "ELU()",
    "SiLU()",
    "LeakyReLU(0.1)",
    "Softplus()",
    "Mish()",
    "Hardswish()",
    "SELU()",
    "PReLU()",
    "LogSoftmax(-1)",
    "Softmax(-1)",
    "Identity()",
    "Softsign()",
    "CELU()",
    "Hardtanh()",
    "LogSigmoid()",
    "Dropout(0.3)",
    "Tanhshrink()",
    "ReLU6()",
    "GLU(-1)",
    "ReLU(inplace=True)",
    "Threshold(0.1, 0.2)",
    "AlphaDropout(0.2)",
    "RReLU()",
)
OPTIMIZERS = (
    "SGD(p, lr=0.1)",
    "SGD(p, lr=0.1, momentum=0.9, nesterov=True)",
    "Adam(p, lr=0.01)",
    "Adam(p, amsgrad=True)",
    "AdamW(p, lr=0.01)",
    "RMSprop(p, lr=0.01)",
    "Adagrad(p)",
    "Adadelta(p)",
    "Adamax(p)",
    "NAdam(p)",
    "RAdam(p)",
    "ASGD(p)",
    "Rprop(p)",
    "SGD(p, lr=0.1, weight_decay=0.1, maximize=True)",
    "RMSprop(p, centered=True, momentum=0.5)",
    "Adam(p, lr=0.01, weight_decay=0.1)",
    "SGD(p, lr=torch.tensor(0.1))",
    "Adam(p, foreach=True)",
)
# Before these a bias has no gradient but rounding, which optimizers that divide by its size would make large.
NORMALIZED = ("BatchNorm", "InstanceNorm", "GroupNorm", "LayerNorm", "Transformer", "Softmax")
SCHEDULES = (
    "StepLR(o, 2)",
    "ExponentialLR(o, 0.9)",
    "CosineAnnealingLR(o, 5)",
    "LinearLR(o)",
    "LambdaLR(o, lambda n: 0.9**n)",
    "OneCycleLR(o, 0.1, total_steps=9)",
    "MultiStepLR(o, [1, 3])",
    "PolynomialLR(o)",
    "CyclicLR(o, 0.01, 0.1, cycle_momentum=False)",
    "ConstantLR(o)",
    "CosineAnnealingWarmRestarts(o, 2)",
)
LOSSES = (
    "mse_loss(y, z)",
    "l1_loss(y, z)",
    "smooth_l1_loss(y, z)",
    "huber_loss(y, z)",
    "cross_entropy(y, k)",
    "binary_cross_entropy_with_logits(y, z.sigmoid())",
    "kl_div(y.log_softmax(-1), z.softmax(-1))",
    "nll_loss(y.log_softmax(-1), k)",
    "soft_margin_loss(y, z.sign())",
    "multi_margin_loss(y, k)",
    "cross_entropy(y, k, label_smoothing=0.1)",
    "poisson_nll_loss(y, z.abs())",
    "cross_entropy(y, z.softmax(-1))",
    "cosine_embedding_loss(y, z, k.sign())",
    "gaussian_nll_loss(y, z, z ** 2 + 1)",
    "hinge_embedding_loss(y, z.sign())",
    "multilabel_soft_margin_loss(y, (z > 0).to(z))",
    "mse_loss(y, z, reduction='sum')",
    "margin_ranking_loss(y, z, z.sign())",
    "triplet_margin_loss(y, z, z.flip(0))",
    "cross_entropy(y, k, weight=z[0].abs())",
    "nll_loss(y, k, reduction='none').sum()",
)
BETWEEN = (
    "torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)",
    "torch.nn.utils.clip_grad_value_(net.parameters(), 0.1)",
    "torch.nn.utils.parameters_to_vector(net.parameters())",
    "net.requires_grad_()",
    "net.train(False)",
    "net.train()",
    "net.zero_grad(set_to_none=False)",
    "state = net.state_dict(); net.load_state_dict(state)",
    "o.load_state_dict(o.state_dict())",
    "net.apply(lambda m: None)",
    "p[0].requires_grad_(False)",
)
OPTIONS = (
    "",
    ", padding=1",
    ", padding='same'",
    ", bias=False",
    ", padding=1, stride=2",
    ", dilation=2, padding=2",
    ", padding=1, padding_mode='circular'",
)


def dense(writer: Writer, width: int) -> list[str]:
    """Layers from rows of `width` numbers to rows of three."""
    layers = []
    for _ in range(writer.random.randint(0, 3)):
        wide = writer.one((2, 4, 6))
        bias = writer.one(("", ", bias=False"))
        layers += [f"Linear({width}, {wide}{bias})"]
        width = wide
        norms = (
            f"LayerNorm({width})",
            f"BatchNorm1d({width})",
            f"RMSNorm({width})",
            f"BatchNorm1d({width}, momentum=None)",
        )
        if writer.often(0.4):
            layers.append(writer.one(norms))
        activation = writer.one(ACTIVATIONS)
        layers.append(activation)
        width = width // 2 if activation.startswith("GLU") else width
    return [*layers, f"Linear({width}, 3)"]


def images(writer: Writer) -> list[str]:
    """Layers from images of two channels, 6 by 6, to rows of three."""
    channels, layers = 2, []
    for _ in range(writer.random.randint(1, 2)):
        more = writer.one((2, 4))
        options = writer.one((*OPTIONS, f", groups={channels}"))
        kind = writer.weighted({"Conv2d": 5, "ConvTranspose2d": 0 if "'" in options else 1})
        layers.append(f"{kind}({channels}, {more}, {writer.one((1, 2, 3))}{options})")
        channels = more
        extras = (
            f"BatchNorm2d({channels})",
            f"GroupNorm(2, {channels})",
            f"InstanceNorm2d({channels})",
            "MaxPool2d(2, 1)",
            "AvgPool2d(2, 1)",
            "Dropout2d(0.3)",
            "AdaptiveAvgPool2d(3)",
            "Upsample(scale_factor=2)",
            "ZeroPad2d(1)",
            "LPPool2d(2, 2, 1)",
            "AdaptiveMaxPool2d(2)",
            "ReflectionPad2d(1)",
            "PixelShuffle(1)",
        )
        layers += [writer.one(extras)] * writer.often(0.6) + [writer.one(ACTIVATIONS[:12])]
    return [*layers, "AdaptiveAvgPool2d(2)", "Flatten()", f"Linear({4 * channels}, 3)"]


def network(writer: Writer) -> str:
    """Lines that make `net`, and the line that applies it to the input."""
    kind = writer.weighted({"dense": 5, "images": 3, "recurrent": 1.5, "attention": 1, "table": 1})
    rows = writer.one((2, 4, 4, 8))
    if kind == "recurrent":
        cell = writer.one(("RNN", "LSTM", "GRU"))
        options = writer.one(("", ", num_layers=2", ", bidirectional=True", ", bias=False"))
        writer.new(f"torch.randn({rows}, 3, 2)", "x")
        writer.line(f"net = torch.nn.{cell}(2, 3, batch_first=True{options})")
        return "net(x)[0].sum(1)[:, :3]"
    if kind == "attention":
        writer.new(f"torch.randn({rows}, 3, 4)", "x")
        dropout = writer.one(("0.0", "0.2"))
        writer.line(f"net = torch.nn.TransformerEncoderLayer(4, 2, 6, {dropout}, batch_first=True)")
        return "net(x).mean(1)[:, :3]"
    if kind == "table":
        bag = writer.one((", mode='sum'", ", mode='mean'", ", mode='max'"))
        writer.new(f"torch.randint(0, 5, ({rows}, 3))", "x")
        writer.line(f"net = torch.nn.Sequential(torch.nn.EmbeddingBag(5, 4{bag}), torch.nn.Linear(4, 3))")
        return "net(x)"
    layers = images(writer) if kind == "images" else dense(writer, 4)
    writer.new(f"torch.randn({rows}, {'2, 6, 6' if kind == 'images' else '4'})", "x")
    writer.line(f"net = torch.nn.Sequential({', '.join('torch.nn.' + layer for layer in layers)})")
    return "net(x)"


def write(writer: Writer) -> None:
    """A program that makes a network and takes up to four steps."""
    if writer.often(0.5):
        writer.line("torch.set_default_dtype(torch.float64)")
    apply = network(writer)
    writer.line("p = list(net.parameters())")
    steady = any(word in "".join(writer.lines) for word in NORMALIZED)
    writer.line(f"o = torch.optim.{writer.one([o for o in OPTIMIZERS if not steady or o.startswith('SGD')])}")
    scheduled = writer.often(0.3)
    if scheduled:
        writer.line(f"s = torch.optim.lr_scheduler.{writer.one(SCHEDULES)}")
    loss = writer.one(LOSSES)
    for _ in range(writer.random.randint(1, 4)):
        if writer.often(0.25):
            writer.line(writer.one(BETWEEN))
        writer.new(apply, "y")
        writer.line("z, k = torch.randn(y.shape), torch.randint(0, 3, (len(y),))")
        writer.line("o.zero_grad()")
        writer.new(f"torch.nn.functional.{loss}", "loss")
        writer.line("loss.backward()")
        writer.line("norm = [q.grad for q in p]")
        writer.line("o.step()")
        if scheduled:
            writer.line("s.step(); rate = o.param_groups[0]['lr']")
    writer.line("end, state = net.state_dict(), [o.state[q] for q in p]")

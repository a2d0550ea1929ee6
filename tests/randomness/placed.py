"""Random numbers for tensors that lie in memory in many ways; each function is of (torch or rushlight, tensor)."""

DTYPES = ("float16", "float32", "float64")
SIZES = (6, 12, 16, 20, 48)

LAYOUTS = {
    "in order": lambda torch, n, dtype: torch.zeros(n // 2, 2, dtype=dtype),
    "transposed": lambda torch, n, dtype: torch.zeros(2, n // 2, dtype=dtype).t(),
    "turned": lambda torch, n, dtype: torch.zeros(1, 2, n // 2, dtype=dtype).permute(2, 0, 1),
    "every other": lambda torch, n, dtype: torch.zeros(2, n, dtype=dtype)[:, ::2],
    "part of rows": lambda torch, n, dtype: torch.zeros(2, n, dtype=dtype)[:, 3 : 3 + n // 2],
    "one dimension": lambda torch, n, dtype: torch.zeros(2 * n, dtype=dtype)[1::2],
}

FUNCTIONS = {
    "normal_": lambda torch, x: x.normal_(1, 2),
    "uniform_": lambda torch, x: x.uniform_(-1, 2),
    "exponential_": lambda torch, x: x.exponential_(2),
    "cauchy_": lambda torch, x: x.cauchy_(),
    "log_normal_": lambda torch, x: x.log_normal_(),
    "geometric_": lambda torch, x: x.geometric_(0.3),
    "random_": lambda torch, x: x.random_(0, 100),
    "bernoulli_": lambda torch, x: x.bernoulli_(0.4),
    "bernoulli_ of a tensor": lambda torch, x: x.bernoulli_(torch.linspace(0, 1, x.shape[-1])),
    "bernoulli": lambda torch, x: torch.bernoulli(x + 0.5),
    "rand_like": lambda torch, x: torch.rand_like(x),
    "randn_like": lambda torch, x: torch.randn_like(x),
    "randn_like, contiguous": lambda torch, x: torch.randn_like(x, memory_format=torch.contiguous_format),
    "randint_like": lambda torch, x: torch.randint_like(x, 0, 50),
    "randn with out": lambda torch, x: torch.randn(x.shape, out=x, dtype=x.dtype),
    "normal of means with out": lambda torch, x: torch.normal(torch.ones_like(x), 2.0, out=x),
    "bernoulli with out": lambda torch, x: torch.bernoulli(torch.full(x.shape, 0.4, dtype=x.dtype), out=x),
    "multinomial": lambda torch, x: torch.multinomial(x + 0.5, 2) if x.ndim == 2 else x,
    "dropout": lambda torch, x: torch.nn.functional.dropout(x + 1, 0.4),
    "dropout in place": lambda torch, x: torch.nn.functional.dropout(x.add_(1), 0.4, inplace=True),
    "alpha_dropout": lambda torch, x: torch.nn.functional.alpha_dropout(x + 1, 0.4, training=True),
    "rrelu": lambda torch, x: (
        torch.nn.functional.rrelu(x - 1, 0.1, 0.9, training=True) if x.dtype != torch.float16 else x
    ),
    "init.normal_": lambda torch, x: torch.nn.init.normal_(x),
    "init.trunc_normal_": lambda torch, x: torch.nn.init.trunc_normal_(x),
}


def drawn(torch, name, dtype):
    """A function's numbers for all sizes and layouts, in the order of indices, each a number further in the stream."""
    torch.manual_seed(5)
    found = []
    for n in SIZES:
        for layout in LAYOUTS.values():
            result = FUNCTIONS[name](torch, layout(torch, n, getattr(torch, dtype)))
            found += [float(x) for x in result.reshape(-1)] + [float(torch.rand(1))]
    return found

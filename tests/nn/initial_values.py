"""The calls of `nn.init` that the tests compare with PyTorch."""

DTYPES = ("float32", "float64")
CASES = """
uniform_(empty(5, 7), -2.0, 3.0)
normal_(empty(20, 7), 0.3, 2.0)
trunc_normal_(empty(20, 30))
trunc_normal_(empty(20, 30), 0.0, 1.0, 1.0, 2.0)
trunc_normal_(empty(20, 30), mean=0.5, std=5.0, a=-1.0, b=2.0)
constant_(empty(3), 2.5)
ones_(empty(2, 2))
zeros_(empty(2))
eye_(empty(3, 4))
dirac_(empty(6, 2, 3))
dirac_(empty(6, 2, 3, 4), 3)
dirac_(empty(2, 3, 3, 3, 3))
xavier_uniform_(empty(5, 7, 3))
xavier_normal_(empty(30, 7), 1.3)
kaiming_uniform_(empty(4, 3, 3, 3), a=5**0.5)
kaiming_normal_(empty(4, 3, 3, 3), mode='fan_out', nonlinearity='relu')
orthogonal_(empty(20, 10))
orthogonal_(empty(10, 4, 5), 2.0)
sparse_(empty(20, 10), 0.3)
""".strip().split("\n")


def filled(torch, case, dtype):
    """What a call gives after a seed, as an array."""
    torch.manual_seed(3)
    names = {name: getattr(torch.nn.init, name) for name in dir(torch.nn.init) if name.endswith("_")}
    names["empty"] = lambda *sizes: torch.empty(*sizes, dtype=getattr(torch, dtype))
    return eval(case, names).numpy()

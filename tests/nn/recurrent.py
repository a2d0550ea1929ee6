"""The recurrent layers that the tests compare with PyTorch: each with and without options of the call."""

import numpy as np

RECURRENT = [
    f"{kind}(5, 4{options})|{call}"
    for kind, choices in {
        "RNN": ["", ", nonlinearity='relu'", ", num_layers=2, bidirectional=True"],
        "LSTM": [
            "",
            ", num_layers=3, dropout=0.4",
            ", proj_size=3, bidirectional=True",
            ", batch_first=True, bias=False",
        ],
        "GRU": ["", ", num_layers=2, bidirectional=True", ", batch_first=True"],
    }.items()
    for options in choices
    for call in ("padded", "state", "packed", "packed state")
]
CELLS = ["RNNCell(5, 4)", "RNNCell(5, 4, nonlinearity='relu')", "LSTMCell(5, 4, bias=False)", "GRUCell(5, 4)"]
CASES = [*RECURRENT, *(f"{cell}|{call}" for cell in CELLS for call in ("padded", "state"))]


def first_state(torch, layer, rng):
    """A first state of random numbers."""
    layers = (getattr(layer, "num_layers", 0) * (2 if getattr(layer, "bidirectional", False) else 1),)
    sizes = [getattr(layer, "proj_size", 0) or 4, 4]
    shapes = [(*[n for n in layers if n], 3, size) for size in sizes]
    parts = [torch.tensor(rng.standard_normal(shape).astype(np.float32), requires_grad=True) for shape in shapes]
    return parts if "LSTM" in type(layer).__name__ else parts[:1]


def evaluate(torch, case):
    """How a layer prints, its results, and the gradients of everything."""
    expression, _, call = case.partition("|")
    rng = np.random.default_rng(0)
    torch.manual_seed(2)
    layer = eval(expression, {name: getattr(torch.nn, name) for name in dir(torch.nn)})
    shape = (3, 5) if "Cell" in expression else (3, 6, 5) if layer.batch_first else (6, 3, 5)
    x = torch.tensor(rng.standard_normal(shape).astype(np.float32), requires_grad=True)
    state = first_state(torch, layer, rng) if "state" in call else []
    rnn = torch.nn.utils.rnn
    packed = "packed" in call
    given = rnn.pack_padded_sequence(x, [4, 6, 2], layer.batch_first, enforce_sorted=False) if packed else x
    results = layer(given, (tuple(state) if len(state) > 1 else state[0]) if state else None)
    if packed:
        results = (rnn.pad_packed_sequence(results[0], layer.batch_first, padding_value=0.5)[0], *results[1:])
    results = flat(results)
    sum((part**2).sum() for part in results).backward()
    found = {"repr": np.array(repr(layer))}
    found |= {f"result {i}": part.detach().numpy() for i, part in enumerate(results)}
    leaves = {"input": x, **dict(enumerate(state)), **dict(layer.named_parameters())}
    return found | {f"grad of {name}": leaf.grad.numpy() for name, leaf in leaves.items() if leaf.grad is not None}


def flat(value):
    """All tensors in nested tuples."""
    return [part for item in value for part in flat(item)] if isinstance(value, tuple) else [value]

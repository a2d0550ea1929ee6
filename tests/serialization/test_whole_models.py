"""Whole models in files: those that either library writes the other reads, and computes the same."""

import io
import pickle
from importlib import import_module

import pytest

import rushlight
from rushlight.nn.modules.places import MOVED

MODELS = {
    "Sequential(n.Conv2d(1, 4, 3), n.BatchNorm2d(4), n.AdaptiveAvgPool2d(2), n.PixelShuffle(2))": (
        1,
        1,
        5,
        5,
    ),
    "LSTM(3, 4, 2, bidirectional=True)": (2, 1, 3),
    "GRUCell(3, 4)": (1, 3),
    "RNNCell(3, 4, nonlinearity='relu')": (1, 3),
    "ConvTranspose2d(2, 2, 2)": (1, 2, 3, 3),
    "TransformerEncoderLayer(4, 2, 8, dropout=0.0)": (2, 1, 4),
    "TransformerEncoderLayer(4, 2, 8, dropout=0.0, activation='gelu')": (2, 1, 4),
    "Unfold(2)": (1, 1, 3, 3),
    "Sequential(n.Linear(3, 2), n.Softmax(1), n.LayerNorm(2), n.PReLU(), n.Flatten())": (2, 3),
    "ModuleDict({'a': n.ParameterList([n.Parameter(torch.ones(2))])})": None,
}


def made(torch, model):
    torch.manual_seed(0)
    return eval(f"n.{model}", {"n": torch.nn, "torch": torch}).eval()


def result(torch, model, shape):
    """What a model computes, and its state."""
    values = list(model.state_dict().values())
    if shape is not None:
        x = torch.arange(float(eval("*".join(map(str, shape))))).reshape(shape) / 10
        out = model(x)
        values += [out[0] if isinstance(out, tuple) else out]
    return [v.tolist() for v in values]


def through_a_file(one, other, model, **options):
    file = io.BytesIO()
    one.save(model, file)
    file.seek(0)
    return other.load(file, **options)


@pytest.mark.parametrize(("model", "shape"), MODELS.items())
@pytest.mark.parametrize("way", ["to torch", "from torch", "rushlight"])
@pytest.mark.filterwarnings("ignore")
def test_whole_models(model, shape, way):
    theirs = pytest.importorskip("torch")
    one, other = {"to torch": (rushlight, theirs), "from torch": (theirs, rushlight)}.get(way, (rushlight, rushlight))
    before = made(one, model)
    after = through_a_file(one, other, before, weights_only=False)
    assert repr(after) == repr(before)
    for a, b in zip(result(one, before, shape), result(other, after, shape), strict=True):
        assert flat(a) == pytest.approx(flat(b), abs=1e-5)


def flat(value):
    return [x for item in value for x in flat(item)] if isinstance(value, list) else [value]


def test_whole_models_of_allowed_classes():
    nn = rushlight.nn
    model = nn.Sequential(nn.MultiheadAttention(4, 2), nn.AdaptiveAvgPool1d(2))
    parts = {type(m) for m in model.modules()}
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        through_a_file(rushlight, rushlight, model)
    with rushlight.serialization.safe_globals([*parts, nn.modules.linear.NonDynamicallyQuantizableLinear]):
        again = through_a_file(rushlight, rushlight, model)
    assert repr(again) == repr(model)


@pytest.mark.parametrize(("ours", "theirs"), MOVED.items())
def test_layers_stand_where_pytorch_has_them(ours, theirs):
    home, name = ours
    assert getattr(import_module(theirs), name) is getattr(import_module(home), name)
    pytest.importorskip("torch")
    place = theirs.replace("rushlight", "torch")
    assert getattr(import_module(place), name).__module__ == place

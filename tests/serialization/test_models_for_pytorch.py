"""Whole models that rushlight writes are PyTorch's when PyTorch reads them."""

import io

import numpy as np
import pytest

import rushlight
from rushlight import nn

MODELS = {
    "SyncBatchNorm": lambda: nn.SyncBatchNorm(3),
    "TransformerEncoderLayer": lambda: nn.TransformerEncoderLayer(4, 2, 8, activation="gelu", batch_first=True),
    "LSTM": lambda: nn.LSTM(3, 4, 2),
    "MultiheadAttention": lambda: nn.MultiheadAttention(4, 2),
}


@pytest.mark.parametrize("name", MODELS)
def test_pytorch_reads_them(name):
    torch = pytest.importorskip("torch")
    rushlight.manual_seed(0)
    model, file = MODELS[name](), io.BytesIO()
    rushlight.save(model, file)
    file.seek(0)
    read = torch.load(file, weights_only=False)
    assert type(read) is getattr(torch.nn, name)
    for key, value in model.state_dict().items():
        np.testing.assert_array_equal(read.state_dict()[key], value.numpy())
    if name == "TransformerEncoderLayer":
        x = rushlight.ones(2, 3, 4)
        found, wanted = read.eval()(torch.ones(2, 3, 4)), model.eval()(x)
        np.testing.assert_allclose(found.detach(), wanted.detach().numpy(), atol=1e-6)


def test_memory_of_no_bytes_is_seen_as_any_type():
    empty = np.lib.stride_tricks.as_strided(np.zeros(4, np.uint8), (0,), (0,))  # as safetensors gives it
    assert rushlight.from_numpy(empty).view(rushlight.float32).shape == (0,)

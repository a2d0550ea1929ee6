"""Exported models compute what the models do, by the `onnx` package's own implementation."""

import numpy as np
import pytest

import rushlight as torch
from rushlight import nn
from rushlight.utils._pytree import tree_leaves

onnx = pytest.importorskip("onnx")
F = nn.functional


def agrees(model, *inputs, dims=(), larger=(), **options):
    """Exports a model and compares outputs for its inputs, and for larger ones."""
    names = [f"x{i}" for i in range(len(inputs))]
    axes = {name: {dim: f"n{dim}" for dim in dims} for name in names} if dims else None
    program = torch.onnx.export(model, inputs, input_names=names, dynamic_axes=axes, **options)
    if isinstance(model, nn.Module):
        model.eval()
    for given in (inputs, *larger):
        made, wanted = program(*given), tree_leaves(model(*given))
        torch.testing.assert_close(list(made), [one.detach() for one in wanted], rtol=1e-3, atol=1e-4, equal_nan=True)
    return program


IMAGES = [
    nn.Conv2d(3, 6, 3, 2, groups=3, dilation=2),
    nn.Conv2d(3, 4, 4, padding="same"),
    nn.Conv2d(3, 4, 3, padding=1, padding_mode="circular"),
    nn.ConvTranspose2d(3, 4, 3, 2, 1, 1),
    nn.BatchNorm2d(3),
    nn.BatchNorm2d(3, affine=False),
    nn.InstanceNorm2d(3, affine=True),
    nn.GroupNorm(3, 3),
    nn.LayerNorm([8, 8]),
    nn.LocalResponseNorm(2),
    nn.MaxPool2d(3, 2, 1, ceil_mode=True),
    nn.AvgPool2d(3, 2, 1, count_include_pad=False),
    nn.AdaptiveAvgPool2d((2, 3)),
    nn.AdaptiveMaxPool2d(2),
    nn.Upsample(scale_factor=2),
    nn.Upsample(scale_factor=2, mode="bicubic", align_corners=True),
    nn.ReflectionPad2d(1),
    nn.ConstantPad2d(1, 2.0),
    nn.PixelUnshuffle(2),
    nn.ChannelShuffle(3),
    nn.Linear(8, 3),
    nn.Linear(8, 3, bias=False),
    nn.Dropout(),
    nn.Flatten(),
    *(nn.ReLU(), nn.GELU(), nn.GELU("tanh"), nn.SiLU(), nn.Mish(), nn.ELU(0.5), nn.SELU(), nn.CELU(0.5), nn.PReLU(3)),
    *(nn.Softplus(3, 1), nn.ReLU6(), nn.Hardswish(), nn.Hardsigmoid(), nn.LogSigmoid(), nn.Softsign(), nn.GLU(-1)),
    *(nn.Softmax(1), nn.LogSoftmax(1), nn.Softmin(1), nn.Softshrink(), nn.Hardshrink(), nn.Threshold(0.1, 2.0)),
]


@pytest.mark.parametrize("layer", IMAGES, ids=str)
def test_layers_on_batches_of_any_size(layer):
    agrees(layer, torch.randn(2, 3, 8, 8), dims=[0], larger=[[torch.randn(5, 3, 8, 8)]])


@pytest.mark.parametrize(
    "layer", [nn.Conv1d(3, 4, 3), nn.AdaptiveAvgPool1d(2), nn.BatchNorm1d(3), nn.MaxPool1d(2)], ids=str
)
def test_layers_on_lines(layer):
    agrees(layer, torch.randn(2, 3, 8), dims=[0], larger=[[torch.randn(3, 3, 8)]])


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM])
@pytest.mark.parametrize("options", [{}, {"num_layers": 2, "bidirectional": True}], ids=str)
def test_recurrent_layers(kind, options):
    layer = kind(3, 4, batch_first=True, **options)
    agrees(layer, torch.randn(2, 3, 3), dims=[0], larger=[[torch.randn(5, 3, 3)]])


def test_transformers_on_sequences_of_any_length():
    layer = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True)
    agrees(nn.TransformerEncoder(layer, 2), torch.randn(2, 3, 4), dims=[0, 1], larger=[[torch.randn(3, 5, 4)]])


class Attending(nn.Module):
    """A block of a language model, as many are written: sizes of the input are numbers of the program."""

    def __init__(self):
        super().__init__()
        self.words, self.places, self.mixed = nn.Embedding(11, 8), nn.Embedding(16, 8), nn.Linear(8, 24)
        self.norm, self.head = nn.LayerNorm(8), nn.Linear(8, 11, bias=False)
        self.register_buffer("mask", torch.tril(torch.ones(16, 16)).view(1, 1, 16, 16))

    def forward(self, index):
        """The scores of the next words, by two ways of attending."""
        batch, length = index.size()
        x = self.words(index) + self.places(torch.arange(0, length).unsqueeze(0))
        q, k, v = (part.view(batch, length, 2, 4).transpose(1, 2) for part in self.mixed(self.norm(x)).split(8, dim=2))
        scores = (q @ k.transpose(-2, -1)) / 2
        weights = scores.masked_fill(self.mask[:, :, :length, :length] == 0, float("-inf")).softmax(-1)
        y = (weights @ v).transpose(1, 2).contiguous().view(batch, length, 8)
        z = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, 8)
        return self.head(x + y), self.head(z[:, [-1], :])


def test_a_language_model_on_sequences_of_any_length():
    index = torch.randint(0, 11, (2, 5))
    program = agrees(Attending(), index, dims=[0, 1], larger=[[torch.randint(0, 11, (3, 9))]])
    names = {one.name for one in program.model_proto.graph.initializer}
    assert {"words.weight", "places.weight", "mixed.weight", "norm.bias"} <= names


FUNCTIONS = """x[:, 1:]; x[..., None]; x[-1]; x[1:3, ::2]; x[None, :, 1]; x[:, [0, 2]]; x[[0, 2], [1, 1]]
x.roll((1, 2), (0, 1)); x.repeat(2, 1, 1); x.expand(2, 4, 5); x.unsqueeze(1).squeeze(); torch.stack([x, x], 1)
torch.cat([x, x], -1); x.split([1, 4], 1); x.unbind(0); x.T @ x; x @ x[0]; x.permute(1, 0); x.flatten()
x.mean((0, 1), keepdim=True); x.var(1); x.std(0, unbiased=False); torch.var_mean(x, 1); x.max(1); x.topk(2, 1)
x.sort(1, descending=True); (x > 0).any(1); (x > 0) & (x < 1); x.norm(dim=1); x.norm(3); F.normalize(x)
F.pad(x, (1, 2, 0, 1), value=3.0); F.one_hot(x.argmax(1), 5); x.gather(1, x.argmax(1)[:, None])
torch.einsum("ij,kj->ik", x, x); torch.tensordot(x, x, dims=([1], [1])); torch.outer(x[0], x[1])
x.double().mean(); x.half().float(); x.int() / 2; x.int() // 2; x.int() % -3; x % 0.3; torch.fmod(x, 0.3)
torch.div(x, 0.3, rounding_mode="trunc"); x.cumsum(1); x.logsumexp(1)
torch.addmm(x, x[:, :4], x, alpha=2, beta=0.5); torch.lerp(x, -x, 0.3); torch.addcmul(x, x, x, value=2)
torch.where(x > 0, x, 0.0); x.clamp(-0.5, 0.5); x.clamp(min=0); x.round(decimals=1); x.trunc(); x.expm1()
x.abs().log1p(); (x / 0).nan_to_num(); x.diagonal(1); x.triu(1); x.flip(0, 1); torch.zeros_like(x) + x
x.new_ones(2) - x[:2, :2]; 2**x; 1 / x; x.clone().mul_(2).add_(1); x.count_nonzero()
x.scatter(1, x.argmax(1)[:, None], 0.0); x.argsort(1, descending=True); x.median(0, keepdim=True); x.frac()
torch.hypot(x, x + 1); torch.xlogy(x.relu(), x.relu()); x[:, :4].trace(); torch.linalg.det(x[:, :4]); x[x > 0]
(x > 0).nonzero(); torch.cdist(x, x[:2] + 1); torch.cdist(x, x[:2] + 1, p=1.0);
x.index_add(1, x[0].argsort()[:2], x[:, :2])
x.scatter_add(1, x.argmax(1)[:, None], x); F.mse_loss(x, -x, reduction="sum"); F.smooth_l1_loss(x, -x, beta=0.7)
F.huber_loss(x, -x, delta=0.7); F.binary_cross_entropy(x.sigmoid(), x.relu().clamp(max=1), reduction="none")
F.binary_cross_entropy_with_logits(x, x.sigmoid()); F.soft_margin_loss(x, x.sign()); F.cross_entropy(x, x.argmax(1))
F.nll_loss(x, x.argmax(1)); F.kl_div(x, x.softmax(1), reduction="sum"); F.embedding_bag(x.argsort(1), x.T, mode="max")
F.embedding_bag(x[:, :4].argsort(1), x)
F.embedding_bag(x[:, :4].argsort(1), x, mode="sum", per_sample_weights=x[:, :4])
F.rms_norm(x, (5,)); torch.arange(4)[:, None] * x
"""


@pytest.mark.parametrize("code", [one.strip() for one in FUNCTIONS.replace("\n", ";").split(";") if one.strip()])
def test_functions(code):
    agrees(eval(f"lambda x: {code}", {"torch": torch, "F": F}), torch.linspace(-1.3, 1.7, 20).reshape(4, 5).sin())


def test_changes_in_place():
    def written(x):
        y = torch.zeros(4, 5)
        y[:, 0] = x[:, 1]
        y[1:3, 2:] = x[1:3, :3]
        part = y[:2]
        part.mul_(3)
        return y, part, x.relu_() + 1

    program = torch.onnx.export(written, torch.randn(4, 5))
    x = torch.randn(4, 5)
    torch.testing.assert_close(program(x), written(x.clone()))


def test_types_are_kept():
    program = agrees(lambda i, x: (i + 1, i * x, x > 0), torch.arange(3), torch.randn(3, dtype=torch.float64))
    kinds = [one.type.tensor_type.elem_type for one in program.model_proto.graph.output]
    assert kinds == [onnx.TensorProto.INT64, onnx.TensorProto.DOUBLE, onnx.TensorProto.BOOL]


@pytest.mark.parametrize("opset", [18, 22])
def test_opsets(opset):
    program = agrees(
        nn.Sequential(nn.Conv2d(3, 2, 3), nn.AvgPool2d(2), nn.GELU()), torch.randn(1, 3, 8, 8), opset_version=opset
    )
    assert program.model_proto.opset_import[0].version == opset


def test_older_opsets_are_converted_to_or_kept():
    layer, x = nn.Sequential(nn.Conv2d(3, 2, 3), nn.ReLU()), torch.randn(1, 3, 8, 8)
    assert agrees(layer, x, opset_version=17).model_proto.opset_import[0].version == 17
    with pytest.warns(UserWarning, match="keeps opset version 18"):
        assert agrees(layer, x, opset_version=9).model_proto.opset_import[0].version == 18


def test_batches_of_one_become_any():
    """A batch of one may need no copy where others do, and be broadcast where others are not."""

    def patches(x):
        n = x.shape[0]
        tokens = x.reshape(n, 2, 4).permute(2, 0, 1)
        return tokens.reshape(4, n * 2, 1).transpose(0, 1).reshape(n, 8)

    agrees(patches, torch.randn(1, 8), dims=[0], larger=[[torch.randn(3, 8)]])


def test_constants_are_computed_once():
    weight = torch.randn(3, 3)
    program = agrees(lambda x: x @ (weight.T * 2).softmax(0), torch.randn(2, 3))
    assert [node.op_type for node in program.model_proto.graph.node] == ["MatMul", "Identity"]
    assert np.prod(program.model_proto.graph.initializer[0].dims) == 9

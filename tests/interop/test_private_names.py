"""Programs in the style of published ones that import PyTorch's private names: the same results in both libraries."""

import numpy as np
import pytest

WEIGHT_STANDARDIZATION = """
import torch
import torch.nn.functional as F
from torch.nn.modules.conv import _ConvNd, _pair

class StandardizedConv2d(_ConvNd):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, padding_mode="zeros"):
        super().__init__(in_channels, out_channels, _pair(kernel_size), _pair(stride), _pair(padding), _pair(1),
                         False, _pair(0), 1, True, padding_mode)

    def forward(self, x):
        weight = self.weight - self.weight.mean((1, 2, 3), keepdim=True)
        if self.padding_mode != "zeros":
            x = F.pad(x, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return F.conv2d(x, weight, self.bias, self.stride, _pair(0), self.dilation, self.groups)
        return F.conv2d(x, weight, self.bias, self.stride, self.padding, self.dilation, self.groups)

layers = [StandardizedConv2d(2, 3, 3, padding=(1, 2), padding_mode=mode) for mode in ("zeros", "reflect", "circular")]
x = torch.randn(1, 2, 5, 5)
results = [repr(layers), [layer._reversed_padding_repeated_twice for layer in layers], *[layer(x) for layer in layers]]
"""

TRANSPOSED = """
import torch
import torch.nn.functional as F
from torch.nn.modules.conv import _ConvTransposeMixin, _ConvTransposeNd
from torch.nn.modules.utils import _pair

class Up(_ConvTransposeNd):
    def __init__(self, i, o, k):
        super().__init__(i, o, _pair(k), _pair(2), _pair(1), _pair(1), True, _pair(0), 1, True, "zeros")

    def forward(self, x, output_size=None):
        more = self._output_padding(x, output_size, self.stride, self.padding, self.kernel_size, 2, self.dilation)
        return F.conv_transpose2d(x, self.weight, self.bias, self.stride, self.padding, more, self.groups)

up, x = Up(2, 3, 3), torch.randn(1, 2, 5, 5)
results = [repr(up), up(x), up(x, [10, 9]), up(x, (1, 3, 10, 10)), up.transposed,
           issubclass(_ConvTransposeMixin, _ConvTransposeNd)]
"""

BLOCKS = """
import torch
from torch import nn
from torch.nn.modules.transformer import _get_activation_fn, _get_clones

class Halving(nn.TransformerEncoderLayer):
    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        return x * 0.5

class Blind(nn.TransformerDecoderLayer):
    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
        return super()._mha_block(x, mem, attn_mask, key_padding_mask).cumsum(0)

    def _ff_block(self, x):
        return torch.zeros_like(x)

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = _get_clones(Halving(8, 2, 16, dropout=0.0), 2)
        self.decoder = Blind(8, 2, 16, norm_first=True)

    def forward(self, x, target):
        for layer in self.layers:
            x = layer(x)
        return self.decoder(target, x)

model = Model()
results = [model(torch.randn(3, 2, 8), torch.randn(4, 2, 8)), type(model.layers).__name__,
           _get_activation_fn("gelu")(torch.ones(2))]
"""

NORMS_AND_POOLS = """
import torch
from torch import nn
from torch.nn.modules.batchnorm import _BatchNorm, _NormBase
from torch.nn.modules.module import (_addindent, _EXTRA_STATE_KEY_SUFFIX, _global_forward_hooks, _has_any_global_hook,
                                     register_module_forward_hook)
from torch.nn.modules.pooling import _AdaptiveAvgPoolNd, _AdaptiveMaxPoolNd, _AvgPoolNd, _LPPoolNd, _MaxPoolNd
from torch.nn.modules.utils import _list_with_default, _ntuple, _quadruple, _reverse_repeat_tuple, _triple

class AnyNorm(_BatchNorm):
    def _check_input_dim(self, input):
        if input.dim() < 3:
            raise ValueError("too few")

class GeM(_AdaptiveAvgPoolNd):
    def forward(self, x):
        return nn.functional.adaptive_avg_pool2d(x.clamp(min=1e-6) ** 3, self.output_size) ** (1 / 3)

class Counted(nn.Module):
    def __repr__(self):
        return "Counted(\\n  " + _addindent("(a): A(\\n\\n)", 2) + "\\n)"

pools = [nn.MaxPool2d(2), nn.AvgPool3d(2), nn.LPPool1d(2, 2), nn.AdaptiveMaxPool1d(2), GeM(1)]
kinds = [_MaxPoolNd, _AvgPoolNd, _LPPoolNd, _AdaptiveMaxPoolNd, _AdaptiveAvgPoolNd, nn.AvgPool2d, _NormBase]
before = bool(_has_any_global_hook())
handle = register_module_forward_hook(lambda *a: None)
during = bool(_has_any_global_hook()), len(_global_forward_hooks)
handle.remove()
results = [AnyNorm(3)(torch.randn(2, 3, 4, 4, 2, 2)), [[isinstance(p, k) for k in kinds] for p in pools],
           GeM(1)(torch.rand(1, 2, 4, 4)), repr(nn.Sequential(Counted())), _EXTRA_STATE_KEY_SUFFIX, before, during,
           bool(_has_any_global_hook()), _ntuple(5)(1), _quadruple([1, 2]), _triple(0),
           _reverse_repeat_tuple((1, 2), 3), _list_with_default([None, 3], [7, 8, 9])]
"""

PROGRAMS = {name: text for name, text in list(globals().items()) if name.isupper() and "results" in text}


def results_of(text, library):
    """The results of a program: arrays and plain values, in nested lists."""
    namespace = {}
    exec(f"import torch\ntorch.manual_seed(0)\n{text}".replace("torch", library), namespace)
    tensor = namespace[library].Tensor

    def plain(value):
        if isinstance(value, (list, tuple)):
            return [plain(item) for item in value]
        return value.detach().numpy() if isinstance(value, tensor) else value

    return plain(namespace["results"])


def assert_same(ours, theirs):
    assert type(ours) is type(theirs)
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
    elif isinstance(theirs, np.ndarray):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6)
    else:
        assert ours == theirs


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_give_the_same_results_as_under_pytorch(name):
    pytest.importorskip("torch")
    assert_same(results_of(PROGRAMS[name], "rushlight"), results_of(PROGRAMS[name], "torch"))

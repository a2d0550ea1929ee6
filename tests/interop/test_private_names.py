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

FLAT_GRADIENTS = """
import torch
from torch._utils import (_element_size, _flatten_dense_tensors, _get_available_device_type, _get_device_index,
                          _import_dotted_name, _reorder_tensors_as, _take_tensors, _unflatten_dense_tensors,
                          ExceptionWrapper)
from torch._tensor import Tensor

model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2))
model(torch.randn(5, 3)).sum().backward()
grads = [p.grad for p in model.parameters()]
flat = _flatten_dense_tensors(grads)
flat /= 4
for grad, synced in zip(grads, _unflatten_dense_tensors(flat, grads)):
    grad.copy_(synced)
mixed = [torch.ones(2), torch.ones(3, dtype=torch.int64), torch.ones(1), torch.ones(1), torch.ones(9)]
chunks = list(_take_tensors(mixed, 12))
back = _reorder_tensors_as([t for chunk in chunks for t in chunk], mixed)

def caught(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error).__name__, str(error).partition("\\n")[0]

def raised(error):
    try:
        raise error
    except Exception:
        return ExceptionWrapper(where="in loader 2")

class Odd(Exception):
    def __init__(self, a, b):
        super().__init__(a)

results = [flat, grads, [[list(t.shape) for t in chunk] for chunk in chunks], [list(t.shape) for t in back],
           _get_available_device_type(), [caught(_get_device_index, *a) for a in
           [("cpu",), ("cpu", False, True), (3,), (None,), (None, True), ("cuda:1",)]],
           [caught(raised(e).reraise) for e in (ValueError("v"), KeyError("k"), Odd(1, 2))],
           [_element_size(d) for d in (torch.float64, torch.bool, torch.complex64, torch.int16)],
           isinstance(flat, Tensor)]
"""

OPTIMIZERS = """
import torch
from torch.optim.optimizer import (Optimizer, _capturable_doc, _default_to_fused_or_foreach, _differentiable_doc,
                                   _disable_dynamo_if_unsupported, _foreach_doc, _get_scalar_dtype, _get_value,
                                   _global_optimizer_post_hooks, _maximize_doc, _params_doc, _stack_if_compiling,
                                   _to_scalar, _use_grad_for_differentiable, _view_as_real, required)
from torch.utils._foreach_utils import _group_tensors_by_device_and_dtype, _has_foreach_support

class Lion(Optimizer):
    def __init__(self, params, lr=required, betas=(0.9, 0.99), differentiable=False):
        super().__init__(params, dict(lr=lr, betas=betas, differentiable=differentiable))

    @_use_grad_for_differentiable
    def step(self, closure=None):
        for group in self.param_groups:
            params = [p for p in group["params"] if p.grad is not None]
            grads, means = [p.grad for p in params], []
            for p in params:
                state = self.state[p]
                if not state:
                    state["step"] = torch.tensor(0.0, dtype=_get_scalar_dtype())
                    state["mean"] = torch.zeros_like(p)
                state["step"] += 1
                means.append(state["mean"])
            lion(params, grads, means, *group["betas"], _get_value(_to_scalar(group["lr"])))

@_disable_dynamo_if_unsupported()
def lion(params, grads, means, beta1, beta2, lr):
    for (ps, gs, ms), _ in _group_tensors_by_device_and_dtype([params, grads, means]).values():
        _view_as_real(ps, gs, ms)
        for p, g, m in zip(ps, gs, ms):
            p.add_(torch.sign(m * beta1 + g * (1 - beta1)), alpha=-lr)
            m.lerp_(g, 1 - beta2)

params = [torch.randn(3, requires_grad=True), torch.randn(2, dtype=torch.complex64, requires_grad=True)]
optimizer = Lion(params, lr=torch.tensor([0.1]))
for _ in range(4):
    optimizer.zero_grad()
    sum((p.abs() ** 2).sum() for p in params).backward()
    optimizer.step()
class Wrapper(Lion):
    def __init__(self, optimizer):
        self.__dict__.update(optimizer.__dict__)
        self._patch_step_function()

Wrapper.step = lambda self, closure=None: Lion.step.__wrapped__(self, closure)
wrapper, calls = Wrapper(optimizer), []
wrapper.register_step_post_hook(lambda *a: calls.append(1))
wrapper.step()
try:
    "weights" in params[0]
except RuntimeError as error:
    calls.append(str(error))
ones, none = [torch.ones(2)], [None]
results = [calls, params, [optimizer.state[p]["mean"] for p in params], [optimizer.state[p]["step"] for p in params],
           [_default_to_fused_or_foreach(*a) for a in [(ones, False), (ones, True, True), (ones, False, True),
                                                       (none, False), ([torch.ones(1).int()], False, True)]],
           _stack_if_compiling([1, 2]), len(_global_optimizer_post_hooks), repr(required),
           _has_foreach_support(ones, torch.device("cpu")),
           [doc.partition(" ")[0] for doc in (_params_doc, _foreach_doc, _capturable_doc, _maximize_doc)]]
"""

COLLATING = """
import torch
import numpy as np
from torch.utils.data import DataLoader
from torch.utils.data._utils.collate import (collate, collate_tensor_fn, default_collate,
                                             default_collate_err_msg_format, default_collate_fn_map)

class Graph:
    def __init__(self, nodes):
        self.nodes = nodes

def together(batch, *, collate_fn_map=None):
    return torch.cat([graph.nodes for graph in batch])

def padded(batch, *, collate_fn_map=None):
    return torch.nn.utils.rnn.pad_sequence(batch, batch_first=True)

data = [{"graph": Graph(torch.ones(n)), "y": n, "z": (n / 2, True), "name": str(n), "a": np.float32(n)}
        for n in (1, 2, 3)]
default_collate_fn_map[Graph] = together
batches = list(DataLoader(data, batch_size=2))
del default_collate_fn_map[Graph]
try:
    default_collate([Graph(1)])
except TypeError as error:
    message = str(error).startswith(default_collate_err_msg_format[:40])
texts = {**default_collate_fn_map, torch.Tensor: padded}
results = [[list(batch.values()) for batch in batches], message,
           collate([(torch.ones(2), [1, "a"]), (torch.ones(3), [2, "b"])], collate_fn_map=texts),
           default_collate([True, False]), default_collate([np.int32(1), np.int32(2)]),
           collate_tensor_fn([torch.ones(1)] * 2)]
"""

FUNCTIONS = """
import warnings
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.functional import _canonical_mask, _in_projection, _in_projection_packed, _none_or_dtype
from torch._jit_internal import Final, _copy_to_script_wrapper, _overload, boolean_dispatch
from torch.nn.init import _calculate_correct_fan, _calculate_fan_in_and_fan_out, _no_grad_normal_, _no_grad_uniform_
from torch.nn.init import _no_grad_fill_, _no_grad_trunc_normal_, _no_grad_zero_
from torch.nn.utils.clip_grad import _clip_grads_with_norm_, _get_total_norm
from torch.utils._contextlib import _DecoratorContextManager

class Scaled(_DecoratorContextManager):
    def __init__(self, by=2):
        self.by = by

    def clone(self):
        return type(self)(self.by)

    def __enter__(self):
        global scale
        scale *= self.by

    def __exit__(self, *error):
        global scale
        scale /= self.by

scale = 1.0

@Scaled(3)
def current():
    return scale

def caught(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error).__name__, str(error)

x, y = torch.randn(4, 2, 6), torch.randn(5, 2, 6)
w, b = torch.randn(18, 6), torch.randn(18)
mask = torch.tensor([[True, False]])
total = _get_total_norm([x, y])
weight = torch.zeros(3, requires_grad=True)
weight.grad = torch.full((3,), 2.0)
_clip_grads_with_norm_([weight], 1.0, _get_total_norm([weight.grad]))
pick = boolean_dispatch("twice", 1, False, lambda v, twice: 2 * v, lambda v, twice=False: v, "m", "pick")
results = [_in_projection_packed(x, x, x, w, b), _in_projection_packed(x, y, y, w),
           _in_projection_packed(x, y, 2 * y, w, b),
           _in_projection(x, y, y, *w.chunk(3), *b.chunk(3)), caught(_in_projection, x, y, y, w, w, w),
           _canonical_mask(mask, "m", None, "", torch.float64), _none_or_dtype(None), caught(_none_or_dtype, 3),
           caught(_canonical_mask, torch.ones(2, dtype=torch.int64), "m", None, "", torch.float32),
           caught(F._verify_batch_size, [1, 3, 1]), caught(F._verify_batch_size, [2, 3]),
           caught(F._verify_spatial_size, [4, 3, 1]), [F._get_softmax_dim("softmax", n, 3) for n in range(5)],
           _calculate_correct_fan(w, "fan_out"), _calculate_fan_in_and_fan_out(torch.ones(2, 3, 4)),
           _no_grad_uniform_(torch.empty(3), -1, 1), _no_grad_normal_(torch.empty(3), 0, 2),
           _no_grad_fill_(torch.empty(2), 5),
           _no_grad_trunc_normal_(torch.empty(3), 0, 1, -2, 2), _no_grad_zero_(torch.empty(2)), total, weight.grad,
           pick(3), pick(3, True), pick(3, twice=True), pick.__name__, current(), scale]
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

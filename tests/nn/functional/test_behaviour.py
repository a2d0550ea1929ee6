"""What nn.functional does beyond its numbers, in rushlight and in PyTorch: errors, warnings, memory, names of nodes."""

import warnings

import numpy as np
import pytest

ERRORS = [
    ("conv2d", [(5,), (1, 1, 2, 2)], {}, RuntimeError, "Expected 3D (unbatched) or 4D (batched) input"),
    ("conv2d", [(1, 3, 8, 8), (6, 4, 3, 3)], {}, RuntimeError, "Given groups=1, weight of size [6, 4, 3, 3], expected"),
    ("conv2d", [(1, 4, 8, 8), (6, 4, 3, 3)], {"groups": 5}, RuntimeError, "Given groups=5, expected weight to be"),
    ("conv2d", [(1, 4, 8, 8), (6, 4, 3, 3)], {"groups": 0}, RuntimeError, "non-positive groups is not supported"),
    (
        "conv2d",
        [(1, 4, 8, 8), (6, 4, 3, 3), (5,)],
        {},
        RuntimeError,
        "Given weight of size [6, 4, 3, 3], expected bias",
    ),
    ("conv2d", [(1, 4, 8, 8), (6, 4, 3, 3)], {"stride": 0}, RuntimeError, "non-positive stride is not supported"),
    ("conv2d", [(1, 4, 8, 8), (6, 4, 3, 3)], {"padding": -1}, RuntimeError, "negative padding is not supported"),
    ("conv2d", [(1, 4, 8, 8), (6, 4, 3, 3)], {"stride": (1, 2, 3)}, RuntimeError, "expected stride to be a single"),
    ("conv2d", [(1, 4, 8, 8), (6, 4, 3, 3)], {"stride": 2, "padding": "same"}, RuntimeError, "padding='same' is not"),
    ("conv2d", [(1, 4, 8, 8), (6, 4, 3, 3)], {"padding": "foo"}, RuntimeError, "Invalid padding string: 'foo'"),
    ("conv2d", [(1, 4, 8, 2), (6, 4, 3, 3)], {}, RuntimeError, "Calculated padded input size per channel: (8 x 2)."),
    ("conv_transpose2d", [(1, 4, 8, 8), (4, 6, 3, 3)], {"output_padding": 2}, RuntimeError, "output padding must be"),
    ("conv_transpose2d", [(1, 3, 8, 8), (4, 6, 3, 3)], {}, RuntimeError, "Given transposed=1, weight of size"),
    ("unfold", [(1, 4, 8, 8), 10], {}, RuntimeError, "Given input with spatial size (8, 8), kernel_size=(10, 10)"),
    ("unfold", [(1, 4, 8, 8), 0], {}, RuntimeError, "kernel size should be greater than zero"),
    ("fold", [(1, 36, 36), 9, 3], {}, RuntimeError, "Given output_size=(9, 9), kernel_size=(3, 3), dilation=(1, 1)"),
    ("fold", [(1, 35, 36), 8, 3], {}, RuntimeError, "Expected size of input's dimension 1 to be divisible by"),
    ("max_pool2d", [(8, 8), 2], {}, RuntimeError, "non-empty 3D or 4D (batch mode) tensor expected for input"),
    ("max_pool2d", [(1, 4, 0, 8), 2], {}, RuntimeError, "Expected 3D or 4D (batch mode) tensor with optional 0 dim"),
    ("max_pool2d", [(1, 4, 8, 8), (2, 2, 2)], {}, RuntimeError, "max_pool2d: kernel_size must either be a single int"),
    ("max_pool2d", [(1, 4, 8, 8), 2, 2, 2], {}, RuntimeError, "pad should be at most half of effective kernel size"),
    ("max_pool2d", [(1, 4, 8, 8), 9], {}, RuntimeError, "Given input size: (4x8x8). Calculated output size: (4x0x0)."),
    ("avg_pool2d", [(1, 4, 8, 8), 2], {"divisor_override": 0}, RuntimeError, "divisor must be not zero"),
    ("adaptive_avg_pool2d", [(8, 8), 2], {}, RuntimeError, "adaptive_avg_pool2d(): Expected 3D or 4D tensor"),
    ("adaptive_avg_pool2d", [(1, 4, 8, 8), (2, 2, 2)], {}, RuntimeError, "adaptive_avg_pool2d: output_size must be 2"),
    ("adaptive_avg_pool2d", [(1, 4, 0, 8), 2], {}, RuntimeError, "adaptive_avg_pool2d(): Expected input to have non-"),
    ("fractional_max_pool2d", [(1, 4, 8, 8), 2], {}, ValueError, "fractional_max_pool2d requires specifying either"),
    (
        "batch_norm",
        [(1, 6, 1, 1), None, None],
        {"training": True},
        ValueError,
        "Expected more than 1 value per channel",
    ),
    ("batch_norm", [(2, 6), None, None], {}, RuntimeError, "running_mean must be defined in evaluation mode"),
    (
        "batch_norm",
        [(2, 6), (5,), (6,)],
        {"training": True},
        RuntimeError,
        "running_mean should contain 6 elements not 5",
    ),
    ("instance_norm", [(2, 6, 1)], {}, ValueError, "Expected more than 1 spatial element when training"),
    (
        "layer_norm",
        [(4, 6), 6],
        {},
        TypeError,
        "layer_norm(): argument 'normalized_shape' (position 2) must be tuple",
    ),
    ("group_norm", [(4, 6, 5), 4], {}, RuntimeError, "Expected number of channels in input to be divisible by"),
    ("group_norm", [(1, 6), 6], {}, ValueError, "Expected more than 1 value per channel when training"),
    ("local_response_norm", [(4, 6), 2], {}, ValueError, "Expected 3D or higher dimensionality"),
    ("dropout", [(4,), 1.5], {}, ValueError, "dropout probability has to be between 0 and 1, but got 1.5"),
    ("dropout1d", [(4,)], {}, RuntimeError, "dropout1d: Expected 2D or 3D input, but received a 1D input."),
    ("cross_entropy", [(4, 6), (4, 5)], {}, RuntimeError, "0D or 1D target tensor expected, multi-target"),
    ("cross_entropy", [(4, 6), (4, 6)], {"reduction": "all"}, ValueError, "all is not a valid value for reduction"),
    ("cross_entropy", [(4, 6), (4, 6)], {"label_smoothing": 2.0}, RuntimeError, "label_smoothing must be between 0.0"),
    ("mse_loss", [(4, 6), (3, 6)], {}, RuntimeError, "The size of tensor a (4) must match the size of tensor b (3)"),
    ("smooth_l1_loss", [(4,), (4,)], {"beta": -1.0}, RuntimeError, "smooth_l1_loss does not support negative values"),
    ("huber_loss", [(4,), (4,)], {"delta": 0.0}, RuntimeError, "huber_loss does not support non-positive values"),
    ("binary_cross_entropy", [(4,), (1,)], {}, ValueError, "Using a target size (torch.Size([1])) that is different"),
    (
        "binary_cross_entropy_with_logits",
        [(4,), (1,)],
        {},
        ValueError,
        "Target size (torch.Size([1])) must be the same",
    ),
    ("gaussian_nll_loss", [(4, 6), (4, 6), (3, 6)], {}, ValueError, "var is of incorrect size"),
    ("triplet_margin_loss", [(4, 6)] * 3, {"margin": 0}, ValueError, "margin must be greater than 0, got 0"),
    ("interpolate", [(1, 1, 4)], {}, ValueError, "either size or scale_factor should be defined"),
    ("interpolate", [(1, 1, 4), 2, 2], {}, ValueError, "only one of size or scale_factor should be defined"),
    (
        "interpolate",
        [(1, 1, 4), 2],
        {"mode": "bilinear"},
        NotImplementedError,
        "Got 3D input, but bilinear mode needs 4D",
    ),
    ("interpolate", [(1, 1, 4), 0], {}, RuntimeError, "Input and output sizes should be greater than 0"),
    (
        "grid_sample",
        [(1, 1, 4, 4), (1, 2, 2, 2)],
        {"mode": "x"},
        ValueError,
        "nn.functional.grid_sample(): expected mode",
    ),
    ("pixel_shuffle", [(3, 4, 4), 2], {}, RuntimeError, "pixel_shuffle expects its input's 'channel' dimension to be"),
    ("pixel_unshuffle", [(3, 4, 5), 2], {}, RuntimeError, "pixel_unshuffle expects width to be divisible by"),
    ("channel_shuffle", [(1, 6, 2), 4], {}, RuntimeError, "Number of channels must be divisible by groups."),
    (
        "scaled_dot_product_attention",
        [(4,)] * 3,
        {},
        RuntimeError,
        "Expected query, key, and value to all be  at least 2",
    ),
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("name", "args", "options", "error", "words"), ERRORS)
def test_errors(torch, name, args, options, error, words):
    alone = ("interpolate", "unfold", "fold", "layer_norm", "pool", "shuffle")  # their other tuples are settings
    tensors = 1 if any(word in name for word in alone) else len(args)
    values = [torch.ones(*a) if isinstance(a, tuple) and i < tensors else a for i, a in enumerate(args)]
    with pytest.raises(error) as caught:
        getattr(torch.nn.functional, name)(*values, **options)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("name", "node"),
    [
        ("conv2d", "ConvolutionBackward0"),
        ("max_pool2d", "MaxPool2DWithIndicesBackward0"),
        ("avg_pool2d", "AvgPool2DBackward0"),
        ("adaptive_max_pool2d", "AdaptiveMaxPool2DBackward0"),
        ("batch_norm", "NativeBatchNormBackward0"),
        ("cross_entropy", "NllLossBackward0"),
        ("mse_loss", "MseLossBackward0"),
        ("layer_norm", "NativeLayerNormBackward0"),
    ],
)
def test_names_of_nodes(torch, name, node):
    F, x = torch.nn.functional, torch.ones(2, 2, 4, 4).requires_grad_()
    calls = {
        "conv2d": lambda: F.conv2d(x, torch.ones(1, 2, 3, 3)),
        "batch_norm": lambda: F.batch_norm(x, None, None, training=True),
        "cross_entropy": lambda: F.cross_entropy(x[0, 0], torch.tensor([0, 1, 2, 3])),
        "mse_loss": lambda: F.mse_loss(x, torch.zeros(2, 2, 4, 4)),
        "layer_norm": lambda: F.layer_norm(x, (4,)),
    }
    result = calls.get(name, lambda: getattr(F, name)(x, 2))()
    assert result.grad_fn.name() == node


@pytest.mark.parametrize("name", ["batch_norm", "max_pool2d", "layer_norm", "group_norm"])
def test_results_may_be_changed_in_place(torch, name):
    F, x = torch.nn.functional, torch.linspace(-1, 1, 64).reshape(2, 2, 4, 4).requires_grad_()
    call = {
        "batch_norm": lambda: F.batch_norm(x, None, None, training=True),
        "max_pool2d": lambda: F.max_pool2d(x, 2),
        "layer_norm": lambda: F.layer_norm(x, (4,)),
        "group_norm": lambda: F.group_norm(x, 2),
    }[name]
    (expected,) = torch.autograd.grad(F.relu(call()).sum(), x)
    (found,) = torch.autograd.grad(F.relu(call(), inplace=True).sum(), x)
    assert torch.equal(found, expected)


def test_cross_entropy_refuses_classes_that_do_not_exist(torch):
    for label in (6, -1):
        with pytest.raises(IndexError, match=f"Target {label} is out of bounds."):
            torch.nn.functional.cross_entropy(torch.ones(2, 6), torch.tensor([0, label]))


def test_a_mean_over_nothing_is_nan(torch):
    F, x = torch.nn.functional, torch.ones(2, 3).requires_grad_()
    assert torch.isnan(F.cross_entropy(x, torch.tensor([-100, -100])))
    assert F.cross_entropy(x, torch.tensor([-100, -100]), reduction="sum") == 0


def test_broadcast_targets_are_warned_of(torch):
    with pytest.warns(UserWarning, match="Using a target size .* that is different to the input size"):
        torch.nn.functional.mse_loss(torch.ones(4, 6), torch.ones(1, 6))


def test_old_words_for_reductions(torch):
    with pytest.warns(UserWarning, match="please use reduction='sum' instead"):
        loss = torch.nn.functional.mse_loss(torch.ones(2), torch.zeros(2), size_average=False)
    assert loss == 2


def test_running_moments_are_moved_in_place(torch):
    x = torch.tensor([[1.0, 10.0], [3.0, 30.0]])
    mean, variance = torch.zeros(2), torch.ones(2)
    torch.nn.functional.batch_norm(x, mean, variance, training=True, momentum=0.5)
    assert mean.tolist() == [1.0, 10.0]
    assert variance.tolist() == [1.5, 100.5]


def test_evaluation_leaves_the_running_moments(torch):
    mean, variance = torch.zeros(2), torch.ones(2)
    torch.nn.functional.batch_norm(torch.ones(3, 2), mean, variance)
    assert mean.tolist() == [0.0, 0.0]
    assert variance.tolist() == [1.0, 1.0]


def test_dropout_of_nothing_is_the_input(torch):
    F, x = torch.nn.functional, torch.ones(3)
    assert F.dropout(x, 0.0) is x
    assert F.dropout(x, 0.5, training=False) is x


def test_masked_rows_attend_to_nothing(torch):
    q, k, v = torch.ones(2, 3).requires_grad_(), torch.ones(4, 3), torch.ones(4, 3)
    mask = torch.tensor([[False] * 4, [True] * 4])
    result = torch.nn.functional.scaled_dot_product_attention(q, k, v, mask)
    (grad,) = torch.autograd.grad(result.sum(), q)
    assert result[0].tolist() == [0.0, 0.0, 0.0]
    assert not torch.isnan(grad).any()


def test_interpolation_keeps_nan_to_its_neighbours(torch):
    x = torch.zeros(1, 1, 6)
    x[0, 0, 0] = float("nan")
    result = torch.nn.functional.interpolate(x, scale_factor=2)
    assert torch.isnan(result[0, 0]).tolist() == [True] * 2 + [False] * 10


def test_convolution_of_a_first_layer_computes_no_input_gradient():
    """The adjoint of the input is only computed where it is wanted."""
    import rushlight
    from rushlight.kernels import convolution as kernels

    called, adjoint = [], kernels.convolution_input
    kernels.convolution_input = lambda *args: called.append(args) or adjoint(*args)
    try:
        x, w = rushlight.ones(1, 1, 3, 3), rushlight.ones(1, 1, 2, 2).requires_grad_()
        rushlight.nn.functional.conv2d(x, w).sum().backward()
        assert not called
        rushlight.nn.functional.conv2d(x.requires_grad_(), w).sum().backward()
        assert called
    finally:
        kernels.convolution_input = adjoint


def test_batch_normalization_keeps_the_layout_while_nobody_looks():
    import rushlight

    x = rushlight.from_numpy(np.moveaxis(np.ones((3, 4, 4, 9)), -1, 0))
    result = rushlight.nn.functional.batch_norm(x, None, None, training=True)
    assert result._array.strides == x._array.strides
    assert result.stride() == (48, 16, 4, 1)


def test_no_warning_where_pytorch_has_none(torch):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.nn.functional.mse_loss(torch.ones(2), torch.ones(2))
        torch.nn.functional.kl_div(torch.zeros(2), torch.ones(2), reduction="batchmean")

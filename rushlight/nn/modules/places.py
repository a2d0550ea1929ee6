"""The modules in which PyTorch has its layers: programs import from there, and saved files name them."""

import sys
from importlib import import_module

# PyTorch's module (below torch.nn.modules), ours, and the classes.
PLACES = [
    ("activation", "attention", "MultiheadAttention"),
    ("batchnorm", "lazy", "LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d"),
    ("channelshuffle", "rearrangement", "ChannelShuffle"),
    ("container", "parameter_container", "ParameterDict ParameterList"),
    ("conv", "conv_transpose", "ConvTranspose1d ConvTranspose2d ConvTranspose3d _ConvTransposeMixin _ConvTransposeNd"),
    ("conv", "lazy", "LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d LazyConvTranspose2d LazyConvTranspose3d"),
    ("fold", "rearrangement", "Fold Unfold"),
    ("instancenorm", "lazy", "LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d"),
    ("linear", "lazy", "LazyLinear"),
    ("loss", "linear_entropy", "LinearCrossEntropyLoss"),
    ("pixelshuffle", "rearrangement", "PixelShuffle PixelUnshuffle"),
    ("pooling", "adaptive_pooling", "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d"),
    ("pooling", "adaptive_pooling", "AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d"),
    ("pooling", "adaptive_pooling", "FractionalMaxPool2d FractionalMaxPool3d _AdaptiveAvgPoolNd _AdaptiveMaxPoolNd"),
    ("rnn", "rnn_cells", "GRUCell LSTMCell RNNCell RNNCellBase"),
]
HOME = "rushlight.nn.modules."
LAYERS = {(HOME + ours, name): HOME + theirs for theirs, ours, names in PLACES for name in names.split()}
MOVED = {**LAYERS, ("rushlight.nn.parallel.synchronized", "SyncBatchNorm"): f"{HOME}batchnorm"}  # loaded when used


def show_classes() -> None:
    """Sets `__module__` of each class to the module in which PyTorch has it."""
    for (ours, name), theirs in LAYERS.items():
        setattr(import_module(theirs), name, getattr(sys.modules[ours], name))

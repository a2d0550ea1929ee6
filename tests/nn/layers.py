"""The layers that the tests make with rushlight and with PyTorch: how they are made, and what they are called
with.

Each line is an expression in `nn`, then the shapes of its inputs: `i` before a shape makes integers below 4,
`t` a target, whose gradient is not asked for.
"""

import numpy as np

LAYERS = """
Identity(54, unused=1)                                     | 2,3
Linear(5, 7)                                               | 3,5
Linear(5, 7, bias=False)                                   | 2,3,5
Bilinear(3, 4, 5)                                          | 2,3 2,4
Bilinear(3, 4, 5, bias=False)                              | 2,3 2,4
Conv1d(4, 6, 3)                                            | 2,4,9
Conv1d(4, 6, 3, 2, 1, 2, 2, bias=False)                    | 2,4,12
Conv1d(2, 3, 3, padding='same', padding_mode='circular')   | 2,2,7
Conv1d(2, 3, 4, padding='same', padding_mode='reflect')    | 2,2,7
Conv2d(3, 4, 3)                                            | 2,3,6,7
Conv2d(3, 4, (3, 2), stride=(2, 1), padding=(1, 0))        | 2,3,6,7
Conv2d(2, 4, 3, padding=1, padding_mode='replicate')       | 2,2,5,5
Conv2d(2, 4, 3, padding='valid')                           | 2,5,5
Conv3d(2, 3, 2, groups=1)                                  | 1,2,4,4,4
ConvTranspose1d(3, 4, 3, stride=2, output_padding=1)       | 2,3,5
ConvTranspose2d(3, 4, 3, stride=2, padding=1)              | 2,3,4,4
ConvTranspose2d(4, 2, (2, 3), groups=2, bias=False)        | 2,4,4,4
ConvTranspose3d(2, 2, 2)                                   | 1,2,3,3,3
BatchNorm1d(4)                                             | 6,4
BatchNorm1d(4, momentum=None, affine=False)                | 3,4,5
BatchNorm2d(3, eps=1e-3)                                   | 2,3,4,4
BatchNorm2d(3, track_running_stats=False)                  | 2,3,4,4
BatchNorm2d(3, bias=False)                                 | 2,3,4,4
BatchNorm3d(2)                                             | 2,2,3,3,3
InstanceNorm1d(3)                                          | 2,3,5
InstanceNorm1d(3, eps=1e-4)                                | 3,5
InstanceNorm2d(3, affine=True, track_running_stats=True)   | 2,3,4,4
InstanceNorm3d(2)                                          | 2,2,3,3,3
LayerNorm(5)                                               | 2,3,5
LayerNorm([3, 5], eps=1e-3, bias=False)                    | 2,3,5
LayerNorm(5, elementwise_affine=False)                     | 2,3,5
GroupNorm(2, 6)                                            | 2,6,4
GroupNorm(3, 6, affine=False)                              | 2,6,4
RMSNorm(5)                                                 | 2,5
RMSNorm([3, 5], eps=1e-5, elementwise_affine=False)        | 2,3,5
LocalResponseNorm(2)                                       | 2,4,5
Embedding(4, 3)                                            | i2,3
Embedding(4, 3, padding_idx=-1, max_norm=1.0)              | i2,3
EmbeddingBag(4, 3)                                         | i2,5
EmbeddingBag(4, 3, mode='sum', padding_idx=0)              | i2,5
ReLU()                                                     | 3,4
ReLU(inplace=True)                                         | 3,4
ReLU6()                                                    | 3,4
RReLU(0.1, 0.3)                                            | 3,4
Hardtanh(-0.5, 0.7)                                        | 3,4
Sigmoid()                                                  | 3,4
Hardsigmoid()                                              | 3,4
Tanh()                                                     | 3,4
SiLU()                                                     | 3,4
Mish()                                                     | 3,4
Hardswish()                                                | 3,4
ELU(0.7)                                                   | 3,4
CELU(0.7, inplace=True)                                    | 3,4
SELU()                                                     | 3,4
GLU(dim=1)                                                 | 3,4
GELU()                                                     | 3,4
GELU('tanh')                                               | 3,4
Hardshrink(0.3)                                            | 3,4
LeakyReLU(0.2)                                             | 3,4
LogSigmoid()                                               | 3,4
Softplus(2.0, 10.0)                                        | 3,4
Softshrink(0.3)                                            | 3,4
PReLU()                                                    | 3,4
PReLU(4, init=0.1)                                         | 3,4
Softsign()                                                 | 3,4
Tanhshrink()                                               | 3,4
Threshold(0.1, 20.0)                                       | 3,4
Softmin(dim=1)                                             | 3,4
Softmax(dim=-1)                                            | 3,4
Softmax2d()                                                | 2,3,4,4
LogSoftmax(dim=1)                                          | 3,4
Dropout(0.3)                                               | 40,5
Dropout1d(0.3)                                             | 4,5,6
Dropout2d()                                                | 4,5,2,2
Dropout3d()                                                | 4,5,2,2,2
AlphaDropout(0.4)                                          | 40,5
FeatureAlphaDropout(0.4)                                   | 4,5,3,3
Flatten()                                                  | 2,3,4
Flatten(0, 1)                                              | 2,3,4
Unflatten(1, (2, 3))                                       | 2,6
MaxPool1d(3, 2)                                            | 2,3,9
MaxPool2d(2)                                               | 2,3,6,7
MaxPool2d((3, 2), stride=(2, 1), padding=1, ceil_mode=True) | 2,3,6,7
MaxPool3d(2)                                               | 1,2,4,4,4
AvgPool1d(3, padding=1)                                    | 2,3,9
AvgPool2d(2, ceil_mode=True)                               | 2,3,5,5
AvgPool2d(3, padding=1, count_include_pad=False)           | 2,3,5,5
AvgPool3d(2, divisor_override=3)                           | 1,2,4,4,4
LPPool1d(2, 3)                                             | 2,3,9
LPPool2d(1.5, 2, stride=1)                                 | 2,3,5,5
LPPool3d(2, 2)                                             | 1,2,4,4,4
AdaptiveAvgPool1d(4)                                       | 2,3,9
AdaptiveAvgPool2d((3, None))                               | 2,3,7,6
AdaptiveAvgPool3d(2)                                       | 1,2,4,5,6
AdaptiveMaxPool1d(4)                                       | 2,3,9
AdaptiveMaxPool2d((3, None))                               | 2,3,7,6
AdaptiveMaxPool3d(2)                                       | 1,2,4,5,6
FractionalMaxPool2d(2, output_ratio=0.5)                   | 2,3,8,8
FractionalMaxPool3d(2, output_size=3)                      | 1,2,8,8,8
ConstantPad1d(2, 3.5)                                      | 2,3
ConstantPad2d((1, 2, 0, 1), -1.0)                          | 2,3,4
ConstantPad3d(1, 0.5)                                      | 1,2,2,2,2
ZeroPad1d((1, 2))                                          | 2,3
ZeroPad2d(1)                                               | 2,3,4
ZeroPad3d(1)                                               | 1,2,2,2,2
ReflectionPad1d(2)                                         | 2,2,5
ReflectionPad2d((1, 2, 0, 1))                              | 2,2,4,4
ReflectionPad3d(1)                                         | 1,2,3,3,3
ReplicationPad1d(2)                                        | 2,2,5
ReplicationPad2d((1, 2, 0, 1))                             | 2,2,4,4
ReplicationPad3d(1)                                        | 1,2,3,3,3
CircularPad1d(2)                                           | 2,2,5
CircularPad2d((1, 2, 0, 1))                                | 2,2,4,4
CircularPad3d(1)                                           | 1,2,3,3,3
CosineSimilarity(dim=1)                                    | 3,4 3,4
PairwiseDistance(p=3.0, keepdim=True)                      | 3,4 3,4
Upsample(scale_factor=2)                                   | 1,2,3,3
Upsample(size=(5, 4), mode='bilinear')                     | 1,2,3,3
Upsample(scale_factor=(2, 1.5), mode='bicubic')            | 1,2,4,4
UpsamplingNearest2d(scale_factor=2)                        | 1,2,3,3
UpsamplingBilinear2d(size=5)                               | 1,2,3,3
PixelShuffle(2)                                            | 1,8,3,3
PixelUnshuffle(2)                                          | 1,2,4,4
ChannelShuffle(2)                                          | 1,4,3,3
Unfold((2, 3), padding=1)                                  | 2,2,4,5
Fold((4, 5), 2, stride=1)                                  | 1,8,12
Sequential(Linear(3, 4), ReLU(), Linear(4, 2))             | 5,3
ModuleList([Linear(2, 2), Linear(2, 2), ReLU(), Tanh()])   |
ModuleDict({'b': ReLU(), 'a': Sequential(Tanh(), GELU())}) |
Sequential()                                               | 2,3
L1Loss()                                                   | 3,4 t3,4
L1Loss(reduction='sum')                                    | 3,4 t3,4
MSELoss()                                                  | 3,4 t3,4
MSELoss(reduction='none')                                  | 3,4 t3,4
SmoothL1Loss(beta=0.5)                                     | 3,4 t3,4
HuberLoss(delta=0.5)                                       | 3,4 t3,4
NLLLoss()                                                  | 5,4 i5
CrossEntropyLoss()                                         | 5,4 i5
CrossEntropyLoss(label_smoothing=0.1, ignore_index=2)      | 5,4 i5
CrossEntropyLoss(reduction='sum')                          | 5,4,2 i5,2
LinearCrossEntropyLoss(3, 4)                               | 5,3 i5
LinearCrossEntropyLoss(3, 4, bias=True, ignore_index=2)    | 5,3 i5
LinearCrossEntropyLoss(3, 4, out_features=(2,))            | 5,3 i5,2
LinearCrossEntropyLoss(3, 4, reduction='none')             | 5,3 i5
PoissonNLLLoss(full=True)                                  | 3,4 i3,4
KLDivLoss(reduction='batchmean', log_target=True)          | 3,4 t3,4
BCEWithLogitsLoss()                                        | 3,4 t3,4
HingeEmbeddingLoss()                                       | 3,4 t3,4
SoftMarginLoss()                                           | 3,4 t3,4
MultiLabelMarginLoss()                                     | 3,4 i3,4
MultiLabelSoftMarginLoss()                                 | 3,4 t3,4
MultiMarginLoss(p=2)                                       | 3,4 i3
CosineEmbeddingLoss(margin=0.2)                            | 3,4 3,4 i3
MarginRankingLoss(margin=0.1)                              | 3,4 3,4 i3,4
TripletMarginLoss(swap=True)                               | 3,4 3,4 3,4
TripletMarginWithDistanceLoss(margin=0.5)                  | 3,4 3,4 3,4
"""


def cases() -> list[tuple[str, list[str]]]:
    """The expressions, each with the descriptions of its inputs."""
    lines = [line.split("|") for line in LAYERS.strip().split("\n")]
    return [(expression.strip(), shapes.split()) for expression, shapes in lines]


def make(torch, expression):
    """The layer, from the same random numbers every time."""
    torch.manual_seed(1)
    return eval(expression, {name: getattr(torch.nn, name) for name in dir(torch.nn)})


def inputs(torch, shapes, differentiable):
    """The layer's inputs, from the same numbers in both libraries."""
    rng = np.random.default_rng(0)
    tensors = []
    for shape in shapes:
        sizes = [int(n) for n in shape.strip("it").split(",")]
        if shape.startswith("i"):
            tensors.append(torch.tensor(rng.integers(0, 4, sizes)))
        else:
            tensor = torch.tensor(rng.standard_normal(sizes).astype(np.float32))
            tensors.append(tensor.requires_grad_(differentiable and not shape.startswith("t")))
    return tensors


def evaluate(torch, expression, shapes) -> dict[str, np.ndarray]:
    """Everything that is to be the same in both libraries: repr, state, result, gradients, state after the call."""
    layer = make(torch, expression)
    found = {"repr": np.array(repr(layer))}
    found |= {f"state.{name}": value.numpy().copy() for name, value in layer.state_dict().items()}
    if shapes:
        arguments = inputs(torch, shapes, "inplace=True" not in expression)
        result = layer(*arguments)
        found["result"] = result.detach().numpy().copy()
        if result.requires_grad:
            (result * result).sum().backward()
        leaves = {**dict(enumerate(arguments)), **dict(layer.named_parameters())}
        for name, leaf in leaves.items():
            if leaf.grad is not None:
                found[f"grad.{name}"] = leaf.grad.numpy().copy()
        found |= {f"after.{name}": value.numpy().copy() for name, value in layer.named_buffers()}
    return found

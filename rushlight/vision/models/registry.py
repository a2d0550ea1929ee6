"""Models by name, and the names of their weights, which are not downloaded."""

from collections.abc import Callable
from enum import Enum
from typing import Any

from rushlight import nn

__all__ = ["WeightsEnum", "get_model", "get_model_builder", "get_model_weights", "list_models"]

BUILDERS: dict[str, Callable[..., Any]] = {}
WEIGHTS: dict[str, Any] = {}


class WeightsEnum(Enum):
    """The pretrained weights that torchvision offers for a model, by name."""

    def get_state_dict(self, *args: Any, **kwargs: Any) -> None:
        """Raises RuntimeError: weights are not downloaded."""
        refuse(self)

    def transforms(self, *args: Any, **kwargs: Any) -> None:
        """Raises RuntimeError: the preprocessing comes with the weights."""
        refuse(self)


def refuse(weights: Any) -> None:
    """Raises RuntimeError if pretrained weights are asked for."""
    raise RuntimeError(
        f"rushlight downloads no weights ({weights}): build the model with weights=None, and read a file that you have "
        "with model.load_state_dict(torch.load(path))."
    )


def model(*versions: str) -> Callable[..., Any]:
    """Registers a function that builds a model, with the names of its weights."""

    def enter(build: Callable[..., Any]) -> Callable[..., Any]:
        name = build.__name__
        kinds = versions or ("IMAGENET1K_V1",)
        values = {version: f"{name}: {version}" for version in kinds}
        offered: Any = WeightsEnum(  # type: ignore[call-arg]
            weights_name(name), {**values, "DEFAULT": values.get("IMAGENET1K_V2", values[kinds[0]])}
        )
        WEIGHTS[weights_name(name)] = offered

        def builder(
            *, weights: Any = None, progress: bool = True, pretrained: bool = False, **kwargs: Any
        ) -> nn.Module:
            if weights is not None or pretrained:
                refuse(weights or offered.DEFAULT)
            return build(**kwargs)

        builder.__name__ = builder.__qualname__ = name
        builder.__doc__, builder.__module__ = build.__doc__, build.__module__
        BUILDERS[name] = builder
        return builder

    return enter


SPELLED = {
    "alexnet": "AlexNet",
    "vgg": "VGG",
    "bn": "BN",
    "resnet": "ResNet",
    "resnext": "ResNeXt",
    "wide": "Wide",
    "efficientnet": "EfficientNet",
    "convnext": "ConvNeXt",
    "mnasnet": "MNASNet",
    "shufflenet": "ShuffleNet",
    "googlenet": "GoogLeNet",
    "regnet": "RegNet",
    "fcn": "FCN",
    "deeplabv": "DeepLabV",
    "lraspp": "LRASPP",
    "squeezenet": "SqueezeNet",
    "densenet": "DenseNet",
    "mobilenet": "MobileNet",
    "vit": "ViT",
    "b": "B",
    "l": "L",
    "h": "H",
    "v": "V",
}


def weights_name(name: str) -> str:
    """The class name for a model's weights: `ResNet18_Weights` for `resnet18`.

    >>> weights_name("vgg11_bn"), weights_name("vit_b_16"), weights_name("mobilenet_v3_small")
    ('VGG11_BN_Weights', 'ViT_B_16_Weights', 'MobileNet_V3_Small_Weights')
    """
    words = []
    for word in name.split("_"):
        letters = word.rstrip("0123456789")
        digits = word[len(letters) :]
        if "d" in digits or letters[-1:] == "d":  # such as 32x4d
            words.append(word.upper())
        else:
            words.append(SPELLED.get(letters, word.upper() if letters[:1].isdigit() else letters.capitalize()) + digits)
    return "_".join([*words, "Weights"])


def list_models(module: Any = None, include: Any = None, exclude: Any = None) -> list[str]:
    """The names of all models."""
    return sorted(BUILDERS)


def get_model_builder(name: str) -> Callable[..., Any]:
    """The function that builds a model. ValueError for an unknown name."""
    if name.lower() not in BUILDERS:
        raise ValueError(f"Unknown model {name}: rushlight has {', '.join(sorted(BUILDERS))}")
    return BUILDERS[name.lower()]


def get_model(name: str, **config: Any) -> nn.Module:
    """Builds a model by its name.

    >>> from rushlight.vision import models
    >>> models.get_model("squeezenet1_1", num_classes=10).num_classes
    10
    """
    return get_model_builder(name)(**config)


def get_model_weights(name: Any) -> Any:
    """The names of the weights of a model."""
    return WEIGHTS[weights_name(name if isinstance(name, str) else name.__name__)]


def divisible(value: float, divisor: int) -> int:
    """The multiple of `divisor` nearest to `value`; the next larger one if that is less than 90 % of `value`."""
    rounded = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return rounded + divisor if rounded < 0.9 * value else rounded


def start(module: nn.Module, mode: str = "fan_out", linear: float | Callable[..., Any] | None = 0.01) -> None:
    """Initializes convolutions by Kaiming's method, normalizations as identity.

    Linear layers get normal numbers of a standard deviation, what a function does to their weights, or their own.
    """
    for layer in module.modules():
        if isinstance(layer, nn.Conv2d):
            nn.init.kaiming_normal_(layer.weight, mode=mode)
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)
        elif isinstance(layer, (nn.BatchNorm2d, nn.GroupNorm)):
            nn.init.ones_(layer.weight)
            nn.init.zeros_(layer.bias)
        elif isinstance(layer, nn.Linear):
            if callable(linear):
                linear(layer.weight)
            elif linear is not None:
                nn.init.normal_(layer.weight, 0, linear)
            nn.init.zeros_(layer.bias)


def start_linear(module: nn.Module) -> None:
    """Initializes linear layers as transformers do: weights by Xavier's method, biases near zero."""
    for layer in module.modules():
        if isinstance(layer, nn.Linear):
            nn.init.xavier_uniform_(layer.weight)
            nn.init.normal_(layer.bias, std=1e-6)

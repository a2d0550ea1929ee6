"""Networks for images: the parameters, initial weights and results that torchvision 0.29 gives for the same seed."""

import pytest

import rushlight as torch
from rushlight.vision import models

SMALL_VIT = {
    "image_size": 64,
    "patch_size": 16,
    "num_layers": 2,
    "num_heads": 2,
    "hidden_dim": 16,
    "mlp_dim": 32,
    "representation_size": 8,
}
# the names in the state, the numbers in it, the sums of their sizes and of the result's, the last name but two
RECORDED = {
    "resnet18": (122, 11699132, 240637.893637, 282.7465, "layer4.1.bn2.num_batches_tracked"),
    "squeezenet1_1": (52, 1235496, 54015.571822, 45.739, "features.12.expand3x3.bias"),
    "mobilenet_v2": (314, 3539036, 179909.424847, 0.0, "features.18.1.num_batches_tracked"),
    "mobilenet_v3_small": (244, 2555002, 98521.682505, 0.0, "classifier.0.bias"),
    "densenet121": (727, 8062625, 386890.292383, 257.3754, "features.norm5.num_batches_tracked"),
    "efficientnet_b1": (508, 7856301, 486169.939435, 0.0, "features.8.1.num_batches_tracked"),
    "efficientnet_v2_s": (782, 21612470, 1350926.516667, 0.0002, "features.7.1.num_batches_tracked"),
    "convnext_tiny": (182, 28589128, 463310.016061, 442.1175, "classifier.0.bias"),
    "mnasnet0_75": (314, 3200068, 180066.741694, 0.0, "layers.15.num_batches_tracked"),
    "shufflenet_v2_x1_0": (338, 2294840, 75304.401724, 15.7524, "conv5.1.num_batches_tracked"),
    "googlenet": (364, 13020019, 118733.535173, 15.3924, "aux2.fc2.bias"),
    "inception_v3": (580, 27197584, 2140044.536105, 21206294687.87, "Mixed_7c.branch_pool.bn.num_batches_tracked"),
    "swin_t": (185, 28317166, 2883275.587065, 430.248, "norm.bias"),
    "swin_v2_t": (233, 28406122, 5971845.948287, 450.0753, "norm.bias"),
    "regnet_y_400mf": (384, 4371349, 271592.169059, 6.7021, "trunk_output.block4.block4-5.f.c.1.num_batches_tracked"),
    "regnet_x_800mf": (320, 7297021, 339664.605916, 15.5404, "trunk_output.block4.block4-4.f.c.1.num_batches_tracked"),
    "vision transformer": (34, 26208, 1120.30201, 211.0626, "heads.pre_logits.bias"),
}


@pytest.mark.parametrize("name", RECORDED)
def test_weights_and_results_are_torchvisions(name):
    torch.manual_seed(3)
    options = {"init_weights": True} if name in ("googlenet", "inception_v3") else {}
    model = models.VisionTransformer(**SMALL_VIT) if "vision" in name else models.get_model(name, **options)
    state = model.eval().state_dict()
    size = 75 if name == "inception_v3" else 64
    x = torch.sin(torch.arange(3.0 * size * size)).reshape(1, 3, size, size)
    with torch.no_grad():
        if "vision" in name:  # its last layer is 0 at first
            y = model.encoder(torch.cat([model.class_token, model._process_input(x)], 1))
            assert model(x).tolist() == torch.zeros(1, 1000).tolist()
        else:
            y = model(x)
    weights = sum(value.double().abs().sum().item() for value in state.values())
    count, elements, size, result, key = RECORDED[name]
    assert (len(state), sum(value.numel() for value in state.values()), list(state)[-3]) == (count, elements, key)
    assert weights == pytest.approx(size, rel=1e-11, abs=2e-6)
    assert y.double().abs().sum().item() == pytest.approx(result, rel=3e-6, abs=1e-3)


# with five classes, and for two of them a second classifier: the same, with the sums of each result's sizes
SEGMENTED = {
    "fcn_resnet50": (334, 35364609, 816951.430767, {"out": 29084.1461, "aux": 13760.2825}),
    "deeplabv3_resnet50": (362, 39691521, 846334.303055, {"out": 1989.6157}),
    "deeplabv3_mobilenet_v3_large": (360, 11053098, 268473.245097, {"out": 817.5262, "aux": 4370.3134}),
    "lraspp_mobilenet_v3_large": (319, 3243521, 214642.250863, {"out": 1162.005}),
}


@pytest.mark.parametrize("name", SEGMENTED)
def test_segmentation(name):
    count, elements, size, results = SEGMENTED[name]
    torch.manual_seed(3)
    options = {"aux_loss": True} if "aux" in results else {}
    model = models.get_model(name, num_classes=5, weights_backbone=None, **options).eval()
    state = model.state_dict()
    weights = sum(value.double().abs().sum().item() for value in state.values())
    assert (len(state), sum(value.numel() for value in state.values())) == (count, elements)
    assert weights == pytest.approx(size, rel=1e-11, abs=2e-6)
    x = torch.sin(torch.arange(3.0 * 64 * 64)).reshape(1, 3, 64, 64)
    with torch.no_grad():
        found = model(x)
    assert {tuple(scores.shape) for scores in found.values()} == {(1, 5, 64, 64)}
    sums = {name: scores.double().abs().sum().item() for name, scores in found.items()}
    assert sums == pytest.approx(results, rel=3e-6)


def test_pretrained_backbones_are_refused():
    for name in SEGMENTED:
        with pytest.raises(RuntimeError, match=r"rushlight downloads no weights .*give weights_backbone=None"):
            models.get_model(name)
    assert models.segmentation.FCN_ResNet50_Weights.DEFAULT.name == "COCO_WITH_VOC_LABELS_V1"
    assert models.RegNet_Y_1_6GF_Weights.DEFAULT is models.RegNet_Y_1_6GF_Weights.IMAGENET1K_V2


def test_layers_by_name():
    network = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 4))
    with pytest.raises(ValueError, match="return_layers are not present in model"):
        models.feature_layers.IntermediateLayerGetter(network, {"7": "out"})


def test_a_network_is_trained():
    model = models.resnet18(num_classes=3)
    x, y = torch.randn(2, 3, 32, 32), torch.tensor([0, 2])
    torch.nn.functional.cross_entropy(model(x), y).backward()
    assert all(p.grad is not None and bool(p.grad.isfinite().all()) for p in model.parameters())


@pytest.mark.parametrize("name", ["googlenet", "inception_v3"])
def test_classifiers_halfway_are_trained_too(name):
    with pytest.warns(FutureWarning, match="set init_weights=True"):
        model = models.get_model(name, num_classes=2)
    size = 96 if name == "googlenet" else 299
    scores, *others = model(torch.randn(2, 3, size, size))
    assert [tuple(one.shape) for one in (scores, *others)] == [(2, 2)] * (3 if name == "googlenet" else 2)
    assert model.eval()(torch.randn(1, 3, size, size)).shape == (1, 2)


def test_weights_are_named_and_refused():
    assert models.ResNet18_Weights.DEFAULT is models.ResNet18_Weights.IMAGENET1K_V1
    assert models.ResNet50_Weights.DEFAULT is models.ResNet50_Weights.IMAGENET1K_V2
    assert models.get_model_weights("vit_b_16") is models.ViT_B_16_Weights
    for given in ({"weights": models.ResNet18_Weights.DEFAULT}, {"weights": "DEFAULT"}, {"pretrained": True}):
        with pytest.raises(RuntimeError, match="rushlight downloads no weights"):
            models.resnet18(**given)
    with pytest.raises(ValueError, match="Unknown model resnet19"):
        models.get_model("resnet19")
    assert {"alexnet", "vgg16_bn", "resnet152", "vit_l_32", "mobilenet_v3_large"} <= set(models.list_models())
    with pytest.raises(AttributeError, match=r"module 'torch.vision.models' has no attribute 'inception_v9'"):
        models.inception_v9  # noqa: B018

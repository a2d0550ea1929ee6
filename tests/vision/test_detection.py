"""Overlaps, losses and regions of boxes, and feature pyramids, with the numbers that torchvision 0.29 gives."""

import pytest

import rushlight as torch
from rushlight.vision import models, ops

BOXES = torch.tensor([[0.0, 0, 4, 4], [2, 1, 9, 3], [5, 5, 6, 9]], dtype=torch.float64)
OTHERS = torch.tensor([[1.0, 0, 5, 4], [2, 1, 9, 4], [0, 0, 1, 2]], dtype=torch.float64)
LOSSES = {
    "generalized_box_iou_loss": [0.4, 0.333333, 1.888889],
    "distance_box_iou_loss": [0.42439, 0.337644, 1.521368],
    "complete_box_iou_loss": [0.42439, 0.337768, 1.521736],
}
PAIRS = {
    "distance_box_iou": [0.57561, 0.064682, 0.023438, 0.171875, 0.662356, -0.288889, -0.294811, -0.179204, -0.521368],
    "complete_box_iou": [0.57561, 0.060702, 0.021518, 0.15916, 0.662232, -0.349527, -0.307339, -0.267128, -0.521736],
}
FOCAL = [0.001353, 0.216065, 0.081812, 0.245437, 0.648194, 0.000451]
PYRAMID = {"a": -51.4428, "b": 6.4624}
ALIGNED = {
    (2, 2, -1, False): [-0.1276, -0.0023, -0.8033],
    (2, 2, 2, True): [-0.208, -0.0149, 0.6541],
    (3, 4, 1, False): [-0.4628, 0.1069, -2.0648],
    (3, 4, -1, True): [-0.6131, -0.0442, 1.9623],
}


@pytest.mark.parametrize("name", LOSSES)
def test_losses_of_boxes(name):
    loss = getattr(ops, name)
    boxes = BOXES.clone().requires_grad_()
    found = loss(boxes, OTHERS)
    assert found.tolist() == pytest.approx(LOSSES[name], abs=2e-6)
    assert loss(boxes, OTHERS, reduction="mean").item() == pytest.approx(found.mean().item())
    assert loss(boxes[:0], OTHERS[:0], reduction="mean").item() == 0
    found.sum().backward()
    assert boxes.grad.isfinite().all()
    with pytest.raises(ValueError, match="Invalid Value for arg 'reduction'"):
        loss(boxes, OTHERS, reduction="most")


@pytest.mark.parametrize("name", PAIRS)
def test_overlaps_of_all_pairs(name):
    found = getattr(ops, name)(BOXES, OTHERS)
    assert found.shape == (3, 3)
    assert found.flatten().tolist() == pytest.approx(PAIRS[name], abs=2e-6)


def test_focal_loss():
    x, y = torch.linspace(-2, 2, 6), torch.tensor([0.0, 1, 1, 0, 0, 1])
    assert ops.sigmoid_focal_loss(x, y).tolist() == pytest.approx(FOCAL, abs=2e-6)
    with pytest.raises(ValueError, match="Invalid alpha value"):
        ops.sigmoid_focal_loss(x, y, alpha=2.0)


def test_pyramids():
    torch.manual_seed(1)
    network = ops.FeaturePyramidNetwork([3, 4], 6)
    found = network({"a": torch.ones(1, 3, 8, 8), "b": torch.ones(1, 4, 4, 4)})
    assert {name: one.sum().item() for name, one in found.items()} == pytest.approx(PYRAMID, abs=1e-3)


IMAGES = torch.arange(2 * 3 * 8 * 9.0).reshape(2, 3, 8, 9).sin()
REGIONS = torch.tensor([[0, 1.0, 1, 5, 6], [1, 0, 0, 8, 7.0], [0, 2.2, 3.1, 2.9, 3.3]])


@pytest.mark.parametrize("options", ALIGNED)
def test_regions(options):
    high, wide, ratio, aligned = options
    found = ops.RoIAlign((high, wide), 0.75, ratio, aligned)(IMAGES, REGIONS)
    assert found.shape == (3, 3, high, wide)
    assert found.sum((1, 2, 3)).tolist() == pytest.approx(ALIGNED[options], abs=1e-3)


def test_regions_of_lists_have_gradients():
    images = IMAGES.double().requires_grad_()
    boxes = [REGIONS[:1, 1:].double(), REGIONS[1:2, 1:].double()]
    assert torch.autograd.gradcheck(lambda x: ops.roi_align(x, boxes, 2, 0.75), images[:, :1])
    outside = ops.roi_align(images, [torch.tensor([[50.0, 50, 60, 60]]).double(), torch.zeros(0, 4).double()], 2)
    assert outside.abs().sum() == 0
    with pytest.raises(ValueError, match="shape is not correct"):
        ops.roi_align(images, torch.zeros(2, 4), 2)


def test_maxima_of_regions():
    image = torch.arange(16.0).reshape(1, 1, 4, 4)
    assert ops.roi_pool(image, torch.tensor([[0, 0.0, 0, 3, 3]]), 2).flatten().tolist() == [5, 7, 13, 15]
    assert ops.RoIPool(1, 0.5)(image, [torch.tensor([[2.0, 2, 4, 4]])]).item() == 10


def test_boxes_of_masks():
    masks = torch.zeros(2, 4, 5, dtype=torch.bool)
    masks[0, 1:3, 2] = True
    assert ops.masks_to_boxes(masks).tolist() == [[2, 1, 2, 2], [0, 0, 0, 0]]


def test_the_layers_of_vgg_can_be_made_alone():
    layers = models.vgg.make_layers(models.vgg.cfgs["A"], batch_norm=True)
    assert [type(one) for one in layers] == [type(one) for one in models.vgg11_bn().features]

"""Transforms of torchvision's second version: mixed batches, with the numbers that torchvision 0.29 gives."""

import pytest

import rushlight as torch
from rushlight.vision.transforms import v2

IMAGES = torch.arange(4 * 3 * 6 * 5.0).reshape(4, 3, 6, 5).sin()
LABELS = torch.tensor([0, 2, 1, 2])
RECORDED = {
    ("MixUp", 1): (110.4506, [0.3528, 0.0, 0.6472]),
    ("MixUp", 3): (102.4539, [0.3935, 0.0, 0.6065]),
    ("CutMix", 1): (153.4276, [0.1333, 0.0, 0.8667]),
    ("CutMix", 3): (166.5763, [0.0667, 0.0, 0.9333]),
}


@pytest.mark.parametrize(("name", "seed"), RECORDED)
def test_batches_are_mixed_as_torchvision_does(name, seed):
    torch.manual_seed(seed)
    images, labels = getattr(v2, name)(num_classes=3, alpha=0.7)(IMAGES, LABELS)
    total, second = RECORDED[name, seed]
    assert (images * IMAGES).sum().item() == pytest.approx(total, abs=1e-3)
    assert labels[1].tolist() == pytest.approx(second, abs=1e-4)
    assert labels.sum(1).tolist() == pytest.approx([1.0] * 4)


def test_probabilities_are_mixed_and_other_labels_refused():
    known = torch.nn.functional.one_hot(LABELS).float()
    for batch in ({"x": IMAGES, "y": known}, [IMAGES, known]):
        getter = (lambda given: given["y"]) if isinstance(batch, dict) else "default"
        torch.manual_seed(0)
        mixed = torch.utils._pytree.tree_leaves(v2.MixUp(labels_getter=getter)(batch))
        torch.manual_seed(0)
        images, labels = v2.MixUp(num_classes=3)(IMAGES, LABELS)
        assert torch.equal(mixed[0], images)
        assert torch.equal(mixed[1], labels)
    refused = {
        "num_classes must be passed": (IMAGES, LABELS),
        "The labels must be a tensor": (IMAGES, [0, 1]),
        "labels should be index based": (IMAGES, IMAGES),
        "Expected a batched input with 4 dims": (IMAGES[0], known),
    }
    for words, given in refused.items():
        with pytest.raises(ValueError, match=words):
            v2.CutMix()(*given)


def test_own_transforms_change_images_alone():
    class Shifted(v2.Transform):
        def __init__(self, most):
            super().__init__()
            self.most = most

        def make_params(self, flat_inputs):
            assert len(flat_inputs) == 1
            return {"by": int(torch.randint(self.most, ()))}

        def transform(self, inpt, params):
            return inpt.roll(params["by"], -1)

    torch.manual_seed(1)
    image, target = v2.Compose([Shifted(4)])((IMAGES[0], {"boxes": torch.ones(2), "label": 3}))
    torch.manual_seed(1)
    assert torch.equal(image, IMAGES[0].roll(int(torch.randint(4, ())), -1))
    assert target["label"] == 3
    assert torch.equal(target["boxes"], torch.ones(2))
    assert repr(Shifted(4)) == "Shifted(most=4)"


def test_conversions():
    pixels = (torch.arange(24) * 10).to(torch.uint8).reshape(2, 4, 3).numpy()
    image = v2.ToImage()(pixels)
    assert image.shape == (3, 2, 4)
    assert image.dtype is torch.uint8
    scaled = v2.ToDtype(torch.float32, scale=True)(image)
    assert torch.equal(scaled, image / 255)
    assert torch.equal(v2.functional.to_dtype(image), image.float())
    assert v2.functional.get_size(image) == [2, 4]
    assert v2.RGB()(image[:1]).shape == (3, 2, 4)
    assert torch.equal(v2.functional.horizontal_flip(image), image.flip(-1))
    noisy = v2.GaussianNoise(sigma=0.5)(scaled)
    assert noisy.min() >= 0
    assert noisy.max() <= 1
    assert not torch.equal(noisy, scaled)
    for given, words in ((image, "expected to be in float dtype"), (scaled, "shouldn't be negative")):
        with pytest.raises(ValueError, match=words):
            v2.GaussianNoise(sigma=-1.0)(given)

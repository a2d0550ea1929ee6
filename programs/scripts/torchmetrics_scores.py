"""Scores of classes and of numbers."""

import torch
import torchmetrics

torch.manual_seed(0)
scores, classes = torch.randn(20, 4).softmax(1), torch.randint(0, 4, (20,))
for metric in (
    torchmetrics.Accuracy(task="multiclass", num_classes=4),
    torchmetrics.F1Score(task="multiclass", num_classes=4, average="macro"),
    torchmetrics.AUROC(task="multiclass", num_classes=4),
):
    metric.update(scores[:10], classes[:10])
    metric.update(scores[10:], classes[10:])
    print(metric.compute().item())
a, b = torch.randn(30), torch.randn(30)
print(torchmetrics.MeanSquaredError()(a, b).item(), torchmetrics.PearsonCorrCoef()(a, b).item())
print(torchmetrics.R2Score()(a, b).item())

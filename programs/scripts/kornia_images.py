"""Differentiable image processing, by Kornia."""

import kornia
import torch

x = torch.linspace(0, 1, 3 * 36).reshape(1, 3, 6, 6).requires_grad_()
y = kornia.filters.gaussian_blur2d(kornia.color.rgb_to_grayscale(x), (3, 3), (1.0, 1.0))
y = y + kornia.filters.sobel(y) + kornia.geometry.transform.hflip(y)
y.pow(2).sum().backward()
print(y.sum().item(), x.grad.norm().item(), kornia.metrics.psnr(x, x * 0.9, 1.0).item())

# What is the difference between autograd.grad and autograd.backward?
# Added: the import, the seeds, and print() where the document's prompt shows a value.
import torch

torch.manual_seed(0)
x1 = torch.rand(1, requires_grad=True)
x2 = torch.rand(1, requires_grad=True)
print((x1, x2))

y = x1**2 + 5*x2
print(y)

print(torch.autograd.grad(y, (x1, x2), torch.ones_like(y)))

# dL/dx1 = dL/dy * dy/dx1 = grad_outputs @ 2*x1
# dL/dx2 = dL/dy * dy/dx2 = grad_outputs @ 5

torch.manual_seed(0)
x1 = torch.rand(1, requires_grad=True)
x2 = torch.rand(1, requires_grad=True)
y = x1**2 + 5*x2

# y.backward(torch.ones_like(y))
print(torch.autograd.backward(y, torch.ones_like(y)))

print((x1.grad, x2.grad))

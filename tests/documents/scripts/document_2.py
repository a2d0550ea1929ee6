# What grad_tensors are for.
# The document's code was in pictures and is lost: these are the programs that its text describes, in its order.
import torch

x = torch.tensor([1., 2., 3.], requires_grad=True)
y = x**2
z = y + 1
print(x.data, x.requires_grad, x.grad, x.grad_fn, x.is_leaf)
print(y.data, y.requires_grad, y.grad_fn, y.is_leaf)
print(z.data, z.requires_grad, z.grad_fn, z.is_leaf)

# z is a scalar
x = torch.tensor(1.0, requires_grad=True)
y = torch.tensor(2.0, requires_grad=True)
z = x**2 + y
z.backward()
print(z, x.grad, y.grad)

# z is a vector: an error
x = torch.ones(2, requires_grad=True)
z = x + 2
try:
    z.backward()
except RuntimeError as error:
    print('RuntimeError:', error)

# its sum
x = torch.ones(2, requires_grad=True)
z = x + 2
z.sum().backward()
print(x.grad)

# the same as ones for grad_tensors
x = torch.ones(2, requires_grad=True)
z = x + 2
torch.autograd.backward(z, grad_tensors=torch.ones_like(z))
print(x.grad)

# more complex: grad_tensors are weights
x = torch.tensor([[2., 1.]], requires_grad=True)
y = torch.tensor([[1., 2.], [3., 4.]], requires_grad=True)
z = torch.mm(x, y)
print(f"z: {z}")
z.backward(torch.tensor([[1., 0.]]), retain_graph=True)
print(f"x.grad: {x.grad}")
print(f"y.grad: {y.grad}")

# gradients add up until they are set to zero
z.backward(torch.tensor([[1., 0.]]), retain_graph=True)
print(x.grad)
x.grad.zero_()
z.backward(torch.tensor([[1., 0.]]))
print(x.grad)

# torch.autograd.grad
x = torch.tensor(2., requires_grad=True)
y = torch.tensor(3., requires_grad=True)
w = torch.tensor(5., requires_grad=True)
z = x**3 * y
first = torch.autograd.grad(outputs=z, inputs=x, create_graph=True)
second = torch.autograd.grad(outputs=first[0], inputs=x, grad_outputs=torch.tensor(2.), retain_graph=True)
print(first, second, x.grad)
print(torch.autograd.grad(outputs=z, inputs=(x, w), retain_graph=True, only_inputs=True, allow_unused=True))
try:
    torch.autograd.grad(outputs=z, inputs=(x, w))
except RuntimeError as error:
    print('RuntimeError:', error)

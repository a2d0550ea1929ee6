"""The optimizers and schedules that the tests compare with PyTorch, and the small problem that they are run on."""

import numpy as np

OPTIMIZERS = """
SGD(lr=0.05)
SGD(lr=0.05, momentum=0.9, weight_decay=0.01)
SGD(lr=0.05, momentum=0.9, nesterov=True)
SGD(lr=0.05, momentum=0.9, dampening=0.3)
SGD(lr=0.01, maximize=True)
Adam()
Adam(lr=0.1, amsgrad=True, weight_decay=0.1)
Adam(lr=0.1, betas=(0.7, 0.9), eps=1e-3, maximize=True)
Adam(weight_decay=0.1, decoupled_weight_decay=True)
AdamW(lr=0.1)
AdamW(lr=0.1, amsgrad=True, weight_decay=0.3)
RMSprop()
RMSprop(lr=0.1, momentum=0.9, centered=True, weight_decay=0.1, eps=0.1)
RMSprop(alpha=0.7, centered=True)
Adagrad()
Adagrad(lr=0.1, lr_decay=0.1, initial_accumulator_value=0.5, weight_decay=0.1)
Adadelta()
Adadelta(lr=0.5, rho=0.5, weight_decay=0.1, maximize=True)
Adamax()
Adamax(lr=0.1, weight_decay=0.1)
NAdam()
NAdam(lr=0.1, weight_decay=0.1, momentum_decay=0.1, decoupled_weight_decay=True)
RAdam()
RAdam(lr=0.1, betas=(0.8, 0.9), weight_decay=0.1)
Rprop()
Rprop(lr=0.5, etas=(0.3, 1.5), step_sizes=(1e-3, 1.0))
ASGD()
ASGD(lr=0.1, t0=3.0, weight_decay=0.1, lambd=0.01)
""".strip().split("\n")

SCHEDULES = """
LambdaLR(lr_lambda=lambda epoch: 0.9**epoch)
LambdaLR(lr_lambda=[lambda epoch: 0.9**epoch, lambda epoch: 1 / (1 + epoch)])
MultiplicativeLR(lr_lambda=lambda epoch: 0.95)
StepLR(step_size=3)
MultiStepLR(milestones=[2, 5, 5, 9], gamma=0.5)
ConstantLR()
ConstantLR(factor=0.5, total_iters=3)
LinearLR()
LinearLR(start_factor=0.1, end_factor=0.5, total_iters=7)
ExponentialLR(gamma=0.9)
PolynomialLR(total_iters=8, power=2.0)
CosineAnnealingLR(T_max=5, eta_min=0.01)
CyclicLR(base_lr=0.1, max_lr=1.0, step_size_up=3, step_size_down=5)
CyclicLR(base_lr=0.1, max_lr=1.0, step_size_up=3, mode='triangular2')
CyclicLR(base_lr=0.1, max_lr=1.0, step_size_up=3, mode='exp_range', gamma=0.9)
CyclicLR(base_lr=0.1, max_lr=1.0, scale_fn=lambda x: 0.5**x, scale_mode='iterations', cycle_momentum=False)
CosineAnnealingWarmRestarts(T_0=3, T_mult=2)
OneCycleLR(max_lr=1.0, total_steps=20)
OneCycleLR(max_lr=[1.0, 2.0], epochs=5, steps_per_epoch=4, three_phase=True, anneal_strategy='linear')
""".strip().split("\n")


def parameters(torch, dtype="float32"):
    """A matrix, a vector and a number to optimize."""
    rng = np.random.default_rng(0)
    values = [rng.standard_normal((3, 2)), rng.standard_normal(4), np.array(1.5)]
    if dtype.startswith("complex"):
        values = [value + 1j * rng.standard_normal(value.shape) for value in values]
    return [torch.tensor(value.astype(dtype)).requires_grad_() for value in values]


def set_gradients(torch, params):
    """Gradients that depend on the parameters, without any operator of the library."""
    for i, p in enumerate(params):
        value = p.detach().numpy()
        gradient = (
            np.sin((i + 2) * value.real) + value.conj() * 1j if value.dtype.kind == "c" else np.sin(value * (i + 2))
        )
        p.grad = torch.tensor(np.asarray(gradient + value, value.dtype))


def steps(torch, expression, dtype="float32", number=10):
    """The parameters after each of a number of steps, and the state after the last; all as arrays."""
    params = parameters(torch, dtype)
    name, _, options = expression.partition("(")
    optimizer = eval(f"make(params, {options}", {"make": getattr(torch.optim, name), "params": params})
    found = {"repr": np.array(repr(optimizer))}
    for step in range(number):
        set_gradients(torch, params)
        optimizer.step()
        for i, p in enumerate(params):
            found[f"{step}.{i}"] = p.detach().numpy().copy()
    for i, state in optimizer.state_dict()["state"].items():
        found |= {f"state.{i}.{key}": value.numpy().copy() for key, value in state.items()}
    return found


def rates(torch, expression, optimizer_name, number=20):
    """The learning rates and momenta of two groups over a number of epochs."""
    options = {"momentum": 0.9} if optimizer_name == "SGD" else {}
    groups = [{"params": [torch.ones(1)]}, {"params": [torch.ones(2)], "lr": 0.5}]
    optimizer = getattr(torch.optim, optimizer_name)(groups, lr=0.3, **options)
    name, _, options = expression.partition("(")
    make = getattr(torch.optim.lr_scheduler, name)
    scheduler = eval(f"make(optimizer, {options}", {"make": make, "optimizer": optimizer})
    found = []
    for _ in range(number):
        momenta = [g["momentum"] if "momentum" in g else g["betas"][0] for g in optimizer.param_groups]
        found.append([*scheduler.get_last_lr(), *momenta])
        optimizer.step()
        scheduler.step()
    return np.array(found)

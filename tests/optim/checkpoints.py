"""Trainings that stop at a checkpoint, for every optimizer and schedule, with PyTorch or rushlight alike."""

OPTIMIZERS = {
    "SGD": ("SGD", {"lr": 0.05}),
    "SGD with momentum": ("SGD", {"lr": 0.05, "momentum": 0.9, "nesterov": True}),
    "Adam": ("Adam", {"lr": 0.05}),
    "Adam with amsgrad": ("Adam", {"lr": 0.05, "amsgrad": True}),
    "AdamW": ("AdamW", {"lr": 0.05}),
    "Adagrad": ("Adagrad", {"lr": 0.05}),
    "Adadelta": ("Adadelta", {"lr": 0.5}),
    "Adamax": ("Adamax", {"lr": 0.05}),
    "ASGD": ("ASGD", {"lr": 0.05, "t0": 1}),
    "NAdam": ("NAdam", {"lr": 0.05}),
    "RAdam": ("RAdam", {"lr": 0.05}),
    "RMSprop": ("RMSprop", {"lr": 0.05, "momentum": 0.5, "centered": True}),
    "Rprop": ("Rprop", {"lr": 0.05}),
    "LBFGS": ("LBFGS", {"lr": 0.3, "max_iter": 2}),
    "LBFGS with line search": ("LBFGS", {"lr": 0.3, "max_iter": 2, "line_search_fn": "strong_wolfe"}),
}


class Power:
    """A function with an attribute, which state dicts hold."""

    def __init__(self, base):
        self.base = base

    def __call__(self, step):
        return self.base**step


SCHEDULES = {
    "LambdaLR": lambda S, o: S.LambdaLR(o, lambda step: 0.9**step),
    "LambdaLR of an object": lambda S, o: S.LambdaLR(o, Power(0.8)),
    "MultiplicativeLR": lambda S, o: S.MultiplicativeLR(o, lambda step: 0.9),
    "StepLR": lambda S, o: S.StepLR(o, 2),
    "MultiStepLR": lambda S, o: S.MultiStepLR(o, [2, 4, 4]),
    "ConstantLR": lambda S, o: S.ConstantLR(o),
    "LinearLR": lambda S, o: S.LinearLR(o),
    "ExponentialLR": lambda S, o: S.ExponentialLR(o, 0.9),
    "PolynomialLR": lambda S, o: S.PolynomialLR(o, 9),
    "CosineAnnealingLR": lambda S, o: S.CosineAnnealingLR(o, 12),
    "CosineAnnealingWarmRestarts": lambda S, o: S.CosineAnnealingWarmRestarts(o, 3, 2),
    "CyclicLR": lambda S, o: S.CyclicLR(
        o, 0.01, 0.1, step_size_up=3, mode="exp_range", gamma=0.9, cycle_momentum=False
    ),
    "CyclicLR of a function": lambda S, o: S.CyclicLR(
        o, 0.01, 0.1, step_size_up=3, scale_fn=lambda x: 0.5**x, cycle_momentum=False
    ),
    "CyclicLR of an object": lambda S, o: S.CyclicLR(
        o, 0.01, 0.1, step_size_up=3, scale_fn=Power(0.5), cycle_momentum=False
    ),
    "OneCycleLR": lambda S, o: S.OneCycleLR(o, 0.1, 20, cycle_momentum=False),
    "OneCycleLR in three phases": lambda S, o: S.OneCycleLR(
        o, 0.1, 20, anneal_strategy="linear", three_phase=True, cycle_momentum=False
    ),
    "ReduceLROnPlateau": lambda S, o: S.ReduceLROnPlateau(o, patience=1, threshold=0.5),
    "SequentialLR": lambda S, o: S.SequentialLR(o, [S.ConstantLR(o, 0.5, 2), S.ExponentialLR(o, 0.9)], [3]),
    "ChainedScheduler": lambda S, o: S.ChainedScheduler([S.ConstantLR(o, 0.5, 2), S.MultiStepLR(o, [2, 4])]),
}


class Training:
    """Two parameters, an optimizer and a schedule of a library."""

    def __init__(self, torch, optimizer: str, schedule: str):
        name, options = OPTIMIZERS[optimizer]
        values = [[1.0, 2.0], [3.0, -1.0]], [0.5, -1.0]
        self.params = [torch.nn.Parameter(torch.tensor(value, dtype=torch.float64)) for value in values]
        self.optimizer = getattr(torch.optim, name)(self.params, **options)
        self.schedule = SCHEDULES[schedule](torch.optim.lr_scheduler, self.optimizer)

    def loss(self):
        """The loss, with gradients."""
        self.optimizer.zero_grad()
        loss = sum((p**4).sum() * 0.1 + p.sum() for p in self.params)
        loss.backward()
        return loss

    def go_on(self, steps: int) -> "Training":
        """Makes some steps."""
        for _ in range(steps):
            loss = self.optimizer.step(self.loss)
            self.schedule.step(*[loss.item()] * (type(self.schedule).__name__ == "ReduceLROnPlateau"))
        return self

    def checkpoint(self) -> dict:
        """All that it takes to go on."""
        params = [p.detach() for p in self.params]
        return {"params": params, "optimizer": self.optimizer.state_dict(), "schedule": self.schedule.state_dict()}

    def resume(self, checkpoint: dict) -> "Training":
        """Takes over a checkpoint."""
        for p, value in zip(self.params, checkpoint["params"], strict=True):
            p.data.copy_(value)
        self.optimizer.load_state_dict(checkpoint["optimizer"])
        self.schedule.load_state_dict(checkpoint["schedule"])
        return self

    def numbers(self) -> list:
        """The parameters and learning rates."""
        return [
            *(x for p in self.params for x in p.detach().flatten().tolist()),
            *map(float, self.schedule.get_last_lr()),
        ]

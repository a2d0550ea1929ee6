"""Advice on mistakes with optimizers, data, random variables and derivatives."""

TRAINING = (
    (r"[Oo]nly Tensors of floating point.* dtype can require gradients", "Write 1.0 for 1, or use x.float()."),
    (r"Invalid learning rate", "It is a number from 0 on: 0.01, say."),
    (
        r"Sum of input lengths does not equal",
        "The lengths add up to len(dataset), or they are shares that add up to 1: [0.8, 0.2].",
    ),
    (r"is not an Optimizer$", "A schedule's first argument is the optimizer: StepLR(optimizer, 10)."),
    (r"optimizer can only optimize Tensors", "Make it one: torch.tensor(..., requires_grad=True)."),
    (r"params argument given to the optimizer should be an iterable", "Put it into a list: [w]."),
    (
        r"can't optimize a non-leaf Tensor",
        "It is the result of an operation: give the tensor that it was computed from, "
        "or cut it off (w = w.detach().requires_grad_()).",
    ),
    (r"^Size mismatch between tensors", "Their first dimensions count the examples, and have to be equal: x.shape[0]."),
    (
        r"^(\w+) should be a positive integer value, but got",
        "Give a whole number from 1 on: int({1}). A DataLoader with batch_size=None gives single examples.",
    ),
    (r"sampler option is mutually exclusive with shuffle", "Leave one of them out: a sampler gives the order itself."),
    (r"is mutually exclusive with drop_last", "Leave drop_last out: single examples make no batch that is too short."),
    (r"^Nesterov momentum requires", "Give a momentum, momentum=0.9 say, and leave dampening at 0."),
    (r"^Invalid beta", "It is a share from 0 on and below 1: betas=(0.9, 0.999) are the usual ones."),
    (r"^Invalid (?:momentum|epsilon|weight_decay|rho|alpha|lambd)", "It is a number from 0 on: look for its sign."),
    (
        r"invalid multinomial distribution|probability tensor contains either",
        "Give weights from 0 on, not all of them 0: scores.softmax(-1) makes some of scores.",
    ),
    (r"samples without replacement", "replacement=True may draw the same one again."),
    (
        r"to satisfy the constraint GreaterThan",
        "Look for mistakes of sign: torch.nn.functional.softplus(x) or x.exp() makes numbers positive.",
    ),
    (r"to satisfy the constraint", "Look for NaN and for mistakes of sign in what the parameters are computed from."),
    (r"^'(?:method|function)' object is not iterable", "Call it: model.parameters()."),
    (r"^'\w+' object is not iterable", "Give tensors in a list, [w], or those of a model: model.parameters()."),
    (
        r"appear in more than one parameter group",
        "Leave it out of other groups: one of the rest is [p for p in model.parameters() if p is not w].",
    ),
    (
        r"doesn't match the size of optimizer's group|has a different number of parameter groups",
        "Make the optimizer as the one that was saved: of the same tensors, in the same groups and order.",
    ),
    (r"^lr_lambda should be a function", "It gives a factor for each epoch: lambda epoch: 0.95 ** epoch."),
    (
        r"^You must define either total_steps OR",
        "Steps are batches: epochs=10, steps_per_epoch=len(loader), and step() after each.",
    ),
    (
        r"^default_collate: batch must contain",
        "Give examples of those, without None, or a function that makes batches of others: collate_fn=list.",
    ),
    (
        r"^num_samples should be a positive integer",
        "It is 1 or more: where it is left out it is len(dataset), and that is 0 for an empty one.",
    ),
    (r"^Length of all samples has to be greater than 0", "Leave empty sequences out: keep = lengths > 0."),
    (
        r"Either `\w+` or `\w+` must be specified, but not both",
        "Leave one out: probs are probabilities, logits scores of any size.",
    ),
    (r"value argument to log_prob must be a Tensor", "Make a tensor of it: torch.tensor(...)."),
    (
        r"^Mismatch in shape: grad_output",
        "Give a number for each element of the output, torch.ones_like(y); a single number needs none.",
    ),
    (
        r"none of them have requires_grad=True",
        "Ask for it, in double precision: x = x.double().requires_grad_().",
    ),
    (
        r"[Ee]xpected f\(\*(?:args|primals)\) to return (?:a Tensor|only tensors)|user-provided function has type",
        "The function computes tensors from its arguments: leave out .item(), float(...) and .numpy().",
    ),
    (
        r"returned by the function given to \w+ should contain a single element",
        "Reduce the output to a scalar first (.sum() or .mean()); torch.autograd.functional.jacobian takes others.",
    ),
    (
        r"same size in the mapped dimension|Got in_dim=.* for some input",
        "in_dims says along which dimension each argument is mapped, None for what all share: in_dims=(0, None).",
    ),
)

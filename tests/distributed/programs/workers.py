"""Calls in other processes, references to what they hold, and gradients through both.

Each rank checks what it finds; rank 0 does most, the others serve it.
"""

import gc
import pickle
import threading

import numpy as np
import torch
import torch.distributed as dist
import torch.distributed.autograd as dist_autograd
import torch.distributed.rpc as rpc
from torch import nn
from torch.distributed.nn import RemoteModule
from torch.distributed.optim import DistributedOptimizer
from torch.distributed.rpc import RRef

OPEN = threading.Event()  # set when calls that wait here may go on
ALIVE = []  # what has been made and not let go


def raises(kind, words, function, *args, **kwargs):
    try:
        function(*args, **kwargs)
    except kind as error:
        assert words in str(error), error
    else:
        raise AssertionError(f"{kind.__name__} was not raised")


def same(x):
    return x


def traits(x):
    return type(x).__name__, x.requires_grad, x.is_leaf


def fail(text, kind=ValueError):
    raise kind(text)


def fail_further(to, text):
    rpc.rpc_sync(to, fail, (text,))


class Strange(Exception):
    def __init__(self, first, second):
        super().__init__(first, second)


def fail_strangely():
    raise Strange(1, 2)


def unpicklable():
    return lambda: None


def wait_until_open():
    OPEN.wait()
    return "open"


def let_go_on():
    OPEN.set()


class Box:
    def __init__(self, value):
        self.value = value
        ALIVE.append(id(self))

    def __del__(self):
        if id(self) in ALIVE:  # else it is a copy
            ALIVE.remove(id(self))

    def get(self, more=0):
        return self.value + more

    @rpc.functions.async_execution
    def later(self):
        future = torch.futures.Future()
        threading.Thread(target=future.set_result, args=(self.value,)).start()
        return future


class Meeting:
    """Answers when as many have come as are to come."""

    def __init__(self, size):
        self.size, self.numbers, self.future, self.lock = size, [], torch.futures.Future(), threading.Lock()

    @staticmethod
    @rpc.functions.async_execution
    def come(reference, number):
        self = reference.local_value()
        with self.lock:
            self.numbers.append(number)
            full = len(self.numbers) == self.size
        if full:
            self.future.set_result(sum(self.numbers))
        return self.future


@rpc.functions.async_execution
def no_future():
    return 5


@rpc.functions.async_execution
def pass_on(to, x):
    return rpc.rpc_async(to, torch.add, (x, 1)).then(lambda done: 10 * done.value())


def value_of(reference):
    return reference.to_here().get()


def hand_on(reference, to):
    return rpc.rpc_sync(to, value_of, (reference,))


def alive():
    gc.collect()
    return len(ALIVE)


def until(number, worker):
    """Returns when a worker holds so many boxes; exceptions that were raised may keep references until all collect."""
    found = None
    while found != number:
        found = {each: rpc.rpc_sync(each, alive) for each in range(dist.get_world_size())}[worker.id]


def calls(other):
    x = torch.arange(6.0).view(2, 3)
    assert rpc.rpc_sync(other, torch.add, (x, 1), {"alpha": 3}).tolist() == (x + 3).tolist()
    assert rpc.rpc_sync(rpc.get_worker_info(other), max, [1, 2]) == 2
    large = torch.randn(300, 200)
    for sent in (large, large.t(), large[::2, 1::3], large.bfloat16(), large > 0, torch.empty(0, 3), large[0, 0]):
        came = rpc.rpc_sync(other, same, (sent,))
        assert came.dtype is sent.dtype and torch.equal(came, sent)
        came += came  # its memory is its own
    assert rpc.rpc_sync(other, same, (large.t(),)).stride() == large.t().stride()
    assert rpc.rpc_sync(0, same, (x,)).data_ptr() != x.data_ptr()
    first, second = rpc.rpc_sync(other, same, ([x, x],))
    assert first is second
    array = np.arange(10_000)
    assert (rpc.rpc_sync(other, same, ({"a": [array]},))["a"][0] == array).all()
    assert rpc.rpc_sync(other, traits, (torch.ones(2, requires_grad=True) * 2,)) == ("Tensor", True, True)
    assert rpc.rpc_sync(other, traits, (nn.Parameter(torch.ones(2)),)) == ("Parameter", True, True)
    futures = [rpc.rpc_async(other, torch.mul, (large, i)) for i in range(50)]
    assert all(torch.equal(done, large * i) for i, done in enumerate(torch.futures.wait_all(futures)))
    future = rpc.rpc_async(other, same, (3,))
    assert future.then(lambda done: done.value() + 1).wait() == 4 and future.done()
    assert rpc.rpc_sync(other, pass_on, ("worker0", torch.ones(2))).tolist() == [20.0, 20.0]


def failures(other):
    info = rpc.get_worker_info(other)
    for kind, raised in ((ValueError, ValueError), (TypeError, TypeError), (ZeroDivisionError, RuntimeError)):
        words = f"{kind.__name__}: On {info}:\n{kind.__name__}('the cause')\nTraceback"
        raises(raised, words, rpc.rpc_sync, other, fail, ("the cause", kind))
        future = rpc.rpc_async(other, fail, ("the cause", kind))
        for wait in (future.wait, future.value, torch.futures.collect_all([future]).wait):
            raises(raised, words, wait)
        raises(RuntimeError, words, future.then(lambda done: done.value()).wait)
        raises(kind, words.partition(": ")[2], rpc.remote(other, fail, ("the cause", kind)).to_here)
        raises(kind, f"On {rpc.get_worker_info()}", rpc.remote("worker0", fail, ("the cause", kind)).to_here)
    raises(RuntimeError, f"RuntimeError: On {info}:\nSystemExit('3')", rpc.rpc_sync, other, fail, ("3", SystemExit))
    further = f"ValueError: On {rpc.get_worker_info()}:\nValueError("
    raises(ValueError, further, rpc.rpc_sync, other, fail_further, ("worker0", "the cause"))
    raises(RuntimeError, "Worker name must match", rpc.WorkerInfo, "a b", 0)
    raises(RuntimeError, "Failed to create original exception type", rpc.rpc_sync, other, fail_strangely)
    raises(RuntimeError, "AttributeError: On", rpc.rpc_sync, other, unpicklable)
    raises(AttributeError, "Can't pickle local object", rpc.rpc_sync, other, unpicklable())
    raises(RuntimeError, "must return a torch.futures.Future object, but got int", rpc.rpc_sync, other, no_future)
    raises(TypeError, "function should be callable.", rpc.rpc_sync, other, 5)
    raises(RuntimeError, "could not find destination name nobody", rpc.rpc_sync, "nobody", same, (1,))
    raises(RuntimeError, "could not find destination id 99", rpc.get_worker_info, 99)
    raises(ValueError, "Cannot get WorkerInfo from name None", rpc.rpc_async, None, same, (1,))
    raises(RuntimeError, "RPC is already initialized", rpc.init_rpc, "another")
    raises(RuntimeError, "Can not pickle torch.futures.Future", rpc.rpc_sync, other, same, (torch.futures.Future(),))
    late = "RPC ran for more than set timeout (50 ms)"
    raises(RuntimeError, late, rpc.rpc_sync, other, wait_until_open, timeout=0.05)
    slow = rpc.remote(other, wait_until_open)
    raises(RuntimeError, late, slow.to_here, timeout=0.05)
    assert not slow.confirmed_by_owner()
    rpc.rpc_sync(other, let_go_on)
    assert slow.to_here() == "open"
    failed = rpc.remote(other, fail, ("on the way",))
    raises(ValueError, "on the way", failed.to_here)
    raises(ValueError, "on the way", rpc.rpc_sync, other, value_of, (failed,))
    raises(RuntimeError, "must return a torch.futures.Future", rpc.remote(other, no_future).to_here)


def references(other, third):
    box = rpc.remote(other, Box, (3,))
    assert box.owner() == rpc.get_worker_info(other) and box.owner_name() == other and not box.is_owner()
    assert (box.rpc_sync().get(), box.rpc_async().get(more=2).wait(), box.remote().get(4).to_here()) == (3, 5, 7)
    assert box.rpc_sync().later() == 3
    assert box.confirmed_by_owner()
    raises(RuntimeError, "can't call localValue() on user", box.local_value)
    raises(RuntimeError, "no attribute 'absent'", box.rpc_async().absent().wait)
    raises(RuntimeError, "Can not pickle rref in python pickler", pickle.dumps, box)
    assert rpc.rpc_sync(third, hand_on, (box, other)) == 3  # to its owner, by way of another worker
    mine = RRef(Box(8))
    assert mine.is_owner() and mine.local_value() is mine.to_here() and mine.confirmed_by_owner()
    assert rpc.rpc_sync(other, hand_on, (mine, third)) == 8
    assert rpc.remote(other, hand_on, (mine, "worker0")).to_here() == 8
    kept = rpc.rpc_sync(third, same, (box,))
    del box
    assert rpc.rpc_sync(third, value_of, (kept,)) == 3  # one reference is left
    until(2 if other == "worker0" else 1, rpc.get_worker_info(other))
    del kept
    until(1 if other == "worker0" else 0, rpc.get_worker_info(other))
    del mine
    until(0, rpc.get_worker_info())
    meeting = RRef(Meeting(3))
    others = [rpc.rpc_async(other, come_to, (meeting, number)) for number in range(3)]
    assert torch.futures.wait_all(others) == [3, 3, 3]


def come_to(meeting, number):
    return rpc.rpc_sync(meeting.owner(), Meeting.come, (meeting, number))


class Part(nn.Module):
    def __init__(self, seed):
        super().__init__()
        torch.manual_seed(seed)
        self.linear = nn.Linear(4, 4, dtype=torch.float64)

    def forward(self, x):
        return torch.tanh(self.linear(x))

    def forward_reference(self, x):
        return self(x.to_here())

    def parameters_here(self):
        return [RRef(parameter) for parameter in self.parameters()]

    def gradients(self, context_id):
        found = dist_autograd.get_gradients(context_id)
        return [found[parameter] for parameter in self.parameters()]

    def state(self):
        assert all(parameter.grad is None or ADOPTED for parameter in self.parameters())
        return [parameter.detach() for parameter in self.parameters()]


ADOPTED = []  # set once an optimizer has put gradients in place


def adopt():
    ADOPTED.append(True)


def there_and_back(x, y, worker):
    product, total = x * y, x + y
    return x * y * rpc.rpc_sync(worker, torch.mul, (product, total))


def contexts():
    from rushlight.distributed.rpc.agent import current

    return len(current().contexts.known)


def close(x, y):
    assert torch.allclose(x, y, rtol=1e-10, atol=0), (x, y)


def gradients(other, third):
    torch.manual_seed(5)
    x, y = (torch.rand(3, 4, dtype=torch.float64, requires_grad=True) for _ in range(2))
    with dist_autograd.context() as context_id:
        value = rpc.rpc_sync(other, there_and_back, (x, y, third))
        value = rpc.remote(third, there_and_back, (value, x, "worker0")).to_here()
        value = rpc.rpc_sync("worker0", torch.mul, (value, x))
        rpc.rpc_sync(other, torch.add, (x, value))  # what nobody uses takes no part
        loss = rpc.rpc_sync(other, there_and_back, (value, value, other)).sum()
        dist_autograd.backward(context_id, [loss], retain_graph=True)
        once = dist_autograd.get_gradients(context_id)
        dist_autograd.backward(context_id, [loss])
        twice = dist_autograd.get_gradients(context_id)
        assert x.grad is None and y.grad is None and len(twice) == 2

        def alone(a, b):
            return a * b * (a * b) * (a + b)

        value = alone(alone(x, y), x) * x
        expected = torch.autograd.grad(alone(value, value).sum(), [x, y])
        for leaf, grad in zip((x, y), expected, strict=True):
            close(once[leaf], grad)
            close(twice[leaf], 2 * grad)
        raises(RuntimeError, "Already have an autograd context id", dist_autograd.context().__enter__)
        raises(RuntimeError, "No tensors provided", dist_autograd.backward, context_id, [])
        raises(RuntimeError, "requires_grad not set on", dist_autograd.backward, context_id, [torch.ones(1)])
        raises(RuntimeError, "all roots need to be scalar", dist_autograd.backward, context_id, [x * 2])
        raises(TypeError, "incompatible function arguments", dist_autograd.backward, [x.sum()], None)
    raises(RuntimeError, "Could not find autograd context with id", dist_autograd.get_gradients, context_id)
    while sum(rpc.rpc_sync(worker, contexts) for worker in {other, third}):
        pass  # they are told of the end of the context


class Wrong(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        raise ValueError("in the backward pass")


def go_wrong(x):
    return Wrong.apply(x)


def failing_passes(other, third):
    x = torch.ones(2, requires_grad=True)
    with dist_autograd.context() as context_id:
        y = rpc.rpc_sync(other, go_wrong, (x * 2,))
        node = rpc.get_worker_info(other).id
        z = rpc.rpc_sync(third, torch.mul, (y, y))
        for root in (y, z):
            words = f"Error on Node {node}: in the backward pass\nTraceback"
            raises(RuntimeError, words, dist_autograd.backward, context_id, [root.sum()], retain_graph=True)
        y = rpc.rpc_sync(other, torch.mul, (x, x))
        dist_autograd.backward(context_id, [y.sum()])
        assert dist_autograd.get_gradients(context_id)[x].tolist() == [2.0, 2.0]


def training(other, third):
    """Two layers in two workers, as on one process."""
    parts = [rpc.remote(worker, Part, (seed,)) for seed, worker in enumerate((other, third))]
    held = [reference for part in parts for reference in part.rpc_sync().parameters_here()]
    optimizer = DistributedOptimizer(torch.optim.SGD, held, lr=0.1, momentum=0.9)
    torch.manual_seed(9)
    data, target = torch.randn(6, 4, dtype=torch.float64), torch.randn(6, 4, dtype=torch.float64)
    for worker in {other, third}:
        rpc.rpc_sync(worker, adopt)
    for _ in range(10):
        with dist_autograd.context() as context_id:
            pieces = []
            for piece in data.split(2):
                half = parts[0].remote().forward_reference(RRef(piece))
                pieces.append(parts[1].rpc_async().forward_reference(half))
            loss = nn.functional.mse_loss(torch.cat(torch.futures.wait_all(pieces)), target)
            dist_autograd.backward(context_id, [loss])
            assert len(parts[0].rpc_sync().gradients(context_id)) == 2
            optimizer.step(context_id)
    whole = nn.Sequential(Part(0), Part(1))
    alone = torch.optim.SGD(whole.parameters(), lr=0.1, momentum=0.9)
    for _ in range(10):
        alone.zero_grad()
        nn.functional.mse_loss(whole(data), target).backward()
        alone.step()
    found = [parameter for part in parts for parameter in part.rpc_sync().state()]
    for one, other_one in zip(found, whole.parameters(), strict=True):
        close(one, other_one)


class Hybrid(nn.Module):
    """A part here, a part in another worker."""

    def __init__(self, away):
        super().__init__()
        self.away, self.here = away, nn.Linear(4, 2, dtype=torch.float64)

    def forward(self, x):
        return self.here(self.away(x))


class Scale(nn.Module):
    def __init__(self, factor, *, also=1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.full((4,), factor * also, dtype=torch.float64))
        self.inner = nn.Linear(4, 4, dtype=torch.float64)

    def forward(self, x, power=1):
        return (x * self.weight) ** power


def is_training(module):
    return module.get_module_rref().local_value().training


def forward_from(module, x):
    return module(x)


def modules(other, third):
    x = torch.arange(4, dtype=torch.float64)
    for place in (other, f"{other}/cpu", f"rank:{rpc.get_worker_info(other).id}/cpu"):
        scale = RemoteModule(place, Scale, (2.0,), {"also": 3.0})
        assert scale(x).tolist() == (6 * x).tolist()
    assert scale.forward_async(x, power=2).wait().tolist() == (36 * x * x).tolist()
    assert [len(scale.remote_parameters(recurse)) for recurse in (True, False)] == [3, 1]
    assert rpc.rpc_sync(third, forward_from, (scale, x)).tolist() == (6 * x).tolist()
    again = RemoteModule.init_from_module_rref(other, scale.get_module_rref())
    hybrid = Hybrid(again)
    for mode in (False, True):
        assert hybrid.train(mode) is hybrid and rpc.rpc_sync(other, is_training, (scale,)) is mode
    assert repr(scale) == f"RemoteModule(on={rpc.get_worker_info(other).id}, device='cpu')"
    away = [weight.to_here() for weight in scale.remote_parameters()]
    optimizer = DistributedOptimizer(torch.optim.SGD, scale.remote_parameters(recurse=False), lr=0.5)
    with dist_autograd.context() as context_id:
        dist_autograd.backward(context_id, [hybrid(x).sum()])
        assert set(dist_autograd.get_gradients(context_id)) == set(hybrid.here.parameters())
        optimizer.step(context_id)
    close(scale.remote_parameters()[0].to_here(), away[0] - 0.5 * hybrid.here.weight.sum(0) * x)
    raises(ValueError, "Expect `module_cls(*args, **kwargs)` returns", RemoteModule(other, Box, (3,)).forward, x)
    raises(ValueError, "Could not parse remote_device: a/b/c", RemoteModule, "a/b/c", Scale)
    raises(ValueError, "Could not parse remote_device: node:1/cpu", RemoteModule, "node:1/cpu", Scale)
    raises(RuntimeError, "Cannot pickle RemoteModule in python pickler", pickle.dumps, scale)
    raises(ValueError, "``parameters`` not supported for RemoteModule. Please use ``remote_p", scale.parameters)
    raises(ValueError, "Method ``to`` not supported for RemoteModule", scale.to, torch.float32)
    raises(ValueError, "Method ``named_modules`` not supported for RemoteModule", list, Late(hybrid.parameters))


def replicas(other):
    """Replicas average gradients in a pass through other workers too, in the context; `.grad` stays as it is."""
    rank, size = dist.get_rank(), dist.get_world_size()
    for as_views in (False, True):
        torch.manual_seed(3)
        model = nn.parallel.DistributedDataParallel(nn.Linear(2, 1), gradient_as_bucket_view=as_views)
        weight, bias = model.parameters()
        weight.grad = torch.full((1, 2), 7.0)
        for _ in range(2):
            with dist_autograd.context() as context_id:
                loss = rpc.rpc_sync(other, torch.mul, (model(torch.full((3, 2), float(rank))), 2)).sum()
                dist_autograd.backward(context_id, [loss])
                found = dist_autograd.get_gradients(context_id)
                assert found[weight].tolist() == [[3.0 * (size - 1)] * 2] and found[bias].tolist() == [6.0]
            assert weight.grad.tolist() == [[7.0, 7.0]] and bias.grad is None


class Late:
    """What a function gives, once it is gone through."""

    def __init__(self, function):
        self.function = function

    def __iter__(self):
        return iter(self.function())


def total_of(matrix, dense):
    return torch.sparse.mm(matrix, dense).sum()


def sparse(other):
    places = torch.tensor([[0, 1, 1], [2, 0, 2]])
    values = torch.tensor([3.0, 4.0, 5.0], requires_grad=True)
    dense = torch.arange(6.0).view(3, 2)
    matrix = torch.sparse_coo_tensor(places, values, (2, 3))
    came = rpc.rpc_sync(other, same, (matrix,))
    assert came.layout is torch.sparse_coo and torch.equal(came.to_dense(), matrix.to_dense())
    with dist_autograd.context() as context_id:
        dist_autograd.backward(context_id, [rpc.rpc_sync(other, total_of, (matrix, dense))])
        assert dist_autograd.get_gradients(context_id)[values].tolist() == [9.0, 1.0, 9.0]
    table = RemoteModule(other, nn.Embedding, (5, 2), {"sparse": True})
    with dist_autograd.context() as context_id:
        dist_autograd.backward(context_id, [table(torch.tensor([1, 3, 1])).sum()])
        (grad,) = rpc.rpc_sync(other, gradients_of, (table, context_id))
    assert grad.layout is torch.sparse_coo and grad.to_dense()[:, 0].tolist() == [0.0, 2.0, 0.0, 1.0, 0.0]


def gradients_of(module, context_id):
    found = dist_autograd.get_gradients(context_id)
    return [found[parameter] for parameter in module.get_module_rref().local_value().parameters()]


def main():
    dist.init_process_group("gloo")
    rank, size = dist.get_rank(), dist.get_world_size()
    raises(RuntimeError, "RPC has not been initialized", rpc.get_worker_info)
    raises(AssertionError, "RemoteModule only works in RPC", RemoteModule, "worker0", Scale)
    raises(RuntimeError, "Need to initialize distributed autograd", dist_autograd.context().__enter__)
    raises(RuntimeError, "is not unique", rpc.init_rpc, "worker", rank=rank, world_size=size)
    for again in range(2):
        rpc.init_rpc(f"worker{rank}", rank=rank, world_size=size)
        assert rpc.get_worker_info() == rpc.get_worker_info(rank) == rpc.get_worker_info(f"worker{rank}")
        other, third = f"worker{1 % size}", f"worker{2 % size}"
        replicas(f"worker{(rank + 1) % size}")
        if rank == 0 and not again:
            calls(other)
            failures(other)
            references(other, third)
            gradients(other, third)
            failing_passes(other, third)
            training(other, third)
            modules(other, third)
            sparse(other)
        left = rpc.rpc_async(other, wait_until_open if again else same, *([] if again else [(rank,)]))
        if again and rank == size - 1:
            rpc.rpc_sync(other, let_go_on)
        rpc.shutdown()  # waits for what is under way
        assert left.done()
        raises(RuntimeError, "RPC has not been initialized", rpc.rpc_sync, other, same, (1,))
    dist.destroy_process_group()
    print("passed", flush=True)


if __name__ == "__main__":
    main()

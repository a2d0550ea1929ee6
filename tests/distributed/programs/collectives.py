"""Every collective against NumPy, on every dtype, contiguous and strided, for all processes and for some."""

import numpy as np
import torch
import torch.distributed as dist

from rushlight.distributed.work import DROPPED

FLOATS = [torch.float16, torch.bfloat16, torch.float32, torch.float64]
INTEGERS = [
    torch.uint8,
    torch.uint16,
    torch.uint32,
    torch.uint64,
    torch.int8,
    torch.int16,
    torch.int32,
    torch.int64,
]
COMPLEX = [torch.complex64, torch.complex128]
COMPUTED = [torch.bool, *INTEGERS, *FLOATS, *COMPLEX]
EIGHT_BITS = [torch.float8_e4m3fn, torch.float8_e4m3fnuz, torch.float8_e5m2, torch.float8_e5m2fnuz]  # moved only
NARROW = {torch.bfloat16, *EIGHT_BITS}

dist.init_process_group("gloo")
rank, size = dist.get_rank(), dist.get_world_size()


def numpy_type(dtype):
    """The type of the arrays to compare with: float32 for those that NumPy has not, which are exact here."""
    return np.dtype(np.float32) if dtype in NARROW else torch.zeros((), dtype=dtype).numpy().dtype


def values(dtype, of_rank, shape=(3, 4), seed=0):
    """What a rank has: the same numbers in every process that asks."""
    generator = np.random.default_rng([seed, of_rank])
    numbers = generator.integers(0, 4, shape)
    if dtype.is_complex:
        numbers = numbers + 1j * generator.integers(0, 4, shape)
    return numbers.astype(numpy_type(dtype))


def tensor(dtype, of_rank=None, strided=False, **options):
    """A rank's numbers as a tensor, by default this one's."""
    array = values(dtype, rank if of_rank is None else of_rank, **options)
    if not strided:
        return torch.from_numpy(array).to(dtype)
    return torch.from_numpy(np.ascontiguousarray(array.T)).to(dtype).t()


def same(result, expected, digits=0.0):
    assert numpy_type(result.dtype) == np.asarray(expected).dtype
    found = result.float() if result.dtype in NARROW else result
    np.testing.assert_allclose(found.numpy(), expected, rtol=digits)


def everyone(dtype, **options):
    return [values(dtype, other, **options) for other in range(size)]


def reductions():
    folds = {
        dist.ReduceOp.SUM: np.add,
        dist.ReduceOp.PRODUCT: np.multiply,
        dist.ReduceOp.MIN: np.minimum,
        dist.ReduceOp.MAX: np.maximum,
        dist.ReduceOp.BAND: np.bitwise_and,
        dist.ReduceOp.BOR: np.bitwise_or,
        dist.ReduceOp.BXOR: np.bitwise_xor,
    }
    bitwise = (dist.ReduceOp.BAND, dist.ReduceOp.BOR, dist.ReduceOp.BXOR)
    for dtype in COMPUTED:
        for op, fold in folds.items():
            if op in bitwise and dtype not in [torch.bool, *INTEGERS]:
                continue
            if op in (dist.ReduceOp.MIN, dist.ReduceOp.MAX) and dtype.is_complex:
                continue
            expected = fold.reduce(everyone(dtype)).astype(everyone(dtype)[0].dtype)
            for strided in (False, True):
                x = tensor(dtype, strided=strided)
                version = x._version
                assert dist.all_reduce(x, op) is None
                same(x, expected)
                assert x._version > version
                y = tensor(dtype, strided=strided)
                dist.reduce(y, size - 1, op)
                same(y, expected if rank == size - 1 else values(dtype, rank))
    x = tensor(torch.float32)
    dist.all_reduce(x, dist.ReduceOp.AVG)
    same(x, np.mean(everyone(torch.float32), 0, dtype=np.float32), 1e-6)
    for dtype, large in ((torch.float16, 2048.0), (torch.bfloat16, 256.0)):
        total = torch.full((1,), large if rank == 0 else 1.0, dtype=dtype)
        part, rows = torch.zeros(1, dtype=dtype), total.expand(size).clone()
        dist.all_reduce(
            total
        )  # summed in the type itself, each one would be lost: 1 is half a unit of the large number
        dist.reduce_scatter_tensor(part, rows)
        expected = torch.tensor([large + size - 1]).to(dtype)
        assert total.item() == part.item() == expected.item() and (size == 2 or total.item() > large)
    for op, dtype, words in (
        (dist.ReduceOp.MAX, torch.complex64, "ReduceOp.MAX is not supported on complex tensors"),
        (dist.ReduceOp.BAND, torch.float32, "Cannot use ReduceOp.BAND with non-integral dtype"),
        (dist.ReduceOp.BOR, torch.bfloat16, "Cannot use ReduceOp.BOR with non-integral dtype"),
        (dist.ReduceOp.SUM, torch.float8_e5m2, "Cannot use ReduceOp.SUM"),
        *((dist.ReduceOp.AVG, whole, "result type Float can't be cast") for whole in (torch.bool, *INTEGERS)),
    ):
        try:
            dist.all_reduce(torch.ones(1, dtype=dtype), op)
        except (RuntimeError, ValueError) as error:
            assert isinstance(error, ValueError) == dtype.is_complex
            assert str(error).startswith(words), error
        else:
            raise AssertionError(f"{op} of {dtype} did not raise")


def movements():
    for dtype in [*COMPUTED, *EIGHT_BITS]:
        for strided in (False, True):
            x = tensor(dtype, strided=strided)
            dist.broadcast(x, src=size - 1)
            same(x, values(dtype, size - 1))

            parts = [torch.zeros(3, 4, dtype=dtype) for _ in range(size)]
            dist.all_gather(parts, tensor(dtype, strided=strided))
            same(torch.stack(parts), np.stack(everyone(dtype)))

            gathered = [torch.zeros(3, 4, dtype=dtype) for _ in range(size)] if rank == 0 else None
            dist.gather(tensor(dtype, strided=strided), gathered, dst=0)
            if gathered is not None:
                same(torch.stack(gathered), np.stack(everyone(dtype)))

            mine = torch.zeros(3, 4, dtype=dtype)
            dist.scatter(mine, [tensor(dtype, i) for i in range(size)] if rank == 1 else None, src=1)
            same(mine, values(dtype, rank))

        stacked = torch.zeros(size, 3, 4, dtype=dtype)
        dist.all_gather_into_tensor(stacked, tensor(dtype))
        same(stacked, np.stack(everyone(dtype)))

        received = [torch.zeros(2, i + 1, dtype=dtype) for i in range(size)]
        sent = [tensor(dtype, shape=(2, rank + 1), seed=i) for i in range(size)]
        dist.all_to_all(received, sent)
        for i, part in enumerate(received):
            same(part, values(dtype, i, shape=(2, i + 1), seed=rank))

        rows = torch.zeros(size, 2, dtype=dtype)
        dist.all_to_all_single(rows, tensor(dtype, shape=(size, 2)))
        same(rows, np.stack([values(dtype, i, shape=(size, 2))[rank] for i in range(size)]))

        if dtype in COMPUTED:
            total = np.add.reduce(everyone(dtype, shape=(size, 3))).astype(numpy_type(dtype))
            own = torch.zeros(3, dtype=dtype)
            dist.reduce_scatter_tensor(own, tensor(dtype, shape=(size, 3)))
            same(own, total[rank])
            own = torch.zeros(3, dtype=dtype)
            dist.reduce_scatter(own, list(tensor(dtype, shape=(size, 3))))
            same(own, total[rank])
    x = torch.zeros(3 * rank + 1)
    uneven = [torch.zeros(3 * i + 1) for i in range(size)]
    dist.all_gather(uneven, x + rank)
    assert [part.sum().item() for part in uneven] == [i * (3 * i + 1) for i in range(size)]


def several_at_once():
    tensors = [torch.ones(2), torch.full((3,), 2.0)]
    dist.all_reduce_coalesced(tensors)
    assert tensors[0].tolist() == [size] * 2 and tensors[1].tolist() == [2 * size] * 3
    lists = [[torch.zeros(2), torch.zeros(3)] for _ in range(size)]
    dist.all_gather_coalesced(lists, [torch.full((2,), float(rank)), torch.full((3,), -float(rank))])
    assert [pair[1][0].item() for pair in lists] == [-float(i) for i in range(size)]


def later():
    works = [dist.all_reduce(x, async_op=True) for x in (torch.ones(4), torch.ones(100_000))]
    assert all(work.wait() for work in works) and all(work.is_completed() for work in works)
    x = torch.ones(3)
    doubled = dist.all_reduce(x, async_op=True).get_future().then(lambda done: 2 * done.value()[0])
    assert doubled.wait().tolist() == [2.0 * size] * 3
    assert dist.barrier(async_op=True).wait()


def dropped():
    """Communication that nobody waits for keeps its memory until it is over."""
    for _ in range(100):
        dist.all_reduce(torch.ones(3), async_op=True)
        torch.zeros(3)
    for _ in range(3):
        x = torch.ones(3)
        dist.all_reduce(x)
        assert x.tolist() == [size] * 3
    assert len(DROPPED) <= 1


def messages():
    after, before = (rank + 1) % size, (rank - 1) % size
    x = torch.zeros(2, 3)
    work = dist.isend(torch.full((3, 2), float(rank)).t(), after, tag=5)
    assert dist.recv(x, before, tag=5) == before
    work.wait()
    assert x.tolist() == [[before] * 3] * 2
    ops = [
        dist.P2POp(dist.isend, torch.full((2,), rank), after),
        dist.P2POp(dist.irecv, y := torch.zeros(2).long(), before),
    ]
    for work in dist.batch_isend_irecv(ops):
        work.wait()
    assert y.tolist() == [before] * 2
    if rank == 0:
        came = {dist.recv(x) for _ in range(size - 1)}
        assert came == set(range(1, size))
    else:
        dist.send(torch.zeros(2, 3), 0)
    try:
        dist.send(x, rank)
    except ValueError as error:
        assert "Invalid destination rank" in str(error)
    dist.monitored_barrier()


def objects():
    found = [None] * size
    dist.all_gather_object(found, {"rank": rank, "text": "x" * rank})
    assert [item["rank"] for item in found] == list(range(size))
    given = [1, "two", None] if rank == 0 else [None] * 3
    dist.broadcast_object_list(given, src=0)
    assert given == [1, "two", None]
    mine = [None]
    dist.scatter_object_list(mine, [{i} for i in range(size)] if rank == 0 else None, src=0)
    assert mine == [{rank}]
    gathered = [None] * size if rank == 1 else None
    dist.gather_object(rank**2, gathered, dst=1)
    assert gathered is None or gathered == [i**2 for i in range(size)]
    if rank == 0:
        dist.send_object_list([1, "a"], 1)
    elif rank == 1:
        got = [None, None]
        assert dist.recv_object_list(got, 0) == 0 and got == [1, "a"]


def groups():
    last = [size - 1, 0]
    pair = dist.new_group(last)
    x = torch.full((1,), float(rank))
    if rank in last:
        assert dist.get_process_group_ranks(pair) == [0, size - 1]
        dist.all_reduce(x, group=pair)
        assert x.item() == size - 1 and dist.get_world_size(pair) == 2
        dist.broadcast(x, src=size - 1, group=pair)
        assert dist.get_global_rank(pair, dist.get_rank(pair)) == rank
    else:
        assert pair == dist.GroupMember.NON_GROUP_MEMBER and dist.get_rank(pair) == -1
    own, everybody = dist.new_subgroups(size // 2)
    x = torch.ones(1)
    dist.all_reduce(x, group=own)
    assert x.item() == size // 2 and len(everybody) == 2
    mesh = dist.init_device_mesh("cpu", (2, size // 2), mesh_dim_names=("outer", "inner"))
    x = torch.full((1,), float(rank))
    dist.all_reduce(x, group=mesh["outer"].get_group())
    assert x.item() == 2 * (rank % (size // 2)) + size // 2 and mesh.get_coordinate() == divmod(rank, size // 2)


def derivatives():
    from torch.distributed.nn import functional as F

    def gradient(function):
        x = torch.arange(1.0, 4.0).mul(rank + 1).requires_grad_()
        function(x).backward()
        return x.grad.tolist()

    weight = float(rank + 1)
    all_weights = size * (size + 1) / 2
    assert gradient(lambda x: weight * F.all_reduce(x).sum()) == [all_weights] * 3
    assert (
        gradient(lambda x: weight * sum(i * part.sum() for i, part in enumerate(F.all_gather(x))))
        == [rank * all_weights] * 3
    )
    assert gradient(lambda x: weight * F.broadcast(x, 1).sum()) == [all_weights if rank == 1 else 0.0] * 3
    assert gradient(lambda x: weight * F.reduce(x, 0).sum()) == [1.0] * 3
    assert gradient(lambda x: weight * sum(p.sum() for p in F.gather(x, 0))) == [1.0] * 3
    assert (
        gradient(lambda x: weight * F.scatter([x * i for i in range(size)], 0).sum())
        == [sum(i * (i + 1.0) for i in range(size)) if rank == 0 else 0.0] * 3
    )
    room = torch.zeros(3)
    assert gradient(lambda x: weight * F.reduce_scatter(room, [x] * size).sum()) == [all_weights] * 3
    assert (
        gradient(lambda x: weight * sum(p.sum() for p in F.all_to_all([room] * size, [x] * size))) == [all_weights] * 3
    )


def sparse_sums():
    for dtype in (torch.float32, torch.float64, torch.complex64, torch.int64, torch.float16):
        own = torch.sparse_coo_tensor(
            torch.tensor([[0, rank, rank]]), torch.ones(3, 2).to(dtype) * (rank + 1), (size + 1, 2)
        )
        whole = own.to_dense()
        work = dist.all_reduce(own, async_op=True)
        assert work.wait()
        dist.all_reduce(whole)
        assert own.is_coalesced() and own.dtype is dtype
        assert torch.equal(own.to_dense(), whole)
    nothing = torch.sparse_coo_tensor(torch.zeros(2, 0, dtype=torch.int64), torch.zeros(0), (2, 2))
    dist.all_reduce(nothing)
    assert nothing._nnz() == 0


for part in (
    reductions,
    movements,
    several_at_once,
    sparse_sums,
    later,
    dropped,
    messages,
    objects,
    groups,
    derivatives,
):
    part()
dist.destroy_process_group()
assert not dist.is_initialized()
print("passed")

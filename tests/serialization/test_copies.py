"""`copy.deepcopy` and `pickle` of tensors: shared memory, attributes, slots; subclasses in files."""

import copy
import io
import os
import pickle

import pytest


def given(torch):
    """A tensor on which an attribute was set."""
    x = torch.arange(6.0)
    x.note = [1]
    return x


def test_attributes_are_copied_with_tensors(torch):
    x = given(torch)
    deep, shallow, pickled = copy.deepcopy(x), copy.copy(x), pickle.loads(pickle.dumps(x))
    assert deep.note == pickled.note == [1]
    assert deep.note is not x.note
    assert shallow.note is x.note
    assert shallow.data_ptr() == x.data_ptr()
    assert vars(copy.deepcopy(torch.ones(2))) == {} or torch.__name__ == "rushlight"  # uncompiled fields are there


def test_views_of_one_memory_share_the_copied_memory(torch):
    x = torch.arange(6.0)
    first, second, third = copy.deepcopy([x, x[2:], x.view(2, 3).t()])
    first[3] = 100
    assert second.tolist() == [2, 100, 4, 5]
    assert third.tolist() == [[0, 100], [1, 4], [2, 5]]
    assert (second.storage_offset(), second.untyped_storage().nbytes()) == (2, 24)
    assert x[3] == 3
    assert not second._is_view()


def test_a_copy_has_the_strides_of_its_model(torch):
    models = [torch.ones(2, 3).t(), torch.ones(3).expand(2, 3), torch.ones(2, 6)[:, ::2]]
    assert [copy.deepcopy(x).stride() for x in models] == [(1, 3), (0, 1), (6, 2)]
    assert copy.deepcopy(torch.arange(4)[1:2]).storage_offset() == 1


def test_a_module_keeps_buffers_that_share_memory(torch):
    module = torch.nn.Module()
    module.register_buffer("whole", torch.zeros(4))
    module.register_buffer("part", module.whole[1:3])
    twin = copy.deepcopy(module)
    twin.whole.fill_(1)
    assert twin.part.tolist() == [1, 1]
    assert module.part.tolist() == [0, 0]


def wrapper(torch):
    """A subclass with slots, whose objects have a tensor in one of them."""

    class Wrapper(torch.Tensor):
        __slots__ = ("inner", "other")

        @staticmethod
        def __new__(cls, inner):
            made = torch.Tensor._make_subclass(cls, inner.to("meta"), inner.requires_grad)
            made.inner = inner
            return made

        def clone(self):
            return type(self)(self.inner.clone())

    Wrapper.__qualname__, Wrapper.__module__ = "Wrapper", __name__
    globals()["Wrapper"] = Wrapper
    return Wrapper


def test_subclasses_with_slots(torch):
    kind = wrapper(torch)
    x = kind(torch.ones(2))
    x.note = "text"
    y = copy.deepcopy(x)
    assert type(y) is kind
    assert (y.inner.tolist(), y.note) == ([1, 1], "text")
    assert y.inner is not x.inner
    file = io.BytesIO()
    torch.save(x, file)
    with torch.serialization.safe_globals([kind]):
        z = torch.load(io.BytesIO(file.getvalue()))
    assert type(z) is kind
    assert (z.inner.tolist(), z.note) == ([1, 1], "text")


def test_subclasses_with_a_state_of_their_own(torch):
    class Stated(torch.Tensor):
        def __getstate__(self):
            return "mark", vars(self).get("note")

        def __setstate__(self, state):
            self.note, self.loaded = state[1], state[0]

    Stated.__qualname__, Stated.__module__ = "Stated", __name__
    globals()["Stated"] = Stated
    x = torch.ones(2).as_subclass(Stated)
    x.note = 5
    file = io.BytesIO()
    torch.save(x, file)
    with torch.serialization.safe_globals([Stated]):
        y = torch.load(io.BytesIO(file.getvalue()))
    assert (type(y), y.note, y.loaded) == (Stated, 5, "mark")


def test_wrapper_subclasses_are_saved_with_what_they_hold(torch):
    class Two(torch.Tensor):
        @staticmethod
        def __new__(cls, a, b):
            made = torch.Tensor._make_wrapper_subclass(cls, a.shape, strides=a.stride(), dtype=a.dtype)
            made.a, made.b = a, b
            return made

        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            raise NotImplementedError(func)

    Two.__qualname__, Two.__module__ = "Two", __name__
    globals()["Two"] = Two
    file = io.BytesIO()
    torch.save(Two(torch.ones(2), torch.zeros(2)), file)
    name = f"{__name__}.Two"
    assert torch.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(file.getvalue())) == [name]
    with torch.serialization.safe_globals([Two]):
        found = torch.load(io.BytesIO(file.getvalue()))
    assert (type(found), found.shape, found.a.tolist(), found.b.tolist()) == (Two, (2,), [1, 1], [0, 0])


# what may be loaded


def saved(torch, obj):
    file = io.BytesIO()
    torch.save(obj, file)
    return io.BytesIO(file.getvalue())


def test_the_environment_chooses_what_is_loaded(torch, monkeypatch):
    only, all_of_it = "TORCH_FORCE_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"
    module = torch.nn.Linear(1, 1)
    monkeypatch.setenv(only, "1")
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(saved(torch, module), weights_only=False)
    monkeypatch.setenv(all_of_it, "yes")
    with pytest.raises(RuntimeError, match="Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or"):
        torch.load(saved(torch, module))
    monkeypatch.delenv(only)
    with pytest.warns(UserWarning, match=r"forcing weights_only=False"):
        assert isinstance(torch.load(saved(torch, module)), torch.nn.Linear)
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        torch.load(saved(torch, module), weights_only=True)


def test_no_user_can_allow_functions_of_the_system(torch):
    said = f"unsupported GLOBAL {os.execv.__module__}.execv whose module {os.execv.__module__} is blocked"
    with torch.serialization.safe_globals([os.execv]), pytest.raises(pickle.UnpicklingError, match=said):
        torch.load(saved(torch, os.execv))


class Damaged:
    """Is pickled as a sparse tensor with other parts."""

    def __init__(self, torch, layout, *parts):
        self.call = torch._utils._rebuild_sparse_tensor, (layout, parts)

    def __reduce_ex__(self, protocol):
        return self.call


def test_parts_of_sparse_tensors_that_do_not_fit():
    torch = pytest.importorskip("rushlight")  # PyTorch checks them where asked to alone
    x = torch.eye(3).to_sparse_csr()
    starts = x.crow_indices().clone()
    starts[0] = 3
    damaged = Damaged(torch, torch.sparse_csr, starts, x.col_indices(), x.values(), x.size())
    with pytest.raises(RuntimeError, match=r"`crow_indices\[..., 0\] == 0` is not satisfied"):
        torch.load(saved(torch, damaged))
    y = torch.eye(3).to_sparse()
    with pytest.raises(RuntimeError, match="size is inconsistent with indices"):
        torch.load(saved(torch, Damaged(torch, torch.sparse_coo, y._indices(), y._values(), torch.Size([2, 2]))))


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_numbers_of_eight_bits_are_compared(torch, name):
    dtype = getattr(torch, name)
    x, y = torch.arange(3.0).to(dtype), torch.tensor([0.0, 1.0, 4.0]).to(dtype)
    assert torch.isclose(x, y, rtol=0, atol=0).tolist() == [True, True, False]
    torch.testing.assert_close(x, x.clone())
    with pytest.raises(AssertionError):
        torch.testing.assert_close(x, y)

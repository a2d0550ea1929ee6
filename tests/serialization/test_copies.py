"""`copy.deepcopy` and `pickle` of tensors: shared memory, attributes, slots; subclasses in files."""

import copy
import io
import pickle


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

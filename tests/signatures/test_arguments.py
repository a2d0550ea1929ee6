"""Methods and arguments that the comparison of signatures has brought to light, with PyTorch's results."""

import pytest

import rushlight as torch
from rushlight.nn.utils import prune
from rushlight.utils import _pytree

CASTS = {
    "bfloat16": torch.bfloat16,
    "bool": torch.bool,
    "byte": torch.uint8,
    "char": torch.int8,
    "complex_double": torch.complex128,
    "complex_float": torch.complex64,
    "double": torch.float64,
    "float": torch.float32,
    "float8_e4m3fn": torch.float8_e4m3fn,
    "float8_e5m2": torch.float8_e5m2,
    "half": torch.float16,
    "int": torch.int32,
    "long": torch.int64,
    "short": torch.int16,
}


@pytest.mark.parametrize("name", CASTS)
def test_storages_are_converted(name):
    typed = torch.FloatStorage([1.0, 2.0])
    found = getattr(typed, name)()
    assert (found.dtype, found.tolist()) == (CASTS[name], torch.tensor([1.0, 2.0]).to(CASTS[name]).tolist())
    bytes = getattr(typed.untyped(), name)()
    assert bytes.tolist() == torch.tensor([0, 0, 128, 63, 0, 0, 0, 64]).to(CASTS[name]).tolist()


def test_types_of_storages():
    typed = torch.FloatStorage([1.0, 2.0])
    assert (typed.type(), typed.untyped().type()) == ("torch.FloatStorage", "torch.storage.UntypedStorage")
    assert typed.type("torch.IntStorage").tolist() == typed.type(torch.int32).tolist() == [1, 2]
    assert typed.type(torch.float32) is typed
    assert typed.pickle_storage_type() == "FloatStorage"
    with pytest.raises(RuntimeError, match=r"invalid type: 'torch\.WideStorage'"):
        typed.type("torch.WideStorage")


def test_memory_of_storages(tmp_path):
    typed = torch.ShortStorage([1, 2])
    typed.resize_(3)
    assert typed.tolist() == [1, 2, 0]
    assert typed.to(device="cpu") is typed
    assert not typed.is_shared()
    assert typed.share_memory_().is_shared()
    assert typed.tolist() == [1, 2, 0]
    assert torch.ShortStorage.from_buffer(b"\0\1\0\2", "big").tolist() == [1, 2]
    assert torch.ShortStorage.from_buffer(b"\0\1\0\2\0", "little", count=1, offset=2).tolist() == [512]
    with pytest.raises(ValueError, match="invalid byte_order"):
        torch.ShortStorage.from_buffer(b"\0\1", "middle")
    bytes = torch.ShortStorage([1, 2]).untyped()
    bytes.byteswap(torch.int16)
    assert bytes.tolist() == [0, 1, 0, 2]
    path = tmp_path / "numbers"
    path.write_bytes(b"\1\0\2\0")
    torch.ShortStorage.from_file(str(path), True, 2)[0] = 7
    assert path.read_bytes() == b"\7\0\2\0"
    for refused in (typed.cuda, typed.hpu, typed.pin_memory, bytes.mps):
        with pytest.raises((RuntimeError, AssertionError)):
            refused()


def test_lazy_layers_pass_all_arguments_on():
    layer = torch.nn.LazyConvTranspose1d(3, kernel_size=3, stride=2)
    assert layer(torch.ones(1, 2, 4), output_size=[10]).shape == (1, 3, 10)
    with pytest.raises(TypeError):
        torch.nn.LazyLinear(2, 3, 4, 5, 6)


def test_pruning_takes_arguments_by_position():
    layer = torch.nn.Linear(2, 2)
    layer.weight.data = torch.tensor([[1.0, 4.0], [3.0, 2.0]])
    scores = torch.tensor([[9.0, 0.0], [9.0, 9.0]])
    prune.L1Unstructured.apply(layer, "weight", 1, scores)
    assert layer.weight.tolist() == [[1, 0], [3, 2]]
    prune.LnStructured.apply(layer, "weight", 1, 2, 0)
    assert layer.weight.tolist() == [[0, 0], [3, 2]]
    prune.CustomFromMask.apply(layer, "bias", torch.zeros(2))
    assert layer.bias.tolist() == [0, 0]


def test_packed_sequences_are_converted():
    packed = torch.nn.utils.rnn.pack_sequence([torch.tensor([1.0, 2.0])])
    dtypes = [getattr(packed, name)().data.dtype for name in ("half", "byte", "char", "short", "int", "long")]
    assert dtypes == [torch.float16, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64]
    assert packed.cpu(torch.float64).data.dtype is torch.float64
    with pytest.raises(AssertionError):
        packed.cuda()
    with pytest.raises(RuntimeError):
        packed.pin_memory()


def test_recurrent_layers_check_their_arguments():
    layer = torch.nn.LSTM(3, 4, 2, proj_size=2, bidirectional=True, batch_first=True)
    x = torch.ones(5, 6, 3)
    assert layer.get_expected_hidden_size(x, None) == (4, 5, 2)
    assert layer.get_expected_cell_size(x, None) == (4, 5, 4)
    state = torch.arange(40.0).reshape(4, 5, 2), torch.ones(4, 5, 4)
    layer.check_forward_args(x, state, None)
    with pytest.raises(RuntimeError, match=r"Expected hidden\[1\] size \(4, 5, 4\), got \[4, 5, 2\]"):
        layer.check_forward_args(x, (state[0], state[0]), None)
    with pytest.raises(RuntimeError, match="input must have 2 dimensions, got 3"):
        layer.check_input(x, torch.tensor([1]))
    with pytest.raises(ValueError, match="does not match weight dtype"):
        layer.check_input(x.double(), None)
    order = torch.tensor([4, 3, 2, 1, 0])
    assert torch.equal(layer.permute_hidden(state, order)[0], state[0].flip(1))


def test_masks_of_attention_are_merged():
    layer = torch.nn.MultiheadAttention(4, 2)
    query, keys, scores = torch.ones(3, 5, 4), torch.eye(3, 5), torch.ones(5, 5)
    assert layer.merge_masks(None, None, query) == (None, None)
    assert layer.merge_masks(None, keys, query)[1] == 1
    merged, kind = layer.merge_masks(scores, keys, query)
    assert kind == 2
    assert torch.equal(merged, scores.expand(3, 2, 5, 5) + keys[:, None, None])


def test_structures_of_trees():
    spec = _pytree.tree_structure({"a": [1, 2], "b": 3})
    assert (spec.num_nodes, spec.num_leaves, spec.num_children) == (5, 3, 2)
    assert spec.children() == [_pytree.tree_structure([1, 2]), _pytree.LeafSpec()]
    assert spec.child(1).is_leaf()
    assert not spec.is_leaf()
    assert spec.unflatten([1, 2, 3]) == {"a": [1, 2], "b": 3}
    assert spec.flatten_up_to({"b": 0, "a": [(1, 2), 3]}) == [(1, 2), 3, 0]
    with pytest.raises(ValueError, match="arity"):
        spec.flatten_up_to({"a": [1, 2, 3], "b": 0})
    with pytest.raises(ValueError, match="type mismatch"):
        spec.flatten_up_to({"a": (1, 2), "b": 0})


class Pair:
    """A container."""

    def __init__(self, first, second):
        self.first, self.second = first, second


def test_registered_containers_have_keys_and_are_written():
    _pytree.register_pytree_node(
        Pair,
        lambda pair: ([pair.first, pair.second], {"kind"}),
        lambda items, context: Pair(*items),
        serialized_type_name="tests.Pair",
        to_dumpable_context=list,
        from_dumpable_context=set,
        flatten_with_keys_fn=lambda pair: (
            [(_pytree.GetAttrKey("first"), pair.first), (_pytree.GetAttrKey("second"), pair.second)],
            {"kind"},
        ),
    )
    found = _pytree.tree_leaves_with_path([Pair(1, 2)])
    assert [(_pytree.keystr(path), leaf) for path, leaf in found] == [("[0].first", 1), ("[0].second", 2)]
    spec = _pytree.tree_structure(Pair(1, [2]))
    assert _pytree.treespec_loads(_pytree.treespec_dumps(spec)) == spec
    with pytest.raises(ValueError, match="must be None or registered"):
        _pytree.register_pytree_node(list, list, list, to_dumpable_context=list)


def test_options_of_scalers_are_set():
    scaler = torch.amp.GradScaler("cpu")
    scaler.set_growth_factor(3.0)
    scaler.set_backoff_factor(0.25)
    scaler.set_growth_interval(7)
    assert (scaler.get_growth_factor(), scaler.get_backoff_factor(), scaler.get_growth_interval()) == (3.0, 0.25, 7)


def test_sums_of_adagrad_are_shared():
    optimizer = torch.optim.Adagrad([torch.ones(2, requires_grad=True)])
    optimizer.share_memory()
    assert all(state["sum"].is_shared() for state in optimizer.state.values())

"""The names of PyTorch's compilers, TorchScript and exporters: programs that use them run as they are."""

import sys

import pytest

import rushlight as torch
from rushlight import jit


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)

    @jit.export
    def doubled(self, x):
        return 2 * x

    @jit.ignore
    def forward(self, x):
        return self.layer(x) if bool(x.sum() > 0) else x


def test_marks_leave_functions_alone():
    def f(x):
        return x

    for mark in (jit.ignore, jit.unused, jit.export, jit.script, jit.script_if_tracing, jit.ignore(drop=True)):
        assert mark(f) is f
    for mark in ("run", "nonstrict_trace", "optimize_assert", "disallow_in_graph", "register_backend"):
        mark = getattr(torch._dynamo, mark)
        assert (mark("eager") if mark is torch._dynamo.optimize_assert else mark)(f) is not None
    assert torch._dynamo.optimize("eager")(f) is f
    assert torch.compiler.allow_in_graph([f, f]) == [f, f]
    with torch.compiler.set_stance("force_eager"), jit.strict_fusion():
        assert not jit.is_scripting()
        assert not torch.compiler.is_dynamo_compiling()
    with pytest.raises(RuntimeError, match="stance 'sometimes'"):
        torch.compiler.set_stance("sometimes")


def test_modules_run_as_they_are():
    module = Scaled()
    assert jit.script(module) is jit.trace(module, torch.ones(2)) is module
    assert jit.trace_module(module, {"forward": torch.ones(2), "doubled": (torch.ones(1),)}) is module
    negative = -torch.ones(2)
    assert module(negative) is negative  # a trace would have gone the other way
    with pytest.raises(RuntimeError, match="eval mode"):
        jit.freeze(module)
    assert jit.optimize_for_inference(jit.freeze(module.eval())) is module
    with pytest.raises(RuntimeError, match=r"size|shape|multiplied"):
        jit.trace(module, torch.ones(3))
    assert isinstance(jit.ScriptModule(), torch.nn.Module)
    assert not isinstance(module, jit.ScriptFunction | jit.ScriptModule)


@pytest.mark.parametrize(
    ("value", "kind", "is_one"),
    [
        ([1], list[int], True),
        ([1.0], list[int], False),
        ({"a": torch.ones(1)}, dict[str, torch.Tensor], True),
        ({"a": 1}, dict[str, str], False),
        ((1, "a"), tuple[int, str], True),
        ((1, 2), tuple[int, str], False),
        ((1,), tuple[int, str], False),
        (None, int | None, True),
        ("a", int | None, False),
        (1, (str, int), True),
    ],
)
def test_types_with_their_contents(value, kind, is_one):
    assert jit.isinstance(value, kind) is is_one


def test_calls_side_by_side():
    future = jit.fork(lambda a, b: a / b, 6, b=3)
    assert jit.wait(future) == 2.0
    with pytest.raises(ZeroDivisionError):
        jit.fork(lambda: 1 // 0)


@pytest.mark.parametrize("name", ["jit.load", "jit.CompilationUnit", "_dynamo.replay", "onnx.InputObserver"])
def test_what_is_absent_says_why(name):
    module, _, last = name.rpartition(".")
    home = getattr(torch, module)
    assert not hasattr(home, last)
    with pytest.raises(AttributeError, match=rf"'torch.{module}' has no attribute '{last}' in rushlight: (it be|rush)"):
        getattr(home, last)


@pytest.mark.parametrize(
    ("use", "instead"),
    [
        (lambda: jit.script(Scaled()).save("model.pt"), r"torch\.save\(module\.state_dict\(\), file\)"),
        (lambda: jit.save(jit.script(Scaled()), "model.pt"), r"torch\.save\(module\.state_dict\(\), file\)"),
        (lambda: jit.load("model.pt"), r"torch\.jit\.load\(file\)\.state_dict\(\)"),
        (lambda: torch.export.export(Scaled(), (torch.ones(2),)), r"torch\.onnx\.export .* torch\.fx\.symbolic_trace"),
        (lambda: torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]), r"torch\.nn\.utils\.rnn\.pad_sequence"),
    ],
)
def test_errors_name_what_to_use_instead(use, instead):
    with pytest.raises(AttributeError, match=rf"in rushlight: .*{instead}"):
        use()


def test_a_report_has_the_fields_of_pytorchs():
    def f(x):
        return x.sin() * 2

    told = torch._dynamo.explain(f)(torch.ones(3))
    assert (told.graph_count, told.graph_break_count, told.op_count) == (1, 0, 2)
    assert torch._dynamo.explain(f, torch.ones(3)).op_count == 2


def test_exporting_without_its_package_says_so(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    assert not torch.onnx.is_in_onnx_export()
    with pytest.raises(ModuleNotFoundError, match="pip install onnx"):
        torch.onnx.export(Scaled(), torch.ones(2), "model.onnx")


def test_configuration_and_version():
    assert torch.__config__.show().startswith("PyTorch")
    assert "threads" in torch.__config__.parallel_info()
    assert torch.__version__ >= "2.9"
    assert torch.__version__ > (1, 13)
    assert torch.__version__.startswith("2.13.0")
    assert sorted(map(torch.torch_version.TorchVersion, ["1.10", "1.9", "1.10rc1", "1.10+cu"])) == [
        "1.9",
        "1.10rc1",
        "1.10",
        "1.10+cu",
    ]
    torch._dynamo.config.suppress_errors = True
    assert torch._dynamo.config.suppress_errors
    torch._inductor.config.coordinate_descent_tuning = torch._inductor.config.triton.cudagraphs = True
    assert torch._inductor.config.coordinate_descent_tuning


def test_names_of_the_compiled_core():
    with pytest.raises(torch._C._LinAlgError):
        torch.linalg.inv(torch.zeros(2, 2))
    assert torch._C._get_tracing_state() is None
    assert torch._C.Generator is torch.Generator


def test_private_names_that_libraries_import():
    parse = torch._C._nn._parse_to
    cpu = torch.device("cpu")
    assert parse("cpu", torch.float64, True) == (cpu, torch.float64, True, None)
    assert parse(torch.float16) == (None, torch.float16, False, None)
    assert parse(torch.ones(2)) == (cpu, torch.float32, False, None)
    assert parse(dtype=torch.int64, memory_format=torch.channels_last) == (
        None,
        torch.int64,
        False,
        torch.channels_last,
    )
    pytree = torch.utils._pytree
    found, context = pytree._dict_flatten_with_keys({"a": 1, "b": 2})
    assert [(str(key), value) for key, value in found] == [("['a']", 1), ("['b']", 2)]
    values, keys = pytree._dict_flatten({"a": 1, "b": 2})
    assert pytree._dict_unflatten(values, keys) == {"a": 1, "b": 2}
    assert context == keys


def test_a_context_in_which_tensors_pick():
    from rushlight._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex

    x, row = torch.arange(12.0).reshape(3, 4), torch.tensor(1)
    with TransformGetItemToIndex():
        picked = x[row]
        element = torch.vmap(lambda i, j: x[i, j], (None, 0))(row, torch.arange(4))
        part = x[0, 1:]
    x.zero_()
    assert picked.tolist() == element.tolist() == [4, 5, 6, 7]
    assert part.tolist() == [0, 0, 0]


def test_functions_that_need_workers():
    called = torch.distributed.rpc.api._require_initialized(lambda: 3)
    with pytest.raises(RuntimeError, match=r"RPC has not been initialized\. Call torch"):
        called()


def test_classes_without_objects_can_be_imported():
    from rushlight.distributed.checkpoint.hf_storage import HuggingFaceStorageReader

    with pytest.raises(NotImplementedError, match="StorageReader has no objects in rushlight: communication"):
        HuggingFaceStorageReader("folder")


def test_states_of_devices_that_there_are_not():
    from rushlight.utils.checkpoint import get_device_states, set_device_states

    set_device_states(*get_device_states(torch.ones(2)))
    with pytest.raises(RuntimeError, match="no device 0"):
        set_device_states([0], [torch.get_rng_state()])


def test_compiled_modules_and_errors_are_where_programs_look_for_them():
    module = torch.compile(torch.nn.Linear(2, 2))
    assert isinstance(module, torch._dynamo.eval_frame.OptimizedModule)
    assert isinstance(module, torch._dynamo.OptimizedModule)
    assert not isinstance(module._orig_mod, torch._dynamo.OptimizedModule)
    assert hasattr(module, "dynamo_ctx")
    assert not hasattr(module._orig_mod, "dynamo_ctx")
    assert issubclass(torch._dynamo.exc.Unsupported, torch._dynamo.exc.TorchDynamoException)

"""Modules: registration, attributes, traversal, modes, conversion, printing.

Every test holds for PyTorch too.
"""

import copy
import pickle

import pytest


@pytest.fixture
def nested(torch):
    """A module with a parameter, two buffers and two levels of submodules."""

    class Nested(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = torch.nn.Parameter(torch.ones(2))
            self.register_buffer("count", torch.zeros(1))
            self.register_buffer("scratch", torch.zeros(3), persistent=False)
            self.body = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
            self.nothing = None

        def forward(self, x, factor=1.0):
            return self.body(x * self.scale) * factor

    torch.manual_seed(0)
    return Nested()


def names(pairs):
    return [name for name, _ in pairs]


def test_parameter_shares_memory_and_is_a_leaf(torch):
    data = torch.ones(2, requires_grad=True) * 2
    parameter = torch.nn.Parameter(data)
    assert parameter.is_leaf
    assert parameter.requires_grad
    with torch.no_grad():
        parameter[0] = 5.0
    assert data.tolist() == [5.0, 2.0]
    assert repr(parameter) == "Parameter containing:\ntensor([5., 2.], requires_grad=True)"
    assert isinstance(parameter, torch.Tensor)
    assert not torch.nn.Parameter(data, requires_grad=False).requires_grad
    assert torch.nn.Parameter().shape == (0,)


def test_parameter_of_integers_cannot_require_grad(torch):
    with pytest.raises(RuntimeError, match=r"(?i)only Tensors of floating point and complex dtype can require grad"):
        torch.nn.Parameter(torch.tensor([1]))
    assert torch.nn.Parameter(torch.tensor([1]), requires_grad=False).tolist() == [1]


def test_parameter_copies(torch):
    parameter = torch.nn.Parameter(torch.ones(2))
    parameter.grad = torch.ones(2)
    for again in (copy.deepcopy(parameter), pickle.loads(pickle.dumps(parameter))):
        assert type(again) is torch.nn.Parameter
        assert again.requires_grad
        assert again.grad is None
        assert again.tolist() == [1.0, 1.0]
    both = copy.deepcopy([parameter, parameter])
    assert both[0] is both[1]


def test_attributes_are_registered(torch, nested):
    assert names(nested.named_parameters()) == [
        "scale",
        "body.0.weight",
        "body.0.bias",
        "body.1.weight",
        "body.1.bias",
    ]
    assert names(nested.named_buffers()) == [
        "count",
        "scratch",
        "body.1.running_mean",
        "body.1.running_var",
        "body.1.num_batches_tracked",
    ]
    assert names(nested.named_children()) == ["body"]
    assert names(nested.named_modules()) == ["", "body", "body.0", "body.1"]
    assert names(nested.named_parameters(prefix="p", recurse=False)) == ["p.scale"]
    assert "scale" in dir(nested)
    del nested.scale
    assert not hasattr(nested, "scale")
    nested.body = None
    assert names(nested.named_modules()) == [""]


def test_shared_parameters_are_listed_once(torch):
    layer = torch.nn.Linear(2, 2)
    twice = torch.nn.Sequential(layer, layer)
    assert names(twice.named_parameters()) == ["0.weight", "0.bias"]
    assert names(twice.named_parameters(remove_duplicate=False)) == ["0.weight", "0.bias", "1.weight", "1.bias"]
    assert names(twice.named_modules(remove_duplicate=False)) == ["", "0", "1"]
    assert len(list(twice.children())) == 1
    assert list(twice.state_dict()) == ["0.weight", "0.bias", "1.weight", "1.bias"]


def test_assignments_change_registries(torch):
    module = torch.nn.Module()
    module.x = torch.nn.Parameter(torch.ones(1))
    module.x = None
    assert names(module.named_parameters()) == []
    assert module._parameters == {"x": None}
    with pytest.raises(
        TypeError, match=r"cannot assign 'torch.FloatTensor' as parameter 'x' \(torch.nn.Parameter or None"
    ):
        module.x = torch.ones(1)
    with pytest.raises(TypeError, match=r"cannot assign '.*Linear' as parameter 'x'"):
        module.x = torch.nn.Linear(1, 1)
    del module.x
    module.x = torch.nn.Linear(1, 1)
    module.x = torch.nn.Parameter(torch.ones(1))
    assert module._modules == {}
    del module.x
    module.x = torch.nn.Linear(1, 1)
    with pytest.raises(
        TypeError, match=r"cannot assign 'int' as child module 'x' \(torch.nn.Module or None expected\)"
    ):
        module.x = 3
    module.register_buffer("b", None)
    module.b = torch.ones(1)
    assert list(module.state_dict()) == ["b", "x.weight", "x.bias"]
    with pytest.raises(TypeError, match=r"cannot assign 'int' as buffer 'b' \(torch.nn.Buffer, torch.Tensor or None"):
        module.b = 3
    module.c = torch.nn.Buffer(torch.ones(1), persistent=False)
    assert names(module.named_buffers()) == ["b", "c"]
    assert "c" not in module.state_dict()
    module.plain = torch.ones(1)
    assert "plain" in module.__dict__


@pytest.mark.parametrize(
    ("kind", "name", "error", "message"),
    [
        ("parameter", 1, TypeError, "parameter name should be a string. Got int"),
        ("parameter", "a.b", KeyError, 'parameter name can\'t contain "."'),
        ("parameter", "", KeyError, 'parameter name can\'t be empty string ""'),
        ("parameter", "training", KeyError, "attribute 'training' already exists"),
        ("buffer", 1, TypeError, "buffer name should be a string. Got int"),
        ("buffer", "a.b", KeyError, 'buffer name can\'t contain "."'),
        ("buffer", "", KeyError, 'buffer name can\'t be empty string ""'),
        ("buffer", "forward", KeyError, "attribute 'forward' already exists"),
        ("module", 1, TypeError, "module name should be a string. Got int"),
        ("module", "a.b", KeyError, 'module name can\'t contain ".", got: a.b'),
        ("module", "", KeyError, 'module name can\'t be empty string ""'),
        ("module", "training", KeyError, "attribute 'training' already exists"),
    ],
)
def test_names_that_cannot_be_registered(torch, kind, name, error, message):
    module = torch.nn.Module()
    with pytest.raises(error) as caught:
        getattr(module, f"register_{kind}")(name, None)
    assert caught.value.args[0].startswith(message)


def test_values_that_cannot_be_registered(torch):
    module = torch.nn.Module()
    with pytest.raises(
        TypeError, match=r"cannot assign 'torch.FloatTensor' object to parameter 'x' \(torch.nn.Parameter"
    ):
        module.register_parameter("x", torch.ones(1))
    with pytest.raises(TypeError, match=r"cannot assign 'int' object to buffer 'x' \(torch Tensor or None required\)"):
        module.register_buffer("x", 1)
    with pytest.raises(TypeError, match=r"int is not a Module subclass"):
        module.add_module("x", 1)
    with pytest.raises(AttributeError, match=r"'Module' object has no attribute 'x'"):
        module.x  # noqa: B018


def test_before_init(torch):
    class Early(torch.nn.Module):
        def __init__(self, make):
            self.part = make()

    with pytest.raises(AttributeError, match=r"cannot assign parameters before Module.__init__\(\) call"):
        Early(lambda: torch.nn.Parameter(torch.ones(1)))
    with pytest.raises(AttributeError, match=r"cannot assign module before Module.__init__\(\) call"):
        Early(lambda: torch.nn.Linear(1, 1))
    with pytest.raises(AttributeError, match=r"'Early' object has no attribute 'other'"):
        Early(int).other  # noqa: B018


def test_arguments_of_init(torch):
    with pytest.raises(TypeError, match=r"Module.__init__\(\) got an unexpected keyword argument 'size'"):
        torch.nn.Module(size=1)
    with pytest.raises(TypeError, match=r"Module.__init__\(\) takes 1 positional argument but 2 were given"):
        torch.nn.Module(1)


def test_forward_is_required(torch):
    with pytest.raises(NotImplementedError, match=r'Module \[Module\] is missing the required "forward" function'):
        torch.nn.Module()(1)


def test_finding_parts_by_name(torch, nested):
    assert nested.get_submodule("") is nested
    assert nested.get_submodule("body.0") is nested.body[0]
    assert nested.get_parameter("body.0.weight") is nested.body[0].weight
    assert nested.get_buffer("body.1.running_mean") is nested.body[1].running_mean
    for find, name, message in (
        (nested.get_submodule, "tail", "Nested has no attribute `tail`"),
        (nested.get_submodule, "scale", "`scale` is not an nn.Module"),
        (nested.get_parameter, "count", "`count` is not an nn.Parameter"),
        (nested.get_buffer, "scale", "`scale` is not a buffer"),
    ):
        with pytest.raises(AttributeError, match=message):
            find(name)
    nested.set_submodule("body.0", torch.nn.Identity())
    assert repr(nested.body[0]) == "Identity()"


def test_modes(torch, nested):
    assert nested.training
    assert nested.eval() is nested
    assert [module.training for module in nested.modules()] == [False] * 4
    nested.body.train()
    assert [module.training for module in nested.modules()] == [False, True, True, True]
    with pytest.raises(ValueError, match=r"training mode is expected to be boolean"):
        nested.train(1)
    nested.requires_grad_(False)
    assert not any(parameter.requires_grad for parameter in nested.parameters())


def test_zero_grad(torch, nested):
    nested(torch.ones(4, 2)).sum().backward()
    assert nested.scale.grad is not None
    nested.zero_grad(set_to_none=False)
    assert nested.scale.grad.tolist() == [0.0, 0.0]
    nested.zero_grad()
    assert nested.scale.grad is None


def test_conversion(torch, nested):
    weight = nested.body[0].weight
    nested.scale.grad = torch.ones(2)
    assert nested.double() is nested
    assert nested.body[0].weight is weight
    assert weight.dtype == nested.scale.grad.dtype == nested.count.dtype == torch.float64
    assert nested.body[1].num_batches_tracked.dtype == torch.int64
    assert nested.to(torch.float32).scale.dtype == torch.float32
    assert nested.to(device="cpu", dtype=torch.float16).scale.dtype == torch.float16
    assert nested.to(torch.ones(1)).scale.dtype == torch.float32
    assert nested.half().float().scale.dtype == torch.float32
    assert nested.type(torch.float64).body[1].num_batches_tracked.dtype == torch.float64
    with pytest.raises(
        TypeError, match=r"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype="
    ):
        nested.to(torch.int64)


def test_apply_goes_inside_out(torch, nested):
    seen = []
    assert nested.apply(lambda module: seen.append(type(module).__name__)) is nested
    assert seen == ["Linear", "BatchNorm1d", "Sequential", "Nested"]


def test_copies(torch, nested):
    for again in (copy.deepcopy(nested),):
        assert names(again.named_parameters()) == names(nested.named_parameters())
        assert again.scale is not nested.scale
        with torch.no_grad():
            again.scale += 1
        assert nested.scale.tolist() == [1.0, 1.0]
    layer = torch.nn.Linear(2, 2)
    again = pickle.loads(pickle.dumps(layer))
    assert again.weight.tolist() == layer.weight.tolist()
    assert isinstance(again.weight, torch.nn.Parameter)


def test_printing(torch, nested):
    assert repr(nested) == (
        "Nested(\n"
        "  (body): Sequential(\n"
        "    (0): Linear(in_features=2, out_features=3, bias=True)\n"
        "    (1): BatchNorm1d(3, eps=1e-05, momentum=0.1, affine=True, bias=True, track_running_stats=True)\n"
        "  )\n"
        ")"
    )

    class Described(torch.nn.Module):
        def extra_repr(self):
            return "one\ntwo"

    assert repr(Described()) == "Described(\n  one\n  two\n)"
    assert repr(torch.nn.Sequential(Described())) == "Sequential(\n  (0): Described(\n    one\n    two\n  )\n)"


def test_typename(torch):
    assert torch.typename(torch.ones(1)) == "torch.FloatTensor"
    assert torch.typename(1) == "int"


def test_registration_hooks(torch):
    from importlib import import_module

    base = import_module(f"{torch.__name__}.nn.modules.module")
    seen = []
    handles = [
        base.register_module_parameter_registration_hook(lambda module, name, value: seen.append(name)),
        base.register_module_buffer_registration_hook(lambda module, name, value: seen.append(name)),
        base.register_module_module_registration_hook(lambda module, name, value: torch.nn.Identity()),
    ]
    try:
        module = torch.nn.Module()
        module.p = torch.nn.Parameter(torch.ones(1))
        module.register_buffer("b", torch.ones(1))
        module.m = torch.nn.ReLU()
    finally:
        for handle in handles:
            handle.remove()
    assert seen == ["p", "b"]
    assert repr(module.m) == "Identity()"


@pytest.mark.parametrize("name", ["cpu", "float", "double", "half", "bfloat16"])
def test_conversions_do_not_call_what_subclasses_override(torch, name):
    class Moved(torch.nn.Linear):
        def to(self, *args, **kwargs):
            return getattr(self, name)()

    model = Moved(2, 1)
    assert model.to("anywhere") is model

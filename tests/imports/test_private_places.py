"""What libraries import from PyTorch's private places."""

import unittest
from collections import OrderedDict, deque
from dataclasses import dataclass

import pytest

import rushlight
from rushlight.nn.utils._per_sample_grad import call_for_per_sample_grads
from rushlight.testing._internal import common_device_type, common_utils
from rushlight.testing._internal.common_dtype import all_types_and, floating_types, get_all_dtypes
from rushlight.utils import _pytree, weak

TREE = {"a": [1, (2, deque([3, 4], 5))], "b": OrderedDict(z=1)}


def test_structures_are_written_as_in_pytorch():
    theirs = pytest.importorskip("torch").utils._pytree
    written = _pytree.treespec_dumps(_pytree.tree_structure(TREE))
    assert written == theirs.treespec_dumps(theirs.tree_structure(TREE))
    assert _pytree.treespec_loads(written) == _pytree.tree_structure(TREE)


def test_paths_lead_to_their_leaves():
    for path, leaf in _pytree.tree_leaves_with_path(TREE):
        assert _pytree.key_get(TREE, path) == leaf
        assert eval(f"TREE{_pytree.keystr(path)}") == leaf


def test_registered_classes():
    @dataclass
    class Pair:
        first: int
        second: int

    class Constant:
        pass

    _pytree.register_dataclass(Pair)
    _pytree.register_constant(Constant)
    constant = Constant()
    assert _pytree.tree_map(lambda leaf: -leaf, [Pair(1, 2), constant]) == [Pair(-1, -2), constant]
    with pytest.raises(ValueError, match="no dataclass"):
        _pytree.register_dataclass(Constant)
    with pytest.raises(NotImplementedError, match="cannot be written"):
        _pytree.treespec_dumps(_pytree.tree_structure(Pair(1, 2)))


def test_tests_with_devices_and_types():
    class Generic(common_utils.TestCase):
        @common_device_type.onlyCPU
        @common_utils.parametrize("n", [1, 2])
        @common_device_type.dtypes(*floating_types())
        def test_size(self, device, dtype, n):
            self.assertEqual(rushlight.zeros(n, device=device, dtype=dtype), rushlight.zeros(n, dtype=dtype))  # noqa: PT009

        @common_device_type.onlyCUDA
        def test_gpu(self, device):
            self.fail()

        @common_device_type.toleranceOverride({rushlight.float32: common_device_type.tol(0.1, 0)})
        @common_device_type.dtypes(rushlight.float32, rushlight.float64)
        def test_close(self, device, dtype):
            self.assertEqual(rushlight.tensor(1.05, dtype=dtype), rushlight.tensor(1.0, dtype=dtype))  # noqa: PT009

        @common_utils.slowTest
        def test_slow(self, device):
            self.fail()

    scope = {"Generic": Generic}
    common_device_type.instantiate_device_type_tests(Generic, scope)
    assert list(scope) == ["GenericCPU"]
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(scope["GenericCPU"]).run(result)
    assert result.testsRun == 8
    assert {test.id().rpartition(".")[2] for test, _ in result.skipped} == {"test_gpu_cpu", "test_slow_cpu"}
    assert [test.id().rpartition(".")[2] for test, _ in result.failures] == ["test_close_cpu_float64"]
    assert not result.errors


@pytest.mark.parametrize(
    "call",
    [
        "random_symmetric_pd_matrix(3, 2)",
        "random_hermitian_matrix(3, dtype=torch.complex128)",
        "random_well_conditioned_matrix(3, 2, dtype=torch.float64, device='cpu')",
        "make_fullrank_matrices_with_distinct_singular_values(3, 2, dtype=torch.float64, device='cpu')",
        "noncontiguous_like(torch.ones(2, 2))",
    ],
)
def test_matrices(call):
    pytorch = pytest.importorskip("torch")
    theirs = pytest.importorskip("torch.testing._internal.common_utils")
    found = []
    for torch, utils in ((pytorch, theirs), (rushlight, common_utils)):
        torch.manual_seed(0)
        found.append(eval(call, {**vars(utils), "torch": torch}))
    assert found[0].stride() == found[1].stride()
    assert abs(found[0].numpy() - found[1].numpy()).max() < 1e-12


def test_groups_of_types():
    theirs = pytest.importorskip("torch.testing._internal.common_dtype")
    assert list(map(str, get_all_dtypes())) == list(map(str, theirs.get_all_dtypes()))
    assert list(map(str, all_types_and(rushlight.bool)[:-1])) == list(map(str, theirs.all_types()))


def test_modes_are_restored():
    with common_utils.freeze_rng_state():
        drawn = rushlight.rand(3)
    assert rushlight.rand(3).tolist() == drawn.tolist()
    with common_utils.set_default_dtype(rushlight.float64):
        assert rushlight.ones(1).dtype is rushlight.float64
    assert rushlight.ones(1).dtype is rushlight.float32
    with common_utils.DeterministicGuard(True):
        assert rushlight.are_deterministic_algorithms_enabled()
    assert not rushlight.are_deterministic_algorithms_enabled()


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("apis", "vmap grad grad_and_value"),
        ("vmap", "in_dims_t"),
        ("eager_transforms", "vjp jvp jacrev jacfwd hessian functionalize linearize"),
        ("functional_call", "functional_call stack_module_state"),
        ("make_functional", "make_functional make_functional_with_buffers combine_state_for_ensemble"),
        ("batch_norm_replacement", "replace_all_batch_norm_modules_"),
        ("config", "donated_buffer activation_memory_budget"),
    ],
)
def test_functorch(module, names):
    found = pytest.importorskip(f"rushlight._functorch.{module}")
    theirs = pytest.importorskip(f"torch._functorch.{module}")
    for name in names.split():
        assert hasattr(found, name)
        assert hasattr(theirs, name)


def test_weak_references_find_tensors_by_identity():
    x, y = rushlight.ones(2), rushlight.ones(2)
    assert weak.WeakIdRef(x) == weak.WeakIdRef(x) != weak.WeakIdRef(y)
    assert hash(weak.WeakIdRef(x)) == id(x)
    names = weak.WeakTensorKeyDictionary({x: "x"})
    names[y] = "y"
    assert names.copy()[y] == names.pop(y) == "y"
    assert (next(iter(names)) is x, y in names, len(names.keyrefs())) == (True, False, 1)
    reference = weak.TensorWeakRef(x)
    assert reference() is x
    del x
    assert (len(names), reference()) == (0, None)
    with pytest.raises(TypeError, match="expected a tensor"):
        weak.TensorWeakRef([])


LAYERS = [
    (rushlight.nn.Sequential(rushlight.nn.Linear(3, 4), rushlight.nn.Tanh(), rushlight.nn.Linear(4, 2)), (5, 3)),
    (rushlight.nn.Conv2d(2, 3, 2), (3, 2, 4, 4)),
    (rushlight.nn.BatchNorm1d(3).eval(), (4, 3)),
]


@pytest.mark.parametrize(("module", "shape"), LAYERS, ids=["perceptron", "convolution", "normalization"])
@pytest.mark.parametrize("reduction", ["sum", "mean"])
def test_gradients_of_samples(module, shape, reduction):
    x = rushlight.randn(shape)
    for parameter in module.parameters():
        vars(parameter).pop("grad_sample", None)
    losses = call_for_per_sample_grads(module, loss_reduction=reduction)(x).pow(2).flatten(1).sum(1)
    getattr(losses, reduction)().backward()
    for parameter in module.parameters():
        expected = [rushlight.autograd.grad(module(x[i : i + 1]).pow(2).sum(), parameter)[0] for i in range(shape[0])]
        rushlight.testing.assert_close(parameter.grad_sample, rushlight.stack(expected))
        assert parameter.grad is None
    with pytest.raises(RuntimeError, match="Please clear out the grad_sample"):
        call_for_per_sample_grads(module)
    for parameter in module.parameters():
        parameter.grad_sample = None
    assert call_for_per_sample_grads(module)(x).shape[0] == shape[0]


def test_wrong_arguments_for_gradients_of_samples():
    layer = rushlight.nn.Bilinear(2, 2, 2)
    for options, words in (
        ({"loss_reduction": "x"}, "sum or mean"),
        ({"batch_size": 0}, "positive"),
        ({"batch_size": 2.0}, "None or an integer"),
    ):
        with pytest.raises(RuntimeError, match=words):
            call_for_per_sample_grads(layer, **options)
    with pytest.raises(RuntimeError, match=r"must be nn\.Module"):
        call_for_per_sample_grads(abs)
    with pytest.raises(RuntimeError, match="one batch size"):
        call_for_per_sample_grads(layer)(rushlight.ones(2, 2), rushlight.ones(3, 2))

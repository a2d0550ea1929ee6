"""Options of the exporter, its files, and what it refuses."""

import pytest

import rushlight as torch
from rushlight import nn

onnx = pytest.importorskip("onnx")
export, Refused = torch.onnx.export, torch.onnx.OnnxExporterError


def shapes(infos):
    """The names of inputs or outputs with their shapes."""
    return {one.name: [dim.dim_param or dim.dim_value for dim in one.type.tensor_type.shape.dim] for one in infos}


def test_names_and_dimensions():
    class Two(nn.Module):
        def forward(self, left, scale, right=None):
            return left * scale + right, left.sum()

    args = torch.ones(2, 3), 2.0
    program = export(Two(), args, kwargs={"right": torch.ones(3)}, dynamic_axes={"left": [0]}, output_names=["all"])
    assert shapes(program.model_proto.graph.input) == {"left": ["left_dim_0", 3], "right": [3]}
    assert shapes(program.model_proto.graph.output) == {"all": ["left_dim_0", 3], "output_1": []}
    both = export(
        Two(), args, kwargs={"right": torch.ones(3)}, dynamic_shapes=({0: "n"}, None, {}), input_names=["a", "b"]
    )
    assert shapes(both.model_proto.graph.input) == {"a": ["n", 3], "b": [3]}


def test_files(tmp_path):
    model, x = nn.Sequential(nn.Linear(40, 30), nn.BatchNorm1d(30)), torch.randn(2, 40)
    path = tmp_path / "model.onnx"
    for _ in range(2):  # the second time the weights' file is there already
        assert export(model, x, path, dynamo=False) is None
        assert model.training
        size = (tmp_path / "model.onnx.data").stat().st_size
        assert size < 40 * 30 * 4 + 8192
        onnx.checker.check_model(str(path), full_check=True)
    export(model, x, path, external_data=False, keep_initializers_as_inputs=True)
    loaded = onnx.load(path, load_external_data=False)
    assert "0.weight" in [one.name for one in loaded.graph.input]
    torch.testing.assert_close(torch.onnx.ONNXProgram(onnx.load(path)).call_reference(x)[0], model.eval()(x).detach())


def test_printing_and_checking(capsys):
    program = export(nn.Linear(2, 1), torch.randn(3, 2), verbose=True, verify=True)
    assert "Gemm" in capsys.readouterr().out
    assert "Gemm" in repr(program)


def test_own_translations_are_refused():
    with pytest.raises(Refused, match="takes no translations of programs"):
        torch.onnx.register_custom_op_symbolic("aten::mT", lambda g, x: x, 17)
    torch.onnx.unregister_custom_op_symbolic("aten::mT", 17)


def test_the_mode_is_known_while_exporting():
    seen = []

    class Asking(nn.Module):
        def forward(self, x):
            seen.append((torch.onnx.is_in_onnx_export(), self.training))
            return x + 1

    export(Asking(), torch.ones(1))
    export(Asking(), torch.ones(1), training=torch.onnx.TrainingMode.PRESERVE)
    assert seen == [(True, False), (True, True)]
    assert not torch.onnx.is_in_onnx_export()


FLAT, MATRIX = torch.ones(3), torch.ones(3, 3)
KEEP = {"training": torch.onnx.TrainingMode.PRESERVE}
REFUSED = [
    (lambda x: x if x.sum() > 0 else -x, FLAT, {}, "goes by the value of a tensor"),
    (lambda x: x * x.sum().item(), FLAT, {}, "item.. takes a value out"),
    (lambda x: torch.from_numpy(x.numpy() * 2), FLAT, {}, "numpy.. takes a value out"),
    (lambda x: x + torch.randn(3), FLAT, {}, "draws random numbers"),
    (lambda x: 3, FLAT, {}, "returns a value of type int"),
    (lambda x: x * 1j, FLAT, {}, "no elements of type complex64"),
    (lambda x: x[:, x[0] > 0], MATRIX, {}, "Index in two steps"),
    (lambda x: x.unbind(0)[0], MATRIX, {"dynamic_axes": {"x": [0]}}, "into how many parts"),
    (lambda x: x[: x.shape[0] // 2], MATRIX, {"dynamic_axes": {"x": [0]}}, "Fix these sizes"),
    (lambda x: x * x.shape[0], MATRIX, {"dynamic_axes": {"x": [0]}}, "Fix that size"),
    (nn.BatchNorm1d(3), MATRIX, KEEP, "changes its own state"),
    (nn.Dropout(), MATRIX, KEEP, "draws random numbers"),
    (nn.Linear(3, 3), MATRIX, {"training": torch.onnx.TrainingMode.TRAINING}, "TrainingMode.EVAL"),
    (nn.Linear(3, 3), MATRIX, {"opset_version": 99}, "its latest is"),
    (nn.Linear(3, 3), MATRIX, {"report": True}, "no such option"),
    (nn.Linear(3, 3), MATRIX, {"export_params": False}, "always written"),
    (nn.Linear(3, 3), MATRIX, {"dynamic_axes": {"y": [0]}}, "'y' is no input"),
    (nn.Linear(3, 3), MATRIX, {"dynamic_axes": {"input": [5]}}, "no dimension 5"),
    (nn.Linear(3, 3), MATRIX, {"input_names": ["a", "b"]}, "2 names are given for 1"),
    (nn.Linear(3, 3), MATRIX, {"dynamic_axes": {}, "dynamic_shapes": {}}, "give one of them"),
]


@pytest.mark.parametrize(("model", "x", "options", "words"), REFUSED, ids=[one[3] for one in REFUSED])
def test_what_cannot_be_written_down(model, x, options, words):
    with pytest.raises(Refused, match=words):
        export(model, x, **options)
    assert not torch.onnx.is_in_onnx_export()


@pytest.mark.parametrize("name", ["fft.fft", "linalg.cholesky", "lgamma", "histc"])
def test_functions_without_a_counterpart(name):
    function = torch.fft.fft if name == "fft.fft" else torch.linalg.cholesky if "chol" in name else getattr(torch, name)
    with pytest.raises(torch.onnx.errors.UnsupportedOperatorError, match=r"has no counterpart in ONNX here"):
        export(lambda x: function(x).abs(), torch.eye(3))


def test_what_is_no_option():
    with pytest.raises(TypeError, match="unexpected keyword argument 'opset'"):
        export(nn.Linear(3, 3), MATRIX, opset=18)

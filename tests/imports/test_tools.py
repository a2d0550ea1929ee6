"""Loading from the net and from `hubconf.py`, logs for TensorBoard, the older names of `functorch`."""

import hashlib

import pytest

import rushlight as torch
from rushlight import functorch, hub
from rushlight.utils import tensorboard
from rushlight.utils.tensorboard import writer as writing

HUBCONF = """
dependencies = ["numpy"]
import helper
def scaled(by=2):
    "A number of helper, scaled."
    return by * helper.number
"""


def test_models_of_a_directory(tmp_path):
    (tmp_path / "hubconf.py").write_text(HUBCONF)
    (tmp_path / "helper.py").write_text("number = 21")
    assert hub.load(str(tmp_path), "scaled", source="local") == 42
    assert hub.load(str(tmp_path), "scaled", by=3, source="local") == 63
    assert hub.list(str(tmp_path), source="local") == ["scaled"]
    assert hub.help(str(tmp_path), "scaled", source="local") == "A number of helper, scaled."
    with pytest.raises(RuntimeError, match="Cannot find callable absent"):
        hub.load(str(tmp_path), "absent", source="local")
    with pytest.raises(RuntimeError, match="clone https://github"):
        hub.load("pytorch/vision", "resnet18")


def test_progress_bars():
    tqdm = pytest.importorskip("tqdm")
    assert torch.hub.tqdm is tqdm.tqdm
    with pytest.raises(AttributeError, match="lode"):
        torch.hub.lode  # noqa: B018


def test_files_by_their_address(tmp_path):
    torch.save({"weight": torch.arange(3)}, tmp_path / "model.pt")
    content = (tmp_path / "model.pt").read_bytes()
    url = (tmp_path / "model.pt").as_uri()
    state = hub.load_state_dict_from_url(url, model_dir=tmp_path / "kept", progress=False)
    assert state["weight"].tolist() == [0, 1, 2]
    hub.download_url_to_file(url, str(tmp_path / "copy"), hashlib.sha256(content).hexdigest()[:8])
    assert (tmp_path / "copy").read_bytes() == content
    with pytest.raises(RuntimeError, match="invalid hash value"):
        hub.download_url_to_file(url, str(tmp_path / "other"), "0000")
    assert not (tmp_path / "other").exists()


class Recorder:
    """Stands for a package's writer: notes what it is told."""

    def __init__(self, log_dir, **options):
        self.told = [(log_dir, options)]

    def __getattr__(self, name):
        return lambda *args, **kwargs: self.told.append((name, args, kwargs))


def test_tensors_are_written_as_arrays(tmp_path, monkeypatch):
    module = type(writing)("recorder")
    module.SummaryWriter = Recorder
    monkeypatch.setattr(writing, "WRITERS", {"sys": "recorder"})
    monkeypatch.setitem(__import__("sys").modules, "recorder", module)
    with tensorboard.SummaryWriter(tmp_path / "runs", max_queue=3) as writer:
        writer.add_scalar("loss", torch.tensor(0.5, requires_grad=True), 1)
        writer.add_scalars("both", {"a": torch.tensor(1)}, global_step=2)
        writer.add_hparams({"lr": 0.1}, {"loss": torch.tensor(0.25)})
        told = writer._writer.told
    assert told[0] == (
        str(tmp_path / "runs"),
        {"purge_step": None, "max_queue": 3, "flush_secs": 120, "filename_suffix": ""},
    )
    assert told[1] == ("add_scalar", ("loss", 0.5, 1), {})
    assert type(told[1][1][1]).__module__ == "numpy"
    assert told[2] == ("add_scalars", ("both", {"a": 1}), {"global_step": 2})
    assert told[3][1][1] == {"loss": 0.25}
    assert told[4] == ("close", (), {})
    with pytest.raises(TypeError, match="hparam_dict and metric_dict should be dictionary"):
        writer.add_hparams([], {})


def test_without_a_package_the_first_write_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(writing, "WRITERS", {})
    writer = tensorboard.SummaryWriter(tmp_path)
    writer.flush()
    with pytest.raises(ModuleNotFoundError, match="pip install tensorboardX"):
        writer.add_scalar("loss", 1.0)


@pytest.mark.parametrize("package", ["tensorboardX", "tensorboard"])
def test_files_of_the_packages(tmp_path, package):
    """What was written is read back with the package tensorboard."""
    pytest.importorskip(package)
    reading = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(writing, "WRITERS", {package: writing.WRITERS[package]})
        with tensorboard.SummaryWriter(tmp_path) as writer:
            writer.add_scalar("loss", torch.tensor(0.5), 3)
            writer.add_histogram("weights", torch.arange(6.0).reshape(2, 3), 3)
            writer.add_image("picture", torch.rand(3, 4, 5), 3)
            writer.add_images("pictures", torch.rand(2, 1, 4, 5), 3)
            writer.add_text("note", "hello", 3)
            writer.add_graph(torch.nn.Linear(2, 3), torch.ones(2))
            writer.add_scalars("several", {"a": 1.0, "b": torch.tensor(2.0)}, 3)
            writer.add_hparams({"lr": 0.1}, {"accuracy": torch.tensor(0.9)})
    found = reading.EventAccumulator(str(tmp_path)).Reload()
    assert [(e.step, e.value) for e in found.Scalars("loss")] == [(3, 0.5)]
    histogram = found.Histograms("weights")[0].histogram_value
    assert (histogram.num, histogram.sum, histogram.min, histogram.max) == (6, 15, 0, 5)
    assert {(i.height, i.width) for i in found.Images("picture")} == {(4, 5)}
    assert "note/text_summary" in found.Tags()["tensors"]


def test_modules_as_functions():
    layers = [torch.nn.Linear(2, 1) for _ in range(3)]
    x = torch.ones(4, 2)
    call, params = functorch.make_functional(layers[0])
    assert torch.equal(call(params, x), layers[0](x))
    grads = functorch.grad(lambda p: call(p, x).sum())(params)
    assert grads[1].tolist() == [4.0]
    together, params, buffers = functorch.combine_state_for_ensemble(layers)
    stacked = functorch.vmap(together, (0, 0, None))(params, buffers, x)
    assert torch.allclose(stacked, torch.stack([layer(x) for layer in layers]))
    norm = torch.nn.BatchNorm1d(2)
    with pytest.raises(RuntimeError, match="make_functional_with_buffers"):
        functorch.make_functional(norm)
    call, params, buffers = functorch.make_functional_with_buffers(norm.eval())
    assert torch.equal(call(params, buffers, x), norm(x))

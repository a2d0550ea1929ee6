"""Scripts written for PyTorch run unchanged, in a process of their own."""

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from rushlight.absent import types
from rushlight.interop import places

ROOT = Path(__file__).parents[2]


@pytest.fixture
def run(tmp_path):
    """Runs a script's text with `rushlight run`; returns the finished process."""

    def run(text: str, *arguments: str):
        (tmp_path / "script.py").write_text(text)
        (tmp_path / "neighbour.py").write_text("value = 42\n")
        command = [sys.executable, "-m", "rushlight", "run", str(tmp_path / "script.py"), *arguments]
        return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)

    return run


def test_every_way_to_import(run):
    done = run(
        "import rushlight, sys\n"
        "import torch\n"
        "import torch.nn as nn\n"
        "import torch.nn.functional as F\n"
        "from torch import optim, autograd\n"
        "from torch.autograd import grad\n"
        "from torch.backends import cudnn\n"
        "import torch.cuda\n"
        "assert torch is rushlight is sys.modules['torch']\n"
        "assert nn is rushlight.nn and F is torch.nn.functional is sys.modules['rushlight.nn.functional']\n"
        "assert autograd.grad is grad and optim is torch.optim\n"
        "assert torch.__spec__.name == 'rushlight' and nn.__spec__.name == 'rushlight.nn'\n"
        "cudnn.benchmark = False\n"
        "x = torch.ones(2, requires_grad=True)\n"
        "(x * x).sum().backward()\n"
        "print(x.grad)\n"
    )
    assert done.stderr == ""
    assert done.stdout == "tensor([2., 2.])\n"
    assert done.returncode == 0


def test_torchvision(run):
    done = run(
        "import torchvision\n"
        "from torchvision import datasets, transforms\n"
        "import torchvision.transforms as T\n"
        "import rushlight.vision\n"
        "assert torchvision is rushlight.vision and T is transforms\n"
        "print(transforms.Compose([transforms.ToTensor()]))\n"
    )
    assert done.stderr == ""
    assert done.stdout == "Compose(\n    ToTensor()\n)\n"


def test_a_script_is_main_with_its_arguments_and_neighbours(run):
    done = run(
        "import pickle, sys\n"
        "import neighbour\n"
        "class Thing: pass\n"
        "if __name__ == '__main__':\n"
        "    assert sys.modules['__main__'].Thing is Thing\n"
        "    assert isinstance(pickle.loads(pickle.dumps(Thing())), Thing)\n"
        "    print(neighbour.value, sys.argv[1:], __file__ == sys.argv[0])\n",
        "--lr",
        "0.1",
        "-h",
    )
    assert done.stdout == "42 ['--lr', '0.1', '-h'] True\n"


def test_processes_that_processes_start_get_rushlight(run):
    done = run(
        "import torch, torch.multiprocessing as mp\n"
        "def inner():\n"
        "    print('rushlight' in torch.__version__)\n"
        "def outer(rank):\n"
        "    process = mp.get_context('spawn').Process(target=inner)\n"
        "    process.start()\n"
        "    process.join()\n"
        "if __name__ == '__main__':\n"
        "    mp.spawn(outer, nprocs=1)\n"
    )
    assert done.stderr == ""
    assert done.stdout == "True\n"


def test_the_script_knows_its_whole_path(tmp_path):
    (tmp_path / "script.py").write_text("import sys\nprint(__file__, sys.argv[0])\n")
    command = [sys.executable, "-m", "rushlight", "run", "script.py"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600)
    assert done.stdout == f"{tmp_path / 'script.py'} script.py\n"


def test_tracebacks_begin_in_the_script(run):
    done = run("import torch\n\ndef fail():\n    return torch.ones(2) @ torch.ones(3)\n\nfail()\n")
    assert done.returncode == 1
    first, second, *_ = done.stderr.splitlines()
    assert first == "Traceback (most recent call last):"
    assert second.endswith('script.py", line 6, in <module>')
    assert "runpy" not in done.stderr
    assert "rushlight/interop" not in done.stderr


def test_syntax_errors_and_exits(run):
    assert "SyntaxError" in run("import torch\nx = = 1\n").stderr
    assert run("import sys\nsys.exit(7)\n").returncode == 7


def test_a_missing_name_is_explained(run):
    done = run("import torch\ntorch.zeross(2)\n")
    assert "AttributeError: module 'torch' has no attribute 'zeross' in rushlight. Did you mean zeros" in done.stderr
    done = run("import torch\ntorch.nn.Linearr(2, 3)\n")
    assert "module 'torch.nn' has no attribute 'Linearr' in rushlight. Did you mean Linear" in done.stderr
    done = run("from torch import zeross\n")
    assert "ImportError: cannot import name 'zeross'" in done.stderr
    assert "Did you mean zeros" in done.stderr


def test_a_missing_module_is_explained(run):
    done = run("import torch.autogradd\n")
    assert "No module named 'torch.autogradd' in rushlight. Did you mean torch.autograd?" in done.stderr
    assert run("try:\n    import torch.monitor\nexcept ImportError:\n    print('fine')\n").stdout == "fine\n"


def test_missing_script():
    command = [sys.executable, "-m", "rushlight", "run", "nowhere.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "there is no file nowhere.py" in done.stdout


def test_info():
    done = subprocess.run([sys.executable, "-m", "rushlight", "info"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0
    for word in ("rushlight", "NumPy", "core", "BLAS threads"):
        assert word in done.stdout


def command(*arguments, text=None, folder=None):
    """Runs `rushlight run` with some arguments, and what stands on the standard input."""
    line = [sys.executable, "-m", "rushlight", "run", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(line, cwd=folder or ROOT, env=environment, input=text, capture_output=True, text=True)


FACTS = "import sys, torch; print(torch.__name__, sys.argv, repr(sys.path[0]), __name__, '__file__' in globals())"


def test_text_and_standard_input_as_python_takes_them():
    assert command("-c", FACTS, "-h", "x").stdout == "torch ['-c', '-h', 'x'] '' __main__ False\n"
    assert command("-", "-h", "x", text=FACTS).stdout == "torch ['-', '-h', 'x'] '' __main__ False\n"


def test_modules_and_packages(tmp_path):
    (tmp_path / "alone.py").write_text("import sys, torch; print(torch.__name__, sys.argv[1:], __name__)")
    (tmp_path / "house").mkdir()
    (tmp_path / "house" / "__main__.py").write_text("import alone")
    assert command("-m", "alone", "-c", "-m", folder=tmp_path).stdout == "torch ['-c', '-m'] __main__\n"
    assert command("-m", "house", "x", folder=tmp_path).stdout == "torch ['x'] alone\n"


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["-m", "no_such_module"], 1, "rushlight run: No module named no_such_module"),
        (["no_such_file.py"], 2, "rushlight run: there is no file no_such_file.py"),
        (["-c", "import sys; sys.exit(7)"], 7, ""),
        ([], 2, "expected a script, -m MODULE, -c TEXT, or - for the standard input"),
        (["-c"], 2, "expected a script, -m MODULE, -c TEXT, or - for the standard input"),
    ],
)
def test_what_cannot_run(arguments, status, words):
    done = command(*arguments)
    assert done.returncode == status
    assert words in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_tracebacks_show_the_lines_of_a_text():
    done = command("-c", "import torch\ndef f():\n    torch.ones(2) @ torch.ones(3)\nf()")
    assert done.stderr.startswith('Traceback (most recent call last):\n  File "<string>", line 4, in <module>\n    f()')


def test_a_text_is_explained():
    done = command("--explain", "-c", "import torch\nx = torch.ones(2)\nprint(x.sum().item())")
    assert (done.stdout, done.returncode) == ("2.0\n", 0)


def test_modules_that_have_other_places(run):
    done = run(
        "import functorch.einops, torch, torch._VF, torch.export, torch.nested\n"
        "from torch._compile import _disable_dynamo\n"
        "from torch._lowrank import *\n"
        "from torch.ao.quantization import QuantStub\n"
        "from torch.cpu.amp.autocast_mode import autocast\n"
        "from torch.cuda.amp.autocast_mode import autocast, custom_bwd, custom_fwd\n"
        "from torch.cuda.amp.common import amp_definitely_not_available\n"
        "from torch.cuda.amp.grad_scaler import GradScaler, OptState\n"
        "from torch.optim._multi_tensor import AdamW\n"
        "assert svd_lowrank is torch.svd_lowrank and AdamW is torch.optim.AdamW and torch._VF.lstm is torch.lstm\n"
        "assert functorch.einops.rearrange is torch.func.rearrange and not isinstance(3, torch.export.Dim)\n"
        "for absent in (torch.export.export, QuantStub, torch.nested.nested_tensor):\n"
        "    try:\n"
        "        absent(torch.ones(1))\n"
        "    except NotImplementedError as error:\n"
        "        print(error)\n"
        "try:\n"
        "    from torch._lowrank import absent\n"
        "except ImportError as error:\n"
        "    print(error)\n"
    )
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert lines[0].startswith("torch.export.export cannot be called in rushlight: rushlight has no exported programs")
    assert lines[1].startswith(
        "torch.ao.quantization.QuantStub has no objects in rushlight: rushlight has no quantized"
    )
    assert lines[2].startswith("torch.nested.nested_tensor cannot be called in rushlight: rushlight has no nested tens")
    assert lines[3].startswith("cannot import name 'absent'")


def test_all_places_have_their_names():
    for module, (home, names) in places.ELSEWHERE.items():
        found = places.placed(module)
        assert all(getattr(found, name) is getattr(import_module(home), ours) for name, ours in names.items())
    for module, names in types.MODULES.items():
        assert all(issubclass(getattr(places.placed(module), name), types.AbsentType) for name in names.split())


def test_no_place_hides_a_module():
    paths = [Path(module.replace(".", "/")) for module in (*places.ELSEWHERE, *types.MODULES)]
    assert [path for path in paths if (ROOT / path).exists() or (ROOT / path).with_suffix(".py").exists()] == []


def test_metadata_of_packages(run):
    done = run(
        "import importlib.metadata as metadata, torch, torchvision\n"
        "assert metadata.version('torch') == torch.__version__\n"
        "assert metadata.version('torchvision') == torchvision.__version__\n"
        "print(metadata.distribution('torch').metadata['Name'], metadata.requires('torch'))\n"
        "print({one.name for one in metadata.distributions() if one.name == 'torch'})\n"
        "try:\n    metadata.version('no_such_package')\n"
        "except metadata.PackageNotFoundError as error:\n    print(error)\n"
    )
    assert done.stderr == ""
    assert done.stdout == "torch None\n{'torch'}\nNo package metadata was found for no_such_package\n"

"""What pickles of whole modules hold beside tensors: classes with their source, hooks, elements of narrow types."""

import io
import pickle
import subprocess
import sys

import pytest

import rushlight as torch
from rushlight.nn.modules.module import _WrappedHook
from rushlight.serialization.loading import MAGIC_NUMBER, PROTOCOL_VERSION


class Older(pickle.Pickler):
    """Pickles classes of modules as PyTorch did before 1.6: each, where it is first met, with its source."""

    met = False

    def persistent_id(self, obj):
        """The reference to a class of modules."""
        if obj is not torch.nn.ReLU or self.met:
            return None
        self.met = True
        return "module", obj, "model.py", "class ReLU: ..."


def test_classes_that_come_with_their_source():
    file = io.BytesIO()
    for part in (MAGIC_NUMBER, PROTOCOL_VERSION, {"little_endian": True}):
        pickle.dump(part, file, protocol=2)
    Older(file, protocol=2).dump(torch.nn.Sequential(torch.nn.ReLU()))
    pickle.dump([], file, protocol=2)
    loaded = torch.load(io.BytesIO(file.getvalue()), weights_only=False)
    assert loaded(torch.tensor([-1.0, 2.0])).tolist() == [0, 2]
    with pytest.raises(pickle.UnpicklingError):
        torch.load(io.BytesIO(file.getvalue()), weights_only=True)


def scaled(module, factor):
    """A hook that is called with its module."""
    return module.weight * factor


def test_hooks_in_pickles():
    layer = torch.nn.Linear(2, 1)
    hooks = _WrappedHook(scaled, layer), _WrappedHook(abs)
    revived, held = pickle.loads(pickle.dumps((hooks, layer)))
    assert torch.equal(revived[0](2), held.weight * 2)
    assert revived[1](-3) == hooks[1](-3) == 3
    del held
    with pytest.raises(RuntimeError, match="dead Module"):
        _WrappedHook(scaled, torch.nn.Linear(2, 1))(2)


def test_narrow_types_may_first_be_met_in_a_pickle():
    pytest.importorskip("ml_dtypes")
    data = pickle.dumps(torch.ones(2, dtype=torch.bfloat16))
    code = f"import rushlight, pickle; print(pickle.loads({data!r}) * 2)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "tensor([2., 2.], dtype=torch.bfloat16)\n"

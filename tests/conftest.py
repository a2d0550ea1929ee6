"""What all tests share."""

import pytest

collect_ignore_glob = ["**/record*.py"]  # scripts that record from PyTorch, run by hand


@pytest.fixture(params=["rushlight", "torch"])
def torch(request):
    """rushlight, and PyTorch where it is installed: a test of behaviour has to hold for both."""
    return pytest.importorskip(request.param)

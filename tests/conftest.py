"""What all tests share."""

import pytest
from hypothesis import settings

settings.register_profile("rushlight", deadline=None)  # a busy machine is no failure
settings.load_profile("rushlight")

collect_ignore_glob = ["**/record*.py", "programs/scripts/*.py", "distributed/programs/*.py"]  # run by hand or tests


@pytest.fixture(params=["rushlight", "torch"])
def torch(request):
    """rushlight, and PyTorch where it is installed: a test of behaviour has to hold for both."""
    return pytest.importorskip(request.param)

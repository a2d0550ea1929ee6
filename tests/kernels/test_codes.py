"""Numbers that kernels share with Python are declared for both."""

import re
from pathlib import Path

from rushlight.kernels import codes


def test_compiled_files_know_the_numbers_of_codes():
    named = {name for name in vars(codes) if name.isupper()}
    declared = Path(codes.__file__).parent.joinpath("compiled", "codes.pxd").read_text("utf-8")
    assert dict(re.findall(r'(\w+) "RUSHLIGHT_(\w+)"', declared)) == {name: name for name in named}

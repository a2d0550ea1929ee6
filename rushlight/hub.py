"""Models from the functions of a `hubconf.py`, and downloads, as `torch.hub`."""

import hashlib
import os
import re
import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlparse
from urllib.request import Request, urlopen

from rushlight.absent.misses import no_such_name
from rushlight.serialization import load as load_file
from rushlight.serialization.replacing import replacing

__all__ = ["download_url_to_file", "get_dir", "help", "list", "load", "load_state_dict_from_url", "set_dir"]

HASH_REGEX = re.compile(r"-([a-f0-9]*)\.")
_directory: str | None = None


def get_dir() -> str:
    """The directory of downloads: that of `set_dir`, else `$TORCH_HOME/hub`, else `~/.cache/torch/hub`."""
    cache = os.getenv("XDG_CACHE_HOME", "~/.cache")
    return _directory or str(Path(os.getenv("TORCH_HOME", f"{cache}/torch")).expanduser() / "hub")


def set_dir(d: str | os.PathLike[str]) -> None:
    """Sets the directory of downloads."""
    global _directory
    _directory = str(Path(d).expanduser())


def entrypoints(repo_or_dir: str, source: str) -> ModuleType:
    """The module `hubconf.py` of a directory. ValueError for an unknown source."""
    if source not in ("github", "local"):
        raise ValueError(f'Unknown source: "{source}". Allowed values: "github" | "local".')
    if source == "github":
        raise RuntimeError(
            f"rushlight runs no code from the net: clone https://github.com/{repo_or_dir} and call torch.hub with its "
            'directory and source="local".'
        )
    path = Path(repo_or_dir) / "hubconf.py"
    spec = spec_from_file_location("hubconf", path)
    if spec is None or spec.loader is None or not path.exists():
        raise FileNotFoundError(f"No such file: '{path}'")
    module = module_from_spec(spec)
    sys.path.insert(0, str(repo_or_dir))
    try:
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(repo_or_dir))
    return module


def entrypoint(module: ModuleType, name: str) -> Any:
    """A function of a `hubconf.py`, after checking that the packages it depends on are installed."""
    lacking = [name for name in getattr(module, "dependencies", ()) if name not in sys.modules and not find_spec(name)]
    if lacking:
        raise RuntimeError(f"Missing dependencies: {', '.join(lacking)}")
    function = getattr(module, name, None)
    if not callable(function):
        raise RuntimeError(f"Cannot find callable {name} in hubconf")
    return function


def load(
    repo_or_dir: str,
    model: str,
    *args: Any,
    source: str = "github",
    trust_repo: Any = "check",
    force_reload: bool = False,
    verbose: bool = True,
    skip_validation: bool = False,
    **kwargs: Any,
) -> Any:
    """Calls a function of a directory's `hubconf.py` with the further arguments; with `source="local"` only."""
    return entrypoint(entrypoints(repo_or_dir, source), model)(*args, **kwargs)


def list(
    github: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = "check",
    verbose: bool = True,
    *,
    source: str = "github",
) -> Any:
    """The functions of a directory's `hubconf.py`; with `source="local"` only."""
    found = vars(entrypoints(github, source))
    return [name for name, value in found.items() if callable(value) and not name.startswith("_")]


def help(
    github: str,
    model: str,
    force_reload: bool = False,
    skip_validation: bool = False,
    trust_repo: Any = "check",
    *,
    source: str = "github",
) -> str | None:
    """The docstring of a function of a directory's `hubconf.py`; with `source="local"` only."""
    return entrypoint(entrypoints(github, source), model).__doc__


def download_url_to_file(url: str, dst: str, hash_prefix: str | None = None, progress: bool = True) -> None:
    """Downloads a file. RuntimeError, and no file, if its SHA-256 does not begin with `hash_prefix`."""
    found = hashlib.sha256()
    with replacing(dst) as file, urlopen(Request(url, headers={"User-Agent": "torch.hub"})) as answer:
        while part := answer.read(1 << 20):
            file.write(part)
            found.update(part)
        if hash_prefix and not found.hexdigest().startswith(hash_prefix):
            raise RuntimeError(f'invalid hash value (expected "{hash_prefix}", got "{found.hexdigest()}")')


def load_state_dict_from_url(
    url: str,
    model_dir: str | None = None,
    map_location: Any = None,
    progress: bool = True,
    check_hash: bool = False,
    file_name: str | None = None,
    weights_only: bool = True,
) -> dict[str, Any]:
    """Downloads a file and loads it; it is kept in `model_dir`, or in `get_dir()/checkpoints`, and downloaded once."""
    directory = Path(model_dir or Path(get_dir()) / "checkpoints")
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / (file_name or os.path.basename(urlparse(url).path))
    if not path.exists():
        hashed = HASH_REGEX.search(path.name) if check_hash else None
        download_url_to_file(url, str(path), hashed[1] if hashed else None, progress)
    return load_file(path, map_location=map_location, weights_only=weights_only)


def __getattr__(name: str) -> Any:
    """`tqdm`, which programs import from here, loaded on first use; for other names, what explains their absence."""
    if name == "tqdm":
        return import_module("tqdm").tqdm
    raise no_such_name(__name__, name)

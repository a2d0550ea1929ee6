"""Writes logs for TensorBoard: a package does the writing, and gets arrays instead of tensors."""

from collections.abc import Callable
from datetime import datetime
from importlib import import_module
from importlib.util import find_spec
from os import fspath
from pathlib import Path
from socket import gethostname
from typing import Any, Self

from rushlight.core.graph import TensorBase
from rushlight.utils.pytree import tree_map

__all__ = ["FileWriter", "SummaryWriter"]

WRITERS = {"tensorboardX": "tensorboardX", "tensorboard": "rushlight.utils.tensorboard.events"}
LACKING = (
    "torch.utils.tensorboard writes through the package tensorboardX or tensorboard, and neither is installed: "
    "run `pip install tensorboardX`."
)


def arrays(value: Any) -> Any:
    """A value with tensors replaced by arrays, also inside containers."""
    return tree_map(lambda leaf: leaf.numpy(force=True) if isinstance(leaf, TensorBase) else leaf, value)


def writing(name: str) -> Callable[..., Any]:
    """Makes a method that passes its arguments to the package's writer."""

    def write(self: Any, *args: Any, **kwargs: Any) -> None:
        writer = self._opened()
        if not hasattr(writer, name):
            package = type(writer).__module__.split(".")[0]
            raise NotImplementedError(f"The package {package} has no {name}, through which it would be written.")
        getattr(writer, name)(*arrays(args), **arrays(kwargs))

    write.__name__, write.__qualname__ = name, f"SummaryWriter.{name}"
    write.__doc__ = f"Writes what PyTorch's `{name}` writes, given the same arguments."
    return write


class SummaryWriter:
    """Writes numbers, histograms, images, figures, texts and hyperparameters to a directory for TensorBoard.

    The package tensorboardX writes them, or else tensorboard; ModuleNotFoundError at the first write if neither is
    installed. The directory is `runs/` with the time, the host and `comment`, unless `log_dir` is given.

    >>> from rushlight.utils.tensorboard import SummaryWriter
    >>> with SummaryWriter("runs/first") as writer:
    ...     writer.add_scalar("loss", 0.5, global_step=1)  # doctest: +SKIP
    """

    max_queue: int
    flush_secs: int

    def __init__(
        self,
        log_dir: Any = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ):
        now = f"{datetime.now():%b%d_%H-%M-%S}"
        self.log_dir = fspath(log_dir) if log_dir else str(Path("runs", f"{now}_{gethostname()}{comment}"))
        self.purge_step, self.max_queue, self.flush_secs = purge_step, max_queue, flush_secs
        self.filename_suffix = filename_suffix
        self._writer: Any = None

    def _opened(self) -> Any:
        """The package's writer, made at its first use, and again after `close`."""
        if self._writer is None:
            module = next((module for package, module in WRITERS.items() if find_spec(package)), None)
            if module is None:
                raise ModuleNotFoundError(LACKING, name="tensorboardX")
            self._writer = import_module(module).SummaryWriter(
                self.log_dir,
                purge_step=self.purge_step,
                max_queue=self.max_queue,
                flush_secs=self.flush_secs,
                filename_suffix=self.filename_suffix,
            )
            self.purge_step = None
        return self._writer

    add_scalar: Callable[..., Any] = writing("add_scalar")
    add_scalars: Callable[..., Any] = writing("add_scalars")
    add_histogram: Callable[..., Any] = writing("add_histogram")
    add_histogram_raw: Callable[..., Any] = writing("add_histogram_raw")
    add_image: Callable[..., Any] = writing("add_image")
    add_images: Callable[..., Any] = writing("add_images")
    add_image_with_boxes: Callable[..., Any] = writing("add_image_with_boxes")
    add_figure: Callable[..., Any] = writing("add_figure")
    add_video: Callable[..., Any] = writing("add_video")
    add_audio: Callable[..., Any] = writing("add_audio")
    add_text: Callable[..., Any] = writing("add_text")
    add_embedding: Callable[..., Any] = writing("add_embedding")
    add_tensor: Callable[..., Any] = writing("add_tensor")
    add_mesh: Callable[..., Any] = writing("add_mesh")
    add_onnx_graph: Callable[..., Any] = writing("add_onnx_graph")
    add_pr_curve: Callable[..., Any] = writing("add_pr_curve")
    add_pr_curve_raw: Callable[..., Any] = writing("add_pr_curve_raw")
    add_custom_scalars: Callable[..., Any] = writing("add_custom_scalars")
    add_custom_scalars_multilinechart: Callable[..., Any] = writing("add_custom_scalars_multilinechart")
    add_custom_scalars_marginchart: Callable[..., Any] = writing("add_custom_scalars_marginchart")

    def add_hparams(
        self,
        hparam_dict: dict[Any, Any],
        metric_dict: dict[Any, Any],
        hparam_domain_discrete: dict[Any, Any] | None = None,
        run_name: str | None = None,
        global_step: int | None = None,
    ) -> None:
        """Writes hyperparameters with the metrics of a run. TypeError for arguments that are not dictionaries."""
        if not isinstance(hparam_dict, dict) or not isinstance(metric_dict, dict):
            raise TypeError("hparam_dict and metric_dict should be dictionary.")
        if hparam_domain_discrete is not None:
            raise NotImplementedError("hparam_domain_discrete is not written: leave it out.")
        self._opened().add_hparams(arrays(hparam_dict), arrays(metric_dict), name=run_name, global_step=global_step)

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Writes a network's modules as a text, where PyTorch draws a graph."""
        self._opened().add_text("graph", f"```\n{model!r}\n```")

    def get_logdir(self) -> str:
        """The directory that is written to."""
        return self.log_dir

    def flush(self) -> None:
        """Flushes everything to the file."""
        if self._writer is not None:
            self._writer.flush()

    def close(self) -> None:
        """Closes the file; later writes start another."""
        if self._writer is not None:
            self._writer.close()
            self._writer = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class FileWriter:
    """Writes events, made of the package's own types, to a file."""

    def __init__(self, log_dir: Any, max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = ""):
        self._summary = SummaryWriter(
            log_dir, max_queue=max_queue, flush_secs=flush_secs, filename_suffix=filename_suffix
        )

    def get_logdir(self) -> str:
        """The directory that is written to."""
        return self._summary.log_dir

    def add_event(self, event: Any, step: int | None = None, walltime: float | None = None) -> None:
        """Writes an event."""
        self._summary._opened().file_writer.add_event(event, step, walltime)

    def add_summary(self, summary: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """Writes a summary."""
        self._summary._opened().file_writer.add_summary(summary, global_step, walltime)

    def flush(self) -> None:
        """Flushes everything to the file."""
        self._summary.flush()

    def close(self) -> None:
        """Closes the file."""
        self._summary.close()

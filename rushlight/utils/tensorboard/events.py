"""The writer for environments with the package tensorboard but not tensorboardX."""

import time
from functools import cache
from io import BytesIO
from types import SimpleNamespace
from typing import Any

import numpy as np

from rushlight.core.aliases import Array

__all__ = ["SummaryWriter"]


@cache
def package() -> SimpleNamespace:
    """The parts of the package used for writing, loaded at their first use."""
    from tensorboard.compat.proto.event_pb2 import Event, SessionLog
    from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary
    from tensorboard.plugins.hparams.summary_v2 import hparams_pb
    from tensorboard.plugins.text.summary_v2 import text_pb
    from tensorboard.summary.writer.event_file_writer import EventFileWriter
    from tensorboard.util.tensor_util import make_tensor_proto

    return SimpleNamespace(
        Event=Event,
        SessionLog=SessionLog,
        HistogramProto=HistogramProto,
        Summary=Summary,
        hparams_pb=hparams_pb,
        text_pb=text_pb,
        EventFileWriter=EventFileWriter,
        make_tensor_proto=make_tensor_proto,
    )


class FileWriter:
    """Writes events to a file in a directory."""

    def __init__(self, log_dir: str, max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = ""):
        self.event_writer: Any = package().EventFileWriter(log_dir, max_queue, flush_secs, filename_suffix)

    def add_event(self, event: Any, step: int | None = None, walltime: float | None = None) -> None:
        """Writes an event."""
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """Writes a summary."""
        self.add_event(package().Event(summary=summary), global_step, walltime)


class SummaryWriter:
    """Writes what the package tensorboard supports; NotImplementedError, naming tensorboardX, for anything else."""

    log_dir: str
    options: dict[str, Any]

    def __init__(self, log_dir: str, purge_step: int | None = None, **options: Any):
        self.log_dir, self.options = log_dir, options
        self.file_writer: FileWriter = FileWriter(log_dir, **options)
        self.others: dict[str, FileWriter] = {}
        if purge_step is not None:
            self.file_writer.add_event(
                package().Event(session_log=package().SessionLog(status=package().SessionLog.START)), purge_step
            )

    def write(self, step: Any, walltime: Any, **value: Any) -> None:
        """Writes one value."""
        self.file_writer.add_summary(package().Summary(value=[package().Summary.Value(**value)]), step, walltime)

    def add_scalar(
        self,
        tag: Any,
        scalar_value: Any,
        global_step: Any = None,
        walltime: Any = None,
        new_style: bool = False,
        **options: Any,
    ) -> None:
        """Writes a number."""
        self.write(global_step, walltime, tag=tag, simple_value=float(np.asarray(scalar_value).item()))

    def add_scalars(self, main_tag: Any, tag_scalar_dict: Any, global_step: Any = None, walltime: Any = None) -> None:
        """Writes several numbers, each to its own directory, so that one figure shows them."""
        for tag, number in tag_scalar_dict.items():
            place = f"{self.log_dir}/{main_tag.replace('/', '_')}_{tag}"
            writer = self.others.get(place) or self.others.setdefault(place, FileWriter(place, **self.options))
            value = package().Summary.Value(tag=main_tag, simple_value=float(np.asarray(number).item()))
            writer.add_summary(package().Summary(value=[value]), global_step, walltime)

    def add_histogram(
        self,
        tag: Any,
        values: Array,
        global_step: Any = None,
        bins: str = "auto",
        walltime: Any = None,
        max_bins: Any = None,
    ) -> None:
        """Writes a histogram of values."""
        values = np.asarray(values, float).reshape(-1)
        counts, limits = np.histogram(values, bins="auto" if bins == "tensorflow" else bins)
        histogram = package().HistogramProto(
            min=values.min(),
            max=values.max(),
            num=values.size,
            sum=values.sum(),
            sum_squares=values @ values,
            bucket_limit=[limits[0], *limits[1:]],
            bucket=[0, *counts],
        )
        self.write(global_step, walltime, tag=tag, histo=histogram)

    def add_image(
        self, tag: Any, img_tensor: Any, global_step: Any = None, walltime: Any = None, dataformats: str = "CHW"
    ) -> None:
        """Writes an image: numbers from 0 to 1, or bytes."""
        from PIL import Image

        picture = np.asarray(img_tensor)
        if "C" in dataformats:
            picture = picture.transpose([dataformats.index(axis) for axis in "HWC"])
        if picture.dtype != np.uint8:
            picture = (picture * 255).clip(0, 255).astype(np.uint8)
        picture = picture[..., 0] if picture.ndim == 3 and picture.shape[2] == 1 else picture
        file = BytesIO()
        Image.fromarray(picture).save(file, "PNG")
        height, width = picture.shape[:2]
        channels = picture.shape[2] if picture.ndim == 3 else 1
        image = package().Summary.Image(
            height=height, width=width, colorspace=channels, encoded_image_string=file.getvalue()
        )
        self.write(global_step, walltime, tag=tag, image=image)

    def add_images(
        self, tag: Any, img_tensor: Any, global_step: Any = None, walltime: Any = None, dataformats: str = "NCHW"
    ) -> None:
        """Writes a batch of images side by side."""
        batch = np.asarray(img_tensor)
        batch = batch.transpose([dataformats.index(axis) for axis in "NHWC"])
        self.add_image(tag, np.concatenate(list(batch), axis=1), global_step, walltime, "HWC")

    def add_figure(
        self, tag: Any, figure: Any, global_step: Any = None, close: bool = True, walltime: Any = None
    ) -> None:
        """Writes a figure of Matplotlib, or several, as an image."""
        from matplotlib import pyplot

        figures = figure if isinstance(figure, list) else [figure]
        pictures = []
        for drawn in figures:
            drawn.canvas.draw()
            pictures.append(np.asarray(drawn.canvas.buffer_rgba())[..., :3])
            if close:
                pyplot.close(drawn)
        self.add_image(tag, np.concatenate(pictures, axis=1), global_step, walltime, "HWC")

    def add_tensor(self, tag: Any, tensor: Any, global_step: Any = None, walltime: Any = None) -> None:
        """Writes an array."""
        self.write(global_step, walltime, tag=tag, tensor=package().make_tensor_proto(np.asarray(tensor)))

    def add_text(self, tag: Any, text_string: Any, global_step: Any = None, walltime: Any = None) -> None:
        """Writes a text."""
        self.file_writer.add_summary(package().text_pb(f"{tag}/text_summary", text_string), global_step, walltime)

    def add_hparams(self, hparam_dict: Any, metric_dict: Any, name: str | None = None, global_step: Any = None) -> None:
        """Writes hyperparameters and the metrics reached with them, to a directory of their own."""
        inside = SummaryWriter(f"{self.log_dir}/{name or time.time()}", **self.options)
        inside.file_writer.add_summary(package().hparams_pb(dict(hparam_dict)))
        for tag, number in metric_dict.items():
            inside.add_scalar(tag, number, global_step)
        inside.close()

    def flush(self) -> None:
        """Flushes everything to the files."""
        for writer in (self.file_writer, *self.others.values()):
            writer.event_writer.flush()

    def close(self) -> None:
        """Closes the files."""
        for writer in (self.file_writer, *self.others.values()):
            writer.event_writer.close()

    def __getattr__(self, name: str) -> Any:
        """Raises NotImplementedError for what only tensorboardX supports."""
        if name.startswith("add_"):
            raise NotImplementedError(f"{name} needs the package tensorboardX: run `pip install tensorboardX`.")
        raise AttributeError(f"'SummaryWriter' object has no attribute '{name}'")

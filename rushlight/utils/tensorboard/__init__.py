"""`SummaryWriter`, which writes logs for TensorBoard with the package tensorboardX or tensorboard."""

from rushlight.utils.tensorboard.writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "SummaryWriter"]

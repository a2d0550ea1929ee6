"""The functions of all optimizers."""

from rushlight.optim.adadelta import adadelta
from rushlight.optim.adagrad import adagrad
from rushlight.optim.adam import adam
from rushlight.optim.adamax import adamax
from rushlight.optim.adamw import adamw
from rushlight.optim.asgd import asgd
from rushlight.optim.nadam import nadam
from rushlight.optim.radam import radam
from rushlight.optim.rmsprop import rmsprop
from rushlight.optim.rprop import rprop
from rushlight.optim.sgd import sgd

__all__ = [
    "adadelta",
    "adagrad",
    "adam",
    "adamax",
    "adamw",
    "asgd",
    "nadam",
    "radam",
    "rmsprop",
    "rprop",
    "sgd",
]

"""Making a batch of a list of samples, where programs import it from."""

from rushlight.utils.data.collate import default_collate, default_convert

__all__ = ["default_collate", "default_convert"]

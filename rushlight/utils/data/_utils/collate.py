"""Collating samples, under the module name that programs import it from."""

from rushlight.utils.data.collate import default_collate, default_convert

__all__ = ["default_collate", "default_convert"]

"""The named tuples that functions with several results return, as `torch.return_types`."""

from operator import itemgetter
from typing import Any


def named_tuple(name: str, *fields: str) -> type:
    """A class of tuples with named fields, which prints as PyTorch's do."""

    def show(self):
        lines = ",\n".join(f"{field}={value!r}" for field, value in zip(fields, self, strict=True))
        return f"torch.return_types.{name}(\n{lines})"

    def reduce(self):
        return type(self), (tuple(self),)

    attributes: dict[str, Any] = {field: property(itemgetter(i)) for i, field in enumerate(fields)}
    attributes |= {"__slots__": (), "__module__": __name__, "__repr__": show, "__reduce__": reduce}
    attributes |= {"n_fields": len(fields), "n_sequence_fields": len(fields), "n_unnamed_fields": 0}
    return type(name, (tuple,), attributes)


max = named_tuple("max", "values", "indices")
min = named_tuple("min", "values", "indices")
median = named_tuple("median", "values", "indices")
nanmedian = named_tuple("nanmedian", "values", "indices")
mode = named_tuple("mode", "values", "indices")
kthvalue = named_tuple("kthvalue", "values", "indices")
sort = named_tuple("sort", "values", "indices")
topk = named_tuple("topk", "values", "indices")
cummax = named_tuple("cummax", "values", "indices")
cummin = named_tuple("cummin", "values", "indices")
aminmax = named_tuple("aminmax", "min", "max")

"""Immutable lists and dictionaries for the arguments of nodes: assigning them whole lets nodes track their users."""

from typing import Any, NoReturn

__all__ = ["immutable_dict", "immutable_list"]


def refuse(self: Any, *args: Any, **kwargs: Any) -> NoReturn:
    """Replaces the methods that would change a collection: NotImplementedError."""
    raise NotImplementedError(
        f"'{type(self).__name__}' object does not support mutation. If you are attempting to modify the kwargs or args "
        "of a torch.fx.Node object, instead create a new copy of it and assign the copy to the node: "
        "new_args = ... # copy and mutate args; node.args = new_args"
    )


class immutable_list(list[Any]):
    """A list that cannot be changed.

    >>> from rushlight.fx.immutable_collections import immutable_list
    >>> immutable_list([1, 2]).append(3)
    Traceback (most recent call last):
    ...
    NotImplementedError: 'immutable_list' object does not support mutation. ...
    """

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> Any:
        return (immutable_list, (list(self),))


class immutable_dict(dict[Any, Any]):
    """A dictionary that cannot be changed."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> Any:
        return (immutable_dict, (dict(self),))


CHANGES: dict[type, str] = {
    immutable_list: "__delitem__ __iadd__ __imul__ __setitem__ append clear extend insert pop remove reverse sort",
    immutable_dict: "__delitem__ __ior__ __setitem__ clear pop popitem setdefault update",
}
for cls, names in CHANGES.items():
    for name in names.split():
        setattr(cls, name, refuse)

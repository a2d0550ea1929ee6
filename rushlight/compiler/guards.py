"""Guards: whether a call is like a recorded one. They are checked before every replay, and therefore compiled.

The conditions are stored as lists: tensors with their layout, places with what they held, gradients that existed or
not.
"""

import math

import numpy as np

from rushlight.compiler.codes import (
    ARGUMENT,
    AT_INDEX,
    CELL,
    COTANGENT,
    GRAD,
    IN_DICT,
    IN_MAPPING,
    LENGTH,
    NUMBER,
    TENSOR,
)

ndarray = np.ndarray
MISSING = object()


class Leaf:
    """A tensor among arguments: its number there, and the properties that must be the same at another call."""

    def __init__(self, index, tensor):
        array = tensor._array
        self.index = index
        self.type = type(tensor)
        self.shape = array.shape
        self.dtype = array.dtype
        self.strides = array.strides
        self.needs = tensor.requires_grad
        self.has_node = tensor._node is not None
        self.is_view = tensor._view is not None
        self.unsettled = tensor._unsettled

    def fits(self, value):
        """Whether a value is a tensor with these properties."""
        if type(value) is not self.type:
            return False
        tensor = value
        if (tensor._node is not None) != self.has_node or (tensor._view is not None) != self.is_view:
            return False
        if tensor._unsettled != self.unsettled or tensor._tangents is not None:
            return False
        if tensor.hooks is not None and not tensor.hooks.idle:
            return False
        needs = tensor._needs if tensor._view is None else tensor.requires_grad
        return needs == self.needs and lies_so(tensor._array, self.shape, self.strides, self.dtype)

    def __repr__(self):
        return f"{self.dtype}{list(self.shape)}" + (" that requires grad" if self.needs else "")


def lies_so(value, shape, strides, dtype):
    """Whether an array has a shape, strides and a dtype."""
    if type(value) is not ndarray:
        return False
    array = value
    if array.ndim != len(shape) or (array.dtype is not dtype and array.dtype != dtype):
        return False
    for i in range(array.ndim):  # one by one: `shape` would build two tuples
        if array.shape[i] != shape[i] or array.strides[i] != strides[i]:
            return False
    return True


class Record:
    """A dataclass or named tuple among arguments."""

    def __init__(self, cls, content):
        self.cls = cls
        self.content = content

    def __repr__(self):
        return f"{self.cls.__name__}({', '.join(f'{name}={value}' for name, value in self.content.items())})"


class Object:
    """Any other object among arguments: it must be the identical object."""

    def __init__(self, value):
        self.value = value

    def __repr__(self):
        return f"this {type(self.value).__name__}"


class Varying:
    """A float among arguments that may vary: its number among these, and its recorded value."""

    def __init__(self, index, value):
        self.index = index
        self.value = value

    def __repr__(self):
        return "any float"


class Formula:
    """How a number is computed: by a function of formulas and numbers; or (without a function) which number it is.

    It is one of those that left the program, or, counted from the end, one of those among the arguments.
    """

    def __init__(self, function, operands):
        self.function = function
        self.operands = tuple(operands)

    def value(self, numbers):
        """The value for the given numbers."""
        if self.function is None:
            return numbers[self.operands[0]]
        return self.function(*[one.value(numbers) if type(one) is Formula else one for one in self.operands])

    def leaves_program(self):
        """Whether the formula depends on a number that left the program."""
        if self.function is None:
            return self.operands[0] >= 0
        return any(type(one) is Formula and one.leaves_program() for one in self.operands)

    def __eq__(self, other):
        return type(other) is Formula and self.function is other.function and self.operands == other.operands

    def __hash__(self):
        return hash((self.function, self.operands))


def fits(structure, value, tensors, numbers):
    """Whether arguments match a structure; its tensors are appended to one list, and varying numbers to another."""
    kind = type(structure)
    if kind is Leaf:
        tensors.append(value)
        return structure.fits(value)
    if kind is Varying:
        numbers.append(value)
        return type(value) is float
    if kind is list or kind is tuple:
        if type(value) is not kind or len(value) != len(structure):
            return False
        for i in range(len(structure)):
            if not fits(structure[i], value[i], tensors, numbers):
                return False
        return True
    if kind is dict:
        if type(value) is not dict or len(value) != len(structure) or list(value) != list(structure):
            return False
        for key in structure:
            if not fits(structure[key], value[key], tensors, numbers):
                return False
        return True
    if kind is Object:
        return structure.value is value
    if kind is Record:
        if type(value) is not structure.cls:
            return False
        for key, part in structure.content.items():
            if not fits(part, getattr(value, key), tensors, numbers):
                return False
        return True
    return structure is value or (type(value) is kind and same(structure, value))


def rebuilt(structure, tensors, numbers):
    """The value of a structure: with tensors in place of its leaves, and its formulas evaluated."""
    kind = type(structure)
    if kind is Leaf:
        leaf = structure
        return tensors[leaf.index]
    if kind is tuple:
        return tuple([rebuilt(item, tensors, numbers) for item in structure])
    if kind is list:
        return [rebuilt(item, tensors, numbers) for item in structure]
    if kind is dict:
        return {key: rebuilt(item, tensors, numbers) for key, item in structure.items()}
    if kind is Record:
        return structure.cls(**rebuilt(structure.content, tensors, numbers))
    if kind is Object:
        return structure.value
    return structure.value(numbers) if kind is Formula else structure


def same(a, b):
    """Whether two simple values are identical in type and value."""
    if type(a) is float:
        return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (a != a and b != b)
    return bool(a == b)


class Place:
    """A place that a function reads, and what it must hold."""

    def __init__(self, kind, holder, key, value, simple):
        self.kind = IN_MAPPING if kind == IN_DICT and type(holder) is not dict else kind
        self.holder = holder
        self.key = key
        self.value = value
        self.length = value if kind == LENGTH else 0
        self.simple = simple  # whether an equal value is accepted

    def holds(self):
        """Whether the place still holds it."""
        kind = self.kind
        if kind == IN_DICT:
            table = self.holder
            found = table.get(self.key, MISSING)
        elif kind == LENGTH:
            return len(self.holder) == self.length
        elif kind == IN_MAPPING:
            found = self.holder.get(self.key, MISSING)
        elif kind == AT_INDEX:
            found = self.holder[self.key] if self.key < len(self.holder) else MISSING
        elif kind == CELL:
            found = content_of(self.holder)
        else:
            found = getattr(self.holder, self.key, MISSING)
            if self.key == "tobytes":
                found = found()
        if found is self.value:
            return True
        return self.simple and type(found) is type(self.value) and same(found, self.value)


def content_of(cell):
    """The content of a closure cell."""
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


class Guard:
    """All conditions for replaying a recording.

    `others` are tensors that the function reads besides its arguments, with their leaves; `grads` has places of
    tensors, each with whether it had no gradient, else one without a history; `pattern` tells which tensors are
    identical; `layouts` are gradients among the inputs: places with shape, strides and dtype.
    """

    def __init__(self, structure, places, others, grads, pattern, layouts):
        self.structure = structure
        self.places = places
        self.others = others
        self.leaves = [Leaf(0, tensor) for tensor in others]
        self.grads = grads
        self.pattern = pattern
        self.layouts = layouts
        args, kwargs = structure
        self.plain = not kwargs and all(type(one) is Leaf for one in args)
        self.several = len(pattern) > 1

    def match(self, args, kwargs):
        """The tensors among the arguments of a matching call, followed by the varying numbers.

        None for a call that does not match.
        """
        tensors = []
        numbers = []
        if self.plain:
            structure = self.structure[0]
            if kwargs or len(args) != len(structure):
                return None
            for i in range(len(structure)):
                value = args[i]
                leaf = structure[i]
                if not leaf.fits(value):
                    return None
                tensors.append(value)
        elif not fits(self.structure, (args, kwargs), tensors, numbers):
            return None
        for item in self.places:
            place = item
            if not place.holds():
                return None
        for i in range(len(self.others)):
            leaf = self.leaves[i]
            if not leaf.fits(self.others[i]):
                return None
        for kind, what, none in self.grads:
            tensor = tensors[what] if kind == ARGUMENT else what
            if (tensor._grad is None) != none or not (none or is_plain(tensor._grad)):
                return None
        if self.several and pattern_of(tensors, self.others) != self.pattern:
            return None
        for kind, what, shape, strides, dtype in self.layouts:
            tensor = tensors[what] if kind == ARGUMENT else what
            if not lies_so(tensor._grad._array, shape, strides, dtype):
                return None
        return tensors + numbers if numbers else tensors


def is_plain(gradient):
    """Whether a gradient has no history."""
    tensor = gradient
    return not (tensor._needs if tensor._view is None else tensor.requires_grad)


def pattern_of(tensors, others):
    """For each argument tensor, and each other one, the first position at which it occurs."""
    first = {}
    found = []
    for tensor in tensors:
        found.append(first.setdefault(id(tensor), len(found)))
    for tensor in others:
        found.append(first.setdefault(id(tensor), len(found)))
    return found


def gather(places, arguments, made):
    """The arrays, and numbers, at the places of a program's inputs; None for cotangents, which come later."""
    found = []
    for kind, what in places:
        if kind == ARGUMENT:
            tensor = arguments[what]
            found.append(tensor._array)
        elif kind == TENSOR:
            tensor = what
            found.append(tensor._array)
        elif kind == GRAD:
            tensor = arguments[what[1]] if what[0] == ARGUMENT else what[1]
            tensor = tensor._grad
            found.append(tensor._array)
        elif kind == NUMBER:
            found.append(what.value(arguments))
        elif kind == COTANGENT:
            found.append(None)
        else:
            found.append(made[what[0]][what[1]])
    return found

"""Malicious files, and a valid one to compare them with."""

import io
import os
import pickle
import struct
import zipfile
from collections import Counter, OrderedDict
from collections.abc import Iterator

import rushlight


def example() -> dict:
    """An object with a bit of everything."""
    base = rushlight.arange(6.0).reshape(2, 3)
    named = OrderedDict(x=[1, 2.5, "text", None, True, (3,), {4}, b"bytes", 2j, 10**30])
    return {
        "a": base,
        "view": base[1:],
        "leaf": rushlight.ones(3, requires_grad=True),
        "named": named,
        "counts": Counter([1, 1, 2]),
        "dtype": rushlight.float64,
        "size": base.shape,
        "device": base.device,
        "parameter": rushlight.nn.Parameter(rushlight.ones(2)),
        "empty": rushlight.zeros(0, 3),
    }


def same(found: object) -> bool:
    """Whether what was loaded is the example."""
    return repr(found) == repr(example())


def saved(modern: bool) -> bytes:
    """The example as a file."""
    file = io.BytesIO()
    rushlight.save(example(), file, _use_new_zipfile_serialization=modern)
    return file.getvalue()


def pickled() -> bytes:
    """The example's pickle."""
    with zipfile.ZipFile(io.BytesIO(saved(True))) as whole:
        return whole.read("archive/data.pkl")


def archive(text: bytes) -> bytes:
    """An archive that is whole, of a pickle that need not be, with the example's memory."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved(True))) as whole, zipfile.ZipFile(file, "w") as out:
        for name in whole.namelist():
            out.writestr(name, text if name.endswith("data.pkl") else whole.read(name))
    return file.getvalue()


def before_1_6(text: bytes) -> bytes:
    """A file in the older format with another pickle for the object."""
    file = io.BytesIO()
    rushlight.save(None, file, _use_new_zipfile_serialization=False)
    names = pickle.dumps([], 2)
    return file.getvalue().replace(pickle.dumps(None, 2) + names, text + names)


class Call:
    """Pickles to a call."""

    def __init__(self, function, *arguments):
        self.call = function, arguments

    def __reduce__(self):
        return self.call


def hostile(sign: str) -> Iterator[tuple[str, bytes]]:
    """Files that would make the file `sign`, take all memory or time, or crash the program."""
    command = f"open({sign!r}, 'w').close()"
    for function, *given in (
        (exec, command),
        (eval, command),
        (os.system, f"touch {sign}"),
        (os.mkdir, sign),
        (open, sign, "w"),
        (getattr, "text", "upper"),
        (__import__, "os"),
        (bytearray, 1 << 40),
        (range, 0, [1]),
        (print, "code ran"),
        (set, range(10**10)),
        (OrderedDict, [(1, 2, 3)]),
        (complex, "1"),
        (rushlight.device, "no such device"),
    ):
        for protocol in (2, 4):
            name = f"{function.__name__}{given} in protocol {protocol}"
            yield name, archive(pickle.dumps(Call(function, *given), protocol))
    for name, text in OPCODES.items():
        text = text.replace(b"SIGN", sign.encode())
        yield name, archive(text)
        yield f"{name}, before 1.6", before_1_6(text)
    yield from tensors()
    yield from large()


OPCODES = {
    "nothing": b".",
    "an empty stack": b"R.",
    "a call of an object": b"})R.",
    "a call without a tuple": b"ccollections\nOrderedDict\n}R.",
    "code in the oldest form": b"(S\"open('SIGN', 'w')\"\nios\nsystem\n.",
    "code by names on the stack": b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x0atouch SIGN\x85R.",
    "an attribute of a safe class": b"\x80\x04\x8c\x0bcollections\x8c\x14OrderedDict.__init__\x93.",
    "attributes of a class": b"ccollections\nOrderedDict\n}X\1\0\0\0aK\1sb.",
    "attributes of a tuple": b")}X\1\0\0\0aK\1sb.",
    "attributes without names": b"ccollections\nOrderedDict\n)\x81}K\1K\1sb.",
    "an extension": b"\x82\1.",
    "a buffer": b"\x97.",
    "a text without end": b"X\xff\xff\xff\xff",
    "a long text without end": b"\x8d" + b"\xff" * 7 + b"\x7f",
    "bytes without end": b"\x8e" + b"\xff" * 7 + b"\x7f",
    "a bytearray without end": b"\x96\0\0\0\0\0\1\0\0",
    "a frame without end": b"\x80\x04\x95\0\0\0\0\0\1\0\0.",
    "a number without end": b"\x8b\xff\xff\xff\x7f",
    "a number of negative length": b"\x8b\xff\xff\xff\xff",
    "a long number as text": b"L" + b"9" * 100_000 + b"L\n.",
    "a far memo": b"K\1r\xff\xff\xff\xffj\xfe\xff\xff\xff.",
    "a memo that is not there": b"h\7.",
    "marks": b"(" * 100_000 + b".",
    "a reference to no memory": b"K\1Q.",
    "a reference as text": b"P/etc/passwd\n.",
    "an unhashable key": b"}]K\1s.",
    "a dictionary with half an item": b"(K\1d.",
    "items of a list": b"](K\1K\2u.",
    "elements of a dictionary": b"}(K\1e.",
    "a layout with a name of lists": b"ctorch.serialization\n_get_layout\n" + b"]" + b"(22el" * 40 + b"\x85R.",
    "a newer protocol": b"\x80\xff.",
    "no such opcode": b"\xff.",
    "another name": b"c__future__\nbraces\n.",
}


def large() -> Iterator[tuple[str, bytes]]:
    """Small files of objects that take much memory, time or depth."""
    make_set, encode = b"c__builtin__\nset\nh\0\x85R", b"c_codecs\nencode\nh\0X\6\0\0\0latin1\x86R"
    text = b"X" + struct.pack("<I", 10**5) + b"a" * 10**5
    yield "copies of a list", archive(b"(](" + b"K\1" * 10_000 + b"eq\0" + make_set * 10_000 + b"l.")
    yield "copies of a text", archive(b"(" + text + b"q\0" + encode * 10_000 + b"l.")
    yield "a deep tuple as a key", archive(b"}" + b")" + b"\x85" * 100_000 + b"K\1s.")
    yield "a wide tuple as a key", archive(b"}" + b")" + b"2\x86" * 64 + b"K\1s.")
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("archive/data.pkl", b"X\0\0\0\x10" + b"a" * (1 << 28) + b".")
    yield "a zip bomb", bomb.getvalue()


def tensors() -> Iterator[tuple[str, bytes]]:
    """Tensors that are not in their memory, or larger than any."""
    for offset, size, stride, count in (
        (0, (7,), (1,), 6),
        (-1, (2,), (1,), 6),
        (0, (2,), (-1,), 6),
        (0, (-2,), (1,), 6),
        (6, (1,), (1,), 6),
        (0, (2, 2), (1,), 6),
        (0, (1 << 62,), (0,), 6),
        (0, (1 << 40, 1 << 40), (0, 0), 6),
        (1 << 70, (1,), (1,), 6),
        (0, (2,), (1 << 62,), 6),
        (0, (1,) * 65, (1,) * 65, 6),
        (True, (1,), (1,), 6),
        (0, (1.5,), (1,), 6),
        (0, [[1]], (1,), 6),
        (0, (2,), (1,), 1 << 50),
        (0, (2,), (1,), -1),
        (0, range(1 << 40), (1,), 6),
        (0, None, None, 6),
    ):
        text = io.BytesIO()
        Pickler(text, 2).dump(Tensor(offset, size, stride, count))
        yield f"a tensor at {offset} of size {size} with strides {stride} in {count}", archive(text.getvalue())


REBUILD = type("_rebuild_tensor_v2", (), {"__module__": "torch._utils"})
STORAGE = type("FloatStorage", (), {"__module__": "torch"})


class Memory:
    """So many elements."""

    def __init__(self, count):
        self.count = count


class Tensor:
    """Pickles to a tensor as its numbers say."""

    def __init__(self, *numbers):
        self.numbers = numbers

    def __reduce__(self):
        *place, count = self.numbers
        return REBUILD, (Memory(count), *place, False, OrderedDict())


class Pickler(pickle._Pickler):
    """A pickler of tensors in memory of any size."""

    def persistent_id(self, obj):
        """The reference to memory."""
        return ("storage", STORAGE, "0", "cpu", obj.count) if isinstance(obj, Memory) else None

    def save_global(self, obj, name=None):
        """Writes a name without looking it up."""
        self.write(f"c{obj.__module__}\n{obj.__name__}\n".encode())
        self.memoize(obj)

"""Records `rushlight/ops/overloads.txt`: the overloads of PyTorch's operators.

Needs torch: python -m tests.ops.record_overloads
"""

from collections import defaultdict

import torch

from rushlight.ops.overloads import FILE


def main() -> None:
    found = defaultdict(list)
    for schema in torch._C._jit_get_all_schemas():
        if schema.name.startswith("aten::"):
            found[schema.name.removeprefix("aten::")].append(schema.overload_name or "default")
    FILE.write_text("".join(f"{name}:{' '.join(sorted(names))}\n" for name, names in sorted(found.items())))


if __name__ == "__main__":
    main()

"""Records the cases of the sweep from PyTorch's samples: `python tests/sweep/record.py [NAME ...]`.

Records again the operators that golden.npz has, and adds those named, by PyTorch's names in `op_db`. Needs torch with
its testing helpers (`pip install torch expecttest`). For each operator it takes a few small samples of each variant in
float64 and one in complex128 where the operator takes that, and keeps arguments, results and the gradients that a fixed
cotangent gives.
"""

import sys
import warnings

import torch
from cases import Reader, Writer, cotangent, tensors_in
from torch.testing._internal.common_methods_invocations import op_db

LARGEST = 220  # elements of the tensors of a sample
SAMPLES = {torch.float64: 3, torch.complex128: 1}


def small_samples(op, dtype):
    """A few small samples of an operator, spread over those that PyTorch has."""
    torch.manual_seed(0)
    samples = [
        (sum(t.numel() for t in tensors), sample)
        for sample in op.sample_inputs("cpu", dtype, requires_grad=True)
        if (tensors := tensors_in([sample.input, sample.args, sample.kwargs], torch.Tensor))
        and all(t.layout is torch.strided for t in tensors)
        and not (op.name.startswith("as_strided") and looks_outside(tensors[0]))
    ]
    small = [sample for size, sample in samples if size <= LARGEST]
    small = small or [sample for _, sample in sorted(samples, key=lambda pair: pair[0])[:1]]
    n = min(SAMPLES[dtype], len(small))
    return [small[i * (len(small) - 1) // max(n - 1, 1)] for i in range(n)]


def looks_outside(tensor):
    """Whether a tensor is a part of its memory: only its elements are recorded, not what lies between them."""
    return tensor.untyped_storage().nbytes() != tensor.numel() * tensor.itemsize or not tensor.is_contiguous()


def record_case(op, sample, writer):
    """One call with its results and gradients."""
    args = [writer.value(v) for v in (sample.input, sample.args, sample.kwargs)]
    inputs = [t for t in tensors_in([sample.input, sample.args, sample.kwargs], torch.Tensor) if t.requires_grad]
    torch.manual_seed(42)
    outs = tensors_in(op.op(sample.input, *sample.args, **sample.kwargs), torch.Tensor)
    live = [(k, out) for k, out in enumerate(outs) if out.requires_grad]
    grads = [None] * len(inputs)
    if live:
        cotangents = [torch.from_numpy(cotangent(out.detach().resolve_conj().numpy(), k)) for k, out in live]
        grads = torch.autograd.grad([out for _, out in live], inputs, cotangents, allow_unused=True)
    return {
        "name": op.name,
        "variant": op.variant_test_name,
        "input": args[0],
        "args": args[1],
        "kwargs": args[2],
        "outputs": [writer.array(out) for out in outs],
        "grads": [None if g is None else writer.array(g) for g in grads],
    }


def main(names):
    """Records the operators recorded before, and those named."""
    wanted = {case["name"] for case in Reader(torch).cases} | set(names)
    writer, cases = Writer(torch), []
    for op in op_db:
        if op.name not in wanted:
            continue
        for dtype in SAMPLES:
            if dtype not in op.supported_backward_dtypes("cpu"):
                continue
            for sample in small_samples(op, dtype):
                try:
                    cases.append(record_case(op, sample, writer))
                except (TypeError, RuntimeError, NotImplementedError) as error:
                    print(f"left out: {op.name} {op.variant_test_name}: {str(error)[:100]}")
    writer.save(cases)
    recorded = {case["name"] for case in cases}
    print(f"{len(cases)} cases of {len(recorded)} operators; none of {sorted(wanted - recorded)}")


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main(sys.argv[1:])

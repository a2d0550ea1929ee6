"""Short-time Fourier transforms: `stft`, the spectra of overlapping frames of a signal, and its inverse `istft`."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from rushlight.core.graph import new_tensor
from rushlight.core.kinds import kind_of
from rushlight.core.lines import warn
from rushlight.fft.one_dimension import fft, ifft, irfft, rfft
from rushlight.ops.arguments.mismatch import type_name
from rushlight.ops.elementwise.complexes import view_as_real
from rushlight.ops.shapes.padding import pad
from rushlight.ops.shapes.slicing import _fold
from rushlight.ops.table import method
from rushlight.settings import warn_once
from rushlight.tensors import Tensor

__all__ = ["istft", "stft"]


def call_described(name: str, input: Tensor, **options: Any) -> str:
    """The beginning of PyTorch's error messages: the call with its arguments."""
    shown: dict[str, Any] = {key: int(value) if isinstance(value, bool) else value for key, value in options.items()}
    window = shown.get("window")
    if window is not None:
        shown["window"] = f"torch.{type_name(window._array)}Tensor{{{list(window._array.shape)}}}"
    listed = ", ".join(f"{key}={value}" for key, value in shown.items())
    return f"{name}(torch.{type_name(input._array)}Tensor{list(input._array.shape)}, {listed}) : "


def check_window(call: Callable[[], str], n_fft: int, hop_length: int, win_length: int, window: Tensor | None) -> None:
    """Raises the errors about sizes that `stft` and `istft` share."""
    if hop_length <= 0:
        raise RuntimeError(f"{call()}expected hop_length > 0, but got hop_length={hop_length}")
    if not 0 < win_length <= n_fft:
        raise RuntimeError(f"{call()}expected 0 < win_length <= n_fft, but got win_length={win_length}")
    if window is not None and window._array.shape != (win_length,):
        raise RuntimeError(
            f"{call()}expected a 1D window tensor of size equal to win_length={win_length}, but got window "
            "with size "
            f"{list(window._array.shape)}"
        )


def widened(window: Tensor, n_fft: int) -> Tensor:
    """A window, padded with zeros on both sides to the size of the transform."""
    missing = n_fft - window._array.shape[0]
    return pad(window, (missing // 2, missing - missing // 2)) if missing else window


@method
def stft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    pad_mode: str = "reflect",
    normalized: bool = False,
    onesided: bool | None = None,
    return_complex: bool | None = None,
    align_to_window: bool | None = None,
) -> Tensor:
    """The Fourier transforms of overlapping frames of `n_fft` samples; the signals are (length) or (batch, length).

    A frame starts every `hop_length` samples (by default n_fft // 4) and is multiplied by `window`, which has
    `win_length` samples (by default n_fft). With `center` the signal is padded so that frame t is centered at t *
    hop_length. The result is (*, N, T) for T frames, with N = n_fft // 2 + 1 frequencies for a real signal, or n_fft
    with `onesided=False`. `normalized` divides by sqrt(n_fft). With `return_complex=False` a last dimension holds the
    real and imaginary parts. RuntimeError for sizes that do not fit.

    >>> import rushlight as torch
    >>> torch.stft(torch.ones(16), 4, return_complex=True).shape
    torch.Size([3, 17])
    """
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    if center:
        extended = input.view((1,) * (3 - input.dim()) + input.shape)
        extended = pad(extended, (n_fft // 2, n_fft // 2), pad_mode)
        input = extended.view(extended.shape[-input.dim() :])
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    call = partial(
        call_described,
        "stft",
        input,
        n_fft=n_fft,
        hop_length=hop_length,
        win_length=win_length,
        window=window,
        normalized=normalized,
        onesided=onesided,
        return_complex=return_complex,
        align_to_window=align_to_window,
    )
    if window is None:
        warn_once(
            "A window was not provided. A rectangular window will be applied, which is known to cause spectral "
            "leakage. Give window=torch.hann_window(n_fft), or window=torch.ones(n_fft) to keep the rectangular one."
        )
    is_complex = input.is_complex() or (window is not None and window.is_complex())
    check_stft(call, input, n_fft, is_complex, return_complex)
    check_window(call, n_fft, hop_length, win_length, window)
    if align_to_window and not center and win_length < n_fft:
        start = (n_fft - win_length) // 2
        input = pad(input, (start, n_fft - win_length - start))
    pieces = input.unfold(-1, n_fft, hop_length)
    if window is None and win_length < n_fft:
        window = new_tensor(np.ones(win_length, input._array.real.dtype))
    if window is not None:
        pieces = pieces * widened(window, n_fft)
    onesided = not is_complex if onesided is None else onesided
    if onesided and is_complex:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    spectra = (rfft if onesided else fft)(pieces, norm="ortho" if normalized else "backward").transpose(-2, -1)
    return spectra if return_complex or (return_complex is None and is_complex) else view_as_real(spectra)


def check_stft(
    call: Callable[[], str], input: Tensor, n_fft: int, is_complex: bool, return_complex: bool | None
) -> None:
    """Raises the errors about the signal."""
    if return_complex is None and not is_complex:
        raise RuntimeError(
            "stft requires the return_complex parameter be given for real inputs, and will further require "
            "that "
            "return_complex=True in a future PyTorch release."
        )
    if kind_of(input._array.dtype) not in "fc":
        raise RuntimeError(f"{call()}expected a tensor of floating point or complex values")
    if input.dim() not in (1, 2):
        raise RuntimeError(f"{call()}expected a 1D or 2D tensor")
    length = input.shape[-1]
    if not 0 < n_fft <= length:
        raise RuntimeError(f"{call()}expected 0 < n_fft < {length}, but got n_fft={n_fft}")


@method
def istft(
    input: Tensor,
    n_fft: int,
    hop_length: int | None = None,
    win_length: int | None = None,
    window: Tensor | None = None,
    center: bool = True,
    normalized: bool = False,
    onesided: bool | None = None,
    length: int | None = None,
    return_complex: bool = False,
) -> Tensor:
    """The signals whose `stft` with the same arguments is (*, N, T): the inverse, by least squares.

    `length` is the length of the signal. RuntimeError for sizes that do not fit, and for windows that leave samples
    uncovered.

    >>> import rushlight as torch
    >>> x, window = torch.arange(16.0), torch.hann_window(4)
    >>> y = torch.istft(torch.stft(x, 4, window=window, return_complex=True), 4, window=window)
    >>> torch.allclose(x, y, atol=1e-5)
    True
    """
    hop_length = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    call = partial(
        call_described,
        "istft",
        input,
        n_fft=n_fft,
        hop_length=hop_length,
        win_length=win_length,
        window=window,
        center=center,
        normalized=normalized,
        onesided=onesided,
        length=length,
        return_complex=return_complex,
    )
    if not input.is_complex():
        raise RuntimeError(
            "istft requires a complex-valued input tensor matching the output from stft with return_complex=True."
        )
    onesided = input.shape[-2] != n_fft if onesided is None else onesided
    check_istft(call, input, n_fft, hop_length, win_length, onesided)
    check_window(call, n_fft, hop_length, win_length, window)
    if return_complex and onesided:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    if window is None:
        window = new_tensor(np.ones(win_length, input._array.real.dtype))
    window = widened(window, n_fft)
    spectra = input.transpose(-2, -1)
    norm = "ortho" if normalized else "backward"
    if return_complex:
        pieces = ifft(spectra, norm=norm)
    else:
        pieces = irfft(spectra.narrow(-1, 0, n_fft // 2 + 1), n_fft, norm=norm)
    signal = overlapped(pieces * window, n_fft, hop_length)
    weights = overlapped((window * window).expand(pieces.shape[-2:]), n_fft, hop_length)
    return cut(call, signal, weights, n_fft, center, length)


def check_istft(
    call: Callable[[], str], input: Tensor, n_fft: int, hop_length: int, win_length: int, onesided: bool
) -> None:
    """Raises the errors about the spectra."""
    if input.numel() == 0:
        raise RuntimeError(f"{call()}input tensor cannot be empty.")
    if input.dim() not in (2, 3):
        raise RuntimeError(f"{call()}expected a tensor with 2 or 3 dimensions, but got {input.dim()}")
    wanted, found = n_fft // 2 + 1 if onesided else n_fft, input.shape[-2]
    if wanted != found:
        shown = "n_fft / 2 + 1" if onesided else "n_fft"
        raise RuntimeError(
            f"{call()}expected the frequency dimension (3rd to the last) of the input tensor to match "
            f"{shown} when "
            f"onesided={onesided}, but got {found}"
        )
    if not 0 < hop_length <= win_length:
        raise RuntimeError(f"{call()}expected 0 < hop_length <= win_length")


def overlapped(pieces: Tensor, n_fft: int, hop_length: int) -> Tensor:
    """The sum of the frames, each at its position in the signal."""
    *batch, count, _ = pieces._array.shape
    return _fold(pieces, (*batch, n_fft + hop_length * (count - 1)), len(batch), n_fft, hop_length)


def cut(
    call: Callable[[], str], signal: Tensor, weights: Tensor, n_fft: int, center: bool, length: int | None
) -> Tensor:
    """The signal without its padding, divided by the sum of the squared windows."""
    total = signal._array.shape[-1]
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else total - n_fft // 2 if center else total
    known = min(end, total) - start
    signal, weights = signal.narrow(-1, start, known), weights.narrow(-1, start, known)
    if np.abs(weights._array).min() < 1e-11:
        raise RuntimeError(f"{call()}window overlap add min: 1")
    result = signal / weights
    if end <= total:
        return result
    warn(
        "The length of signal is shorter than the length parameter. Result is being padded with zeros in "
        "the tail. "
        "Please check your center and hop_length settings.",
    )
    return pad(result, (0, end - total))

"""One step of recurrent networks as functions of the weights: `torch.lstm_cell` and its like."""

from rushlight.ops.activation import relu, sigmoid
from rushlight.ops.elementwise.elementary import tanh
from rushlight.ops.products.products import linear
from rushlight.tensors import Tensor

__all__ = ["gru_cell", "lstm_cell", "rnn_relu_cell", "rnn_tanh_cell"]


def lstm_cell(
    input: Tensor,
    hx: tuple[Tensor, Tensor],
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """The next hidden and cell states, (N, H), of long short-term memory; weights are (4 H, inputs) and (4 H, H).

    >>> import rushlight as torch
    >>> zero = torch.zeros(1, 1)
    >>> torch.lstm_cell(torch.ones(1, 1), (zero, zero), torch.ones(4, 1), torch.ones(4, 1))
    (tensor([[0.3696]]), tensor([[0.5568]]))
    """
    hidden, cell = hx
    gates = linear(input, w_ih, b_ih) + linear(hidden, w_hh, b_hh)
    taken, kept, new, shown = gates.chunk(4, -1)
    cell = sigmoid(kept) * cell + sigmoid(taken) * tanh(new)
    return sigmoid(shown) * tanh(cell), cell


def gru_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """The next hidden state, (N, H), of a gated recurrent unit; weights are (3 H, inputs) and (3 H, H).

    >>> import rushlight as torch
    >>> torch.gru_cell(torch.ones(1, 1), torch.zeros(1, 1), torch.ones(3, 1), torch.ones(3, 1))
    tensor([[0.2048]])
    """
    reset, update, new = linear(input, w_ih, b_ih).chunk(3, -1)
    reset_before, update_before, before = linear(hx, w_hh, b_hh).chunk(3, -1)
    kept = sigmoid(update + update_before)
    fresh = tanh(new + sigmoid(reset + reset_before) * before)
    return fresh + kept * (hx - fresh)


def rnn_tanh_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """The next hidden state, (N, H), of a plain recurrent network with tanh.

    >>> import rushlight as torch
    >>> torch.rnn_tanh_cell(torch.ones(1, 1), torch.zeros(1, 1), torch.ones(1, 1), torch.ones(1, 1))
    tensor([[0.7616]])
    """
    return tanh(linear(input, w_ih, b_ih) + linear(hx, w_hh, b_hh))


def rnn_relu_cell(
    input: Tensor,
    hx: Tensor,
    w_ih: Tensor,
    w_hh: Tensor,
    b_ih: Tensor | None = None,
    b_hh: Tensor | None = None,
) -> Tensor:
    """The next hidden state, (N, H), of a plain recurrent network with the positive part.

    >>> import rushlight as torch
    >>> torch.rnn_relu_cell(torch.ones(1, 1), torch.zeros(1, 1), torch.ones(1, 1), torch.ones(1, 1))
    tensor([[1.]])
    """
    return relu(linear(input, w_ih, b_ih) + linear(hx, w_hh, b_hh))

"""Single steps of recurrent networks, with the weights as arguments: `torch.lstm_cell` and so on."""

from rushlight.nn.functional.recurrence import gru_step, lstm_step, relu_step, tanh_step
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
    """The next hidden and cell state, (N, H), of an LSTM; the weights are (4 H, input size) and (4 H, H).

    >>> import rushlight as torch
    >>> zero = torch.zeros(1, 1)
    >>> torch.lstm_cell(torch.ones(1, 1), (zero, zero), torch.ones(4, 1), torch.ones(4, 1))
    (tensor([[0.3696]]), tensor([[0.5568]]))
    """
    hidden, cell = lstm_step(linear(input, w_ih, b_ih), hx, w_hh, b_hh)
    return hidden, cell


def gru_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """The next hidden state, (N, H), of a GRU; the weights are (3 H, input size) and (3 H, H).

    >>> import rushlight as torch
    >>> torch.gru_cell(torch.ones(1, 1), torch.zeros(1, 1), torch.ones(3, 1), torch.ones(3, 1))
    tensor([[0.2048]])
    """
    return gru_step(linear(input, w_ih, b_ih), (hx,), w_hh, b_hh)[0]


def rnn_tanh_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """The next hidden state, (N, H), of an Elman network with tanh.

    >>> import rushlight as torch
    >>> torch.rnn_tanh_cell(torch.ones(1, 1), torch.zeros(1, 1), torch.ones(1, 1), torch.ones(1, 1))
    tensor([[0.7616]])
    """
    return tanh_step(linear(input, w_ih, b_ih), (hx,), w_hh, b_hh)[0]


def rnn_relu_cell(
    input: Tensor, hx: Tensor, w_ih: Tensor, w_hh: Tensor, b_ih: Tensor | None = None, b_hh: Tensor | None = None
) -> Tensor:
    """The next hidden state, (N, H), of an Elman network with ReLU.

    >>> import rushlight as torch
    >>> torch.rnn_relu_cell(torch.ones(1, 1), torch.zeros(1, 1), torch.ones(1, 1), torch.ones(1, 1))
    tensor([[1.]])
    """
    return relu_step(linear(input, w_ih, b_ih), (hx,), w_hh, b_hh)[0]

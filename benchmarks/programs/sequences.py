"""Models of sequences."""

from benchmarks.programs.networks import training


def recurrent(torch, layer, n):
    """A training step of a recurrent layer that reads 20 steps of n sequences."""
    out = torch.nn.Linear(32, 1)
    x, y = torch.randn(n, 20, 8), torch.randn(n, 1)
    model = torch.nn.ModuleList([layer, out])
    return training(torch, model, lambda: torch.nn.functional.mse_loss(out(layer(x)[0][:, -1]), y))


def lstm(torch, n):
    """A training step of an LSTM."""
    return recurrent(torch, torch.nn.LSTM(8, 32, batch_first=True), n)


def gru(torch, n):
    """A training step of a GRU."""
    return recurrent(torch, torch.nn.GRU(8, 32, batch_first=True), n)


def lstm_cells(torch, n):
    """The gradients of a loop that is written out over LSTM cells."""
    cell, x = torch.nn.LSTMCell(8, 16), torch.randn(10, n, 8)

    def step():
        cell.zero_grad()
        h = c = torch.zeros(n, 16)
        for part in x:
            h, c = cell(part, (h, c))
        h.pow(2).sum().backward()
        return h

    return step


def transformer(torch, n):
    """A training step of a causal transformer block for two texts of n words."""
    nn = torch.nn
    words, out = nn.Embedding(50, 32), nn.Linear(32, 50)
    block = nn.TransformerEncoderLayer(32, 4, 64, 0.0, batch_first=True)
    text, mask = torch.randint(0, 50, (2, n)), nn.Transformer.generate_square_subsequent_mask(n)

    def loss():
        made = out(block(words(text), src_mask=mask, is_causal=True))
        return nn.functional.cross_entropy(made[:, :-1].reshape(-1, 50), text[:, 1:].reshape(-1))

    return training(torch, nn.ModuleList([words, block, out]), loss)


def word_vectors(torch, n):
    """A step of skip-gram with five false words for each of n pairs."""
    inner, outer = torch.nn.Embedding(500, 16), torch.nn.Embedding(500, 16)
    centre, near, far = torch.randint(0, 500, (n,)), torch.randint(0, 500, (n,)), torch.randint(0, 500, (n, 5))
    of = torch.nn.functional.logsigmoid

    def loss():
        v = inner(centre)
        true = (v * outer(near)).sum(1)
        false = torch.einsum("nd,nkd->nk", v, outer(far))
        return -(of(true).mean() + of(-false).sum(1).mean())

    return training(torch, torch.nn.ModuleList([inner, outer]), loss)


def text_convolution(torch, n):
    """A training step of a classifier of n texts of 30 words by convolution."""
    nn = torch.nn
    words, filters, out = nn.Embedding(100, 16), nn.Conv1d(16, 32, 3, padding=1), nn.Linear(32, 2)
    text, y = torch.randint(0, 100, (n, 30)), torch.randint(0, 2, (n,))

    def loss():
        h = torch.relu(filters(words(text).mT)).amax(2)
        return nn.functional.cross_entropy(out(h), y)

    return training(torch, nn.ModuleList([words, filters, out]), loss)


def hidden_markov_model(torch, n):
    """The gradient of the likelihood of 20 observations under n states."""
    start, moves = torch.randn(n).requires_grad_(), torch.randn(n, n).requires_grad_()
    seen = torch.randn(20, n)

    def step():
        alpha = torch.log_softmax(start, 0) + seen[0]
        change = torch.log_softmax(moves, 1)
        for one in seen[1:]:
            alpha = torch.logsumexp(alpha[:, None] + change, 0) + one
        return torch.autograd.grad(torch.logsumexp(alpha, 0), (start, moves))

    return step


PROGRAMS = {
    lstm: (1, 16, 256),
    gru: (1, 16, 256),
    lstm_cells: (1, 16, 512),
    transformer: (8, 32, 256),
    word_vectors: (8, 128, 4096),
    text_convolution: (2, 16, 256),
    hidden_markov_model: (3, 20, 200),
}

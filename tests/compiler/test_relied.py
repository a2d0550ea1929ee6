"""What a call does because of the values that it is given: others raise, or go another way, in a replay too."""

import math
import warnings

import pytest

import rushlight as torch
from rushlight.nn import functional as F

ROWS = torch.linspace(-1, 1, 12).reshape(4, 3)
EYE, MASK = torch.eye(3), torch.eye(4).bool()


def i(*values):
    return torch.tensor(values)


def attention(x, mask):
    return F.scaled_dot_product_attention(x, x, x, attn_mask=mask)


# a function, arguments to record it with, and others: `RAISES` where these are refused, `GIVES` where they are not
RAISES = {
    "floor_divide": (lambda a, b: a // b, (i(4, 5), i(2, 1)), (i(4, 5), i(2, 0))),
    "remainder": (lambda a, b: a % b, (i(4, 5), i(2, 1)), (i(4, 5), i(2, 0))),
    "in place": (lambda a, b: (a + 0).floor_divide_(b), (i(4, 5), i(2, 1)), (i(4, 5), i(2, 0))),
    "index": (lambda x, k: x[k], (ROWS, i(2, 1)), (ROWS, i(2, 7))),
    "take": (torch.take, (ROWS, i(2, 1)), (ROWS, i(2, 77))),
    "index_select": (lambda x, k: x.index_select(0, k), (ROWS, i(2, 1)), (ROWS, i(2, -1))),
    "gather": (lambda x, k: x.gather(0, k), (ROWS, i([2, 1, 0])), (ROWS, i([2, -1, 0]))),
    "scatter": (lambda x, k: x.scatter(0, k, 1.0), (ROWS, i([2, 1, 0])), (ROWS, i([2, -1, 0]))),
    "index_add": (lambda x, k: x.index_add(0, k, x[:2]), (ROWS, i(2, 1)), (ROWS, i(2, 7))),
    "index_fill": (lambda x, k: x.index_fill(0, k, 1.0), (ROWS, i(2, 1)), (ROWS, i(2, 7))),
    "index_put": (lambda x, k: x.index_put((k,), x[0]), (ROWS, i(2, 1)), (ROWS, i(2, 7))),
    "embedding": (lambda x, k: F.embedding(k, x), (ROWS, i(2, 1)), (ROWS, i(2, -1))),
    "bags": (lambda x, k: F.embedding_bag(k[None], x), (ROWS, i(2, 1)), (ROWS, i(2, 7))),
    "cross_entropy": (F.cross_entropy, (ROWS, i(2, 1, 0, 0)), (ROWS, i(2, 3, 0, 0))),
    "nll_loss": (F.nll_loss, (ROWS, i(2, 1, 0, 0)), (ROWS, i(2, -3, 0, 0))),
    "one_hot": (lambda k: F.one_hot(k, 4), (i(2, 1),), (i(2, 4),)),
    "probabilities": (F.binary_cross_entropy, (ROWS.sigmoid(), ROWS.sigmoid()), (ROWS * 2, ROWS.sigmoid())),
    "variances": (F.gaussian_nll_loss, (ROWS, ROWS, ROWS.exp()), (ROWS, ROWS, ROWS)),
    "cholesky": (torch.linalg.cholesky, (EYE * 2,), (-EYE,)),
    "inv": (torch.linalg.inv, (EYE * 2,), (EYE * 0,)),
    "multinomial": (lambda p: torch.multinomial(p, 2), (EYE + 1,), (EYE - 2,)),
    "example by example": (torch.func.vmap(lambda a, b: 5 // b + a), (i(4, 5), i(2, 1)), (i(4, 5), i(2, 0))),
    "bincount": (lambda k: torch.bincount(k, minlength=9), (i(2, 1),), (i(2, -1),)),
    "repeats": (lambda k: torch.repeat_interleave(i(1, 2), k), (i(2, 1),), (i(2, -1),)),
    "starts of bags": (lambda x, k, s: F.embedding_bag(k, x, s), (ROWS, i(2, 1), i(0, 1)), (ROWS, i(2, 1), i(1, 1))),
    "unpooled": (
        lambda x, k: F.max_unpool1d(x, k, 2),
        (torch.ones(1, 1, 2), i([[0, 2]])),
        (torch.ones(1, 1, 2), i([[0, -1]])),
    ),
    "distribution": (lambda x: torch.distributions.Normal(0.0, x).log_prob(x), (ROWS.exp(),), (ROWS,)),
}
GIVES = {
    "ignored classes": (F.cross_entropy, (ROWS, i(2, 1, 0, 0)), (ROWS, i(2, -100, 0, 0))),
    "likelihood of ignored classes": (F.nll_loss, (ROWS, i(2, 1, 0, 0)), (ROWS, i(2, -100, 0, 0))),
    "negative exponents": (lambda a, b: a**b, (i(4, 5), i(2, 1)), (i(4, 5), i(2, -1))),
    "indices from the end": (lambda x, k: x[k], (ROWS, i(2, 1)), (ROWS, i(2, -1))),
    "filled from the end": (lambda x, k: x.index_fill(0, k, 7.0), (ROWS, i(2, 1)), (ROWS, i(2, -1))),
    "taken from the end": (lambda x, k: torch.take_along_dim(x, k, 0), (ROWS, i([2, 1, 0])), (ROWS, i([2, -1, 0]))),
    "vectors of zeros": (torch.cosine_similarity, (ROWS, ROWS), (ROWS, ROWS * 0)),
    "a row that may attend to nothing": (
        attention,
        (ROWS, torch.eye(4).bool()),
        (ROWS, torch.eye(4).bool() & (ROWS[:, :1] > 0)),
    ),
    "other bags": (
        lambda x, k, s: F.embedding_bag(k, x, s),
        (ROWS, i(2, 1, 0), i(0, 1)),
        (ROWS, i(2, 1, 3), i(0, 2)),
    ),
    "variances that are lifted": (F.gaussian_nll_loss, (ROWS, ROWS, ROWS.exp()), (ROWS, ROWS, ROWS * 0)),
    "slopes of negative elements": (torch.rrelu, (ROWS.exp(),), (ROWS,)),
    "an infinity": (lambda x: torch.histc(x, 4, -1, 1), (ROWS,), (ROWS * 3,)),
}


def called(function, arguments):
    try:
        return function(*[argument.clone() for argument in arguments])
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("backend", ["walker", "eager"])
@pytest.mark.parametrize("name", [*RAISES, *GIVES])
def test_a_replay_goes_the_way_that_its_values_ask_for(name, backend):
    function, recorded, others = (RAISES | GIVES)[name]
    compiled = torch.compile(function, backend=backend, options={"timed": False})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            called(compiled, recorded)
        assert sum(variant.replays for variant in compiled.variants) == 1
    expected, found = called(function, others), called(compiled, others)
    if name in RAISES:
        assert isinstance(expected, tuple)
        assert found == expected
    else:
        torch.testing.assert_close(found, expected, equal_nan=True)
    torch.testing.assert_close(
        called(compiled, recorded), called(function, recorded)
    ) if name != "multinomial" else None


def test_classes_in_a_step_after_a_step():
    weight = torch.zeros(3, 3, requires_grad=True)
    optimizer = torch.optim.SGD([weight], lr=0.1)

    @torch.compile(options={"timed": False})
    def steps(x, classes):
        for _ in range(2):
            optimizer.zero_grad()
            loss = F.cross_entropy(x @ weight, classes)
            loss.backward()
            optimizer.step()
        return loss.detach()

    losses = [steps(ROWS, i(2, 1, 0, 0)).item() for _ in range(4)]
    assert losses == sorted(losses, reverse=True)
    assert [variant.replays for variant in steps.variants] == [3]
    before = weight.detach().clone()
    with pytest.raises(IndexError, match="Target 5 is out of bounds"):
        steps(ROWS, i(2, 5, 0, 0))
    assert torch.equal(weight, before)
    assert math.isfinite(steps(ROWS, i(2, -100, 0, 0)).item())


DRAWS = {
    "alpha dropout": lambda x: F.alpha_dropout(x, 0.2, training=True),
    "of features": lambda x: F.feature_alpha_dropout(x[None, ..., None], 0.2, training=True),
    "random slopes": lambda x: torch.rrelu(x, training=True),
    "Gumbel's noise": lambda x: F.gumbel_softmax(x.reshape(-1), hard=True),
}


@pytest.mark.parametrize("name", DRAWS)
def test_what_is_made_of_random_numbers_is_drawn_anew(name):
    """Also where the numbers drawn first are, by chance, no different from others: the masks of two elements."""
    compiled = torch.compile(DRAWS[name], options={"timed": False})
    for seed in range(24):
        x = ROWS[:1, :2] * (-1 if seed else 1) - seed
        torch.manual_seed(seed)
        expected = DRAWS[name](x)
        torch.manual_seed(seed)
        torch.testing.assert_close(compiled(x), expected)
    assert sum(variant.replays for variant in compiled.variants) == 23


@pytest.mark.parametrize("loss", [F.huber_loss, F.smooth_l1_loss])
def test_slopes_at_nan_are_nan_in_every_way(loss):
    compiled = torch.compile(loss, options={"timed": False})
    for value in (1.0, 2.0, math.nan):
        x = torch.tensor([value, 0.5], requires_grad=True)
        slopes = [
            torch.autograd.grad(f(x, torch.zeros(2)), x, create_graph=create_graph)[0]
            for f, create_graph in [(loss, False), (loss, True), (compiled, False)]
        ]
    assert all(slope.isnan().tolist() == [True, False] for slope in slopes)

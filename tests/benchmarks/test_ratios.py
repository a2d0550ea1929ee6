"""The benchmark of operators and programs: what it covers, and what it makes of times."""

import json
import re

import pytest

import rushlight
from benchmarks import ratios
from benchmarks.measure import Result
from benchmarks.operators import workloads as operators
from benchmarks.programs import SIZES, THEMES, prepared
from benchmarks.workload import Workload
from rushlight.core.interpreters import Interpreter, Within
from rushlight.ops.table import TABLE

OTHER_FORMS = {  # entries that are a form of another, or a part of it, which the table has
    "alias_copy",
    "as_strided_copy",
    "attention_by_blocks",
    "batch_norm_scaled",
    "broadcast",
    "clamp_max",
    "clamp_max_tensor",
    "clamp_min_tensor",
    "detach_copy",
    "embedding_shares",
    "euclidean_dist",
    "fill",
    "fill_tensor",
    "fill_tensor_",
    "folded",
    "grid_sampler_2d",
    "geqrf",
    "in_columns",
    "linspace",
    "lobpcg_generalized",
    "gru_sequence",
    "lstm_sequence",
    "lstm_states",
    "max_pool2d_backward",
    "minors",
    "mm_turned",
    "moved",
    "narrow_copy",
    "native_dropout",
    "native_dropout_backward",
    "nll_loss",
    "order",
    "own",
    "pairs",
    "permutation",
    "power_0",
    "reshape_alias",
    "segment_numbers",
    "solve_kept",
    "split_with_sizes_copy",
    "squeeze2",
    "stable_softplus",
    "transpose_copy",
    "unsafe_view",
    "transpose_scalar",
    "unsafe_split",
    "unsafe_split_with_sizes",
    "upsample_lanczos2daa",
    "upsample_nearestexact1d",
    "upsample_nearestexact3d",
    "sparse_mm",
    "sparse_weighted_embedding_bag",
    "view_as_complex_copy",
    "view_as_real_copy",
}
NOT_DIFFERENTIABLE = "nothing to differentiate|is not implemented|not differentiable|NotImplemented"


class Listening(Interpreter):
    """Notes the names of operators that are called."""

    def __init__(self):
        self.heard = set()

    def concerns(self, op, args):
        return True

    def call(self, op, args, below):
        self.heard.add(op.name)
        return below(op, args)


@pytest.fixture(autouse=True)
def modes_and_numbers_as_before():
    state = rushlight.get_rng_state()
    yield
    rushlight.set_rng_state(state)
    rushlight.set_grad_enabled(True)


def heard(call):
    """The operators that a call and its backward pass come to."""
    names = operators.letters(call)
    data = operators.arrays(names, 100, "float32", "contiguous")
    with Within(Listening) as listening:
        operators.forward(call, names, rushlight, *data)()
        try:
            operators.backward(call, names, rushlight, *data)()
        except (TypeError, RuntimeError, NotImplementedError) as error:
            if not re.search(NOT_DIFFERENTIABLE, str(error)):
                raise
    return listening.heard


@pytest.mark.filterwarnings("ignore")
def test_the_table_has_every_operator_and_its_calls_work():
    pytest.importorskip("ml_dtypes")  # one converts to bfloat16
    for name in dir(rushlight):  # operators of rooms that are loaded late
        getattr(rushlight, name)
    found = {op.name for op in TABLE.values()}
    for call, _ in operators.calls():
        found -= heard(call)
    assert sorted(found - OTHER_FORMS) == [], "new operators: write a call of each in benchmarks/operators/table.txt"


def test_layouts_and_rows_are_what_the_sections_say():
    kinds = dict.fromkeys(one.name.split(" | ", 1)[1] for one in operators.workloads("torch.hypot"))
    assert next(iter(kinds)) == "forward | 100 | float32 | contiguous"
    assert len(kinds) == 2 * 3 * 5
    row = next(one for one in operators.workloads("torch.hypot") if one.name.endswith("forward | 100 | float32 | row"))
    x, y = row.data()[0]
    assert (x.shape, y.shape) == ((10, 10), (1, 10))
    turned = next(one for one in operators.workloads("torch.erf(") if one.name.endswith("transposed"))
    assert turned.data()[0][0].flags.f_contiguous


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.__name__.rpartition(".")[2])
def test_programs_run(theme):
    for program, sizes in theme.PROGRAMS.items():
        assert len(sizes) == len(SIZES)
        step = prepared(program, sizes[0], rushlight, [], [])
        assert step() is not None


def result(name, ours, theirs):
    found = Result(Workload(name, {}, lambda: ([], [])))
    found.times = {"rushlight": [ours], "torch": [theirs]}
    return ratios.ratio_of(found)


def test_a_ratio_is_that_of_the_quickest_turns():
    found = result("sin | forward | 100", [2.0, 3.0], [4.0, 1.0])
    assert (found.ratio, found.low, found.high) == (2.0, 0.5, 3.0)
    assert found.kind == ("forward", "100")


def test_means_and_shares_of_all_and_of_each_kind():
    slow, fast = result("a | forward | 100", [4.0], [1.0]), result("b | backward | 100", [1.0], [4.0])
    lines = ratios.means([slow, fast]).splitlines()
    assert "| all | 2 | 1.00 | 50.0 % | 50.0 % | 50.0 % |" in lines
    assert "| backward | 1 | 0.25 | 0.0 % | 0.0 % | 0.0 % |" in lines
    assert "| 100 | 2 | 1.00 | 50.0 % | 50.0 % | 50.0 % |" in lines


def test_several_runs_are_the_middle_one_with_the_spread_of_all():
    runs = [[ratios.Ratio("a", r, r - 0.1, r + 0.1, r, 1.0)] for r in (0.9, 0.5, 0.7)]
    (found,) = ratios.merged(runs)
    assert (found.ratio, found.ours) == (0.7, 0.7)
    assert (found.low, found.high) == pytest.approx((0.4, 1.0))


def test_slower_is_what_no_round_brings_under_the_highest_committed_ratio():
    found = result("a | forward | 100", [4.0, 5.0], [1.0, 1.0])
    assert ratios.slower([found], {"a | forward | 100": [0.9, 1.0, 1.1]}) == [found]
    assert ratios.slower([found], {"a | forward | 100": [0.9, 1.0, 4.0]}) == []
    assert ratios.slower([found], {}) == []
    assert json.loads(ratios.as_json([found])) == {"a | forward | 100": [4.0, 4.0, 5.0]}


@pytest.mark.parametrize(("highest", "status"), [(0.9, 1), (9.0, 0)])
def test_check_measures_what_looks_slower_again(monkeypatch, tmp_path, capsys, highest, status):
    rounds = []

    def measured(workloads, chosen, number):
        rounds.append((number, [one.name for one in workloads]))
        return [result(one.name, [2.0], [1.0]) for one in workloads], []

    (tmp_path / "operators.json").write_text(
        json.dumps({"torch.erf(x) | forward | 100 | float32 | contiguous": [0.1, 0.5, highest]})
    )
    monkeypatch.setattr(ratios, "COMMITTED", tmp_path)
    monkeypatch.setattr(ratios, "measured", measured)
    assert ratios.main(["operators", "--check"]) == status
    again = [name for _, names in rounds for name in names]
    assert again == ["torch.erf(x) | forward | 100 | float32 | contiguous"] * (1 + 3 * status)
    assert ("torch.erf" in capsys.readouterr().out) == bool(status)


@pytest.mark.parametrize(
    ("ours", "theirs", "behind", "enough"),
    [
        ([0.002], [0.001], False, False),  # slower than PyTorch: looked at again
        ([0.001], [0.0011], False, False),
        ([0.004, 0.001], [0.003, 0.0021], False, True),  # clearly quicker, by the quickest turns
        ([0.001], [0.01], False, True),
        ([0.5], [0.4], False, True),  # long
        ([0.002], [0.001], True, True),  # the run is behind its time
        ([1e-6], [2e-2], True, False),  # PyTorch's threads may have waited
    ],
)
def test_rounds_are_for_what_is_near_the_bounds(ours, theirs, behind, enough):
    assert ratios.sparing(behind)({"rushlight": ours, "torch": theirs}) is enough


def test_one_library_alone_is_not_timed_again():
    assert ratios.sparing(False)({"torch": [1e-6]})


def test_what_follows_the_time_is_timed_once(monkeypatch):
    clock = iter([0.0, 10.0, 100.0, 130.0])  # the start, then before each of three workloads: a minute each
    monkeypatch.setattr(ratios.time, "monotonic", lambda: next(clock))
    rounds = []

    class Two:
        def __init__(self, *_):
            pass

        __enter__, __exit__ = (lambda self: self), (lambda self, *_: None)

        def run(self, result, rounds_at_most, least, clock, enough, parts):
            rounds.append(0)
            result.times = {"rushlight": [[]], "torch": [[]]}
            for _ in range(rounds_at_most):
                rounds[-1] += 1
                for times in result.times.values():
                    times[0].append(0.001)
                if enough({name: times[0] for name, times in result.times.items()}):
                    return

    monkeypatch.setattr(ratios, "Team", Two)
    chosen = ratios.options(["operators", "--minutes", "3"])
    ratios.measured([Workload(name, {}, lambda: ([], [])) for name in "abc"], chosen, 5)
    assert rounds == [5, 5, 5]
    clock = iter([0.0, 10.0, 130.0, 130.0])
    rounds.clear()
    ratios.measured([Workload(name, {}, lambda: ([], [])) for name in "abc"], chosen, 5)
    assert rounds == [5, 1, 5]


def test_check_needs_committed_ratios(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(ratios, "COMMITTED", tmp_path)
    assert ratios.main(["programs", "--check", "--busy"]) == 1
    assert "programs-busy.json is not there: write it with --commit first" in capsys.readouterr().out


def test_a_kind_that_there_is_not_is_refused(capsys):
    with pytest.raises(SystemExit):
        ratios.main(["operaters"])
    assert "the kinds are operators and programs" in capsys.readouterr().err

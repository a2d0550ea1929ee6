"""SciPy's solvers, scikit-learn and pandas, called with tensors and with functions of tensors, as with arrays."""

import numpy as np
import pytest

import rushlight as torch

ROTATION = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], dtype=torch.float64)
START = torch.tensor([1.0, 0.0], dtype=torch.float64)
GOAL = torch.tensor([1.0, 2.0], dtype=torch.float64)


def numbers():
    """Sixty points, a class for each, and a value."""
    torch.manual_seed(0)
    x = torch.randn(60, 3, dtype=torch.float64)
    return x, (2 * x[:, 0] - x[:, 1] > 0).int(), x @ torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)


@pytest.mark.parametrize("method", ["RK45", "RK23", "DOP853", "Radau", "BDF", "LSODA"])
def test_differential_equations(method):
    integrate = pytest.importorskip("scipy.integrate")
    times = torch.linspace(0, 1, 5, dtype=torch.float64)
    found = integrate.solve_ivp(
        lambda t, u: ROTATION @ torch.as_tensor(u), (0, 1), START.clone(), method, times, rtol=1e-6, atol=1e-8
    )
    np.testing.assert_allclose(found.y[0], torch.cos(times), rtol=1e-4)
    found = integrate.odeint(lambda u, t: ROTATION @ torch.as_tensor(u), START.clone(), times)  # which writes to it
    np.testing.assert_allclose(found[:, 0], torch.cos(times), rtol=1e-6)


def test_integrals():
    integrate = pytest.importorskip("scipy.integrate")
    assert integrate.quad(lambda x: torch.exp(torch.tensor(x)), 0, torch.tensor(1.0))[0] == pytest.approx(np.e - 1)
    found = integrate.quad_vec(lambda x: torch.tensor([x, x * x], dtype=torch.float64), 0, 1)[0]
    np.testing.assert_allclose(found, [1 / 2, 1 / 3])
    assert integrate.fixed_quad(lambda x: torch.as_tensor(x) ** 2, 0, 1)[0] == pytest.approx(1 / 3)
    assert integrate.simpson(torch.arange(5.0) ** 2, x=torch.arange(5.0)) == pytest.approx(64 / 3)


def test_fits():
    optimize = pytest.importorskip("scipy.optimize")
    x = torch.linspace(0, 1, 20, dtype=torch.float64)
    model = lambda x, a, b: a * torch.exp(b * torch.as_tensor(x))
    for options in ({}, {"p0": START, "sigma": torch.ones(20), "bounds": (-3 * GOAL, 3 * GOAL)}):
        np.testing.assert_allclose(optimize.curve_fit(model, x, 2 * torch.exp(-x), **options)[0], [2, -1], rtol=1e-6)
    found = optimize.least_squares(lambda v: torch.as_tensor(v) - GOAL, torch.zeros(2, dtype=torch.float64))
    np.testing.assert_allclose(found.x, GOAL)


@pytest.mark.parametrize("method", ["BFGS", "L-BFGS-B", "CG", "TNC", "SLSQP", "Newton-CG", "Nelder-Mead", "Powell"])
def test_minima(method):
    optimize = pytest.importorskip("scipy.optimize")

    def loss(values):
        values = torch.tensor(values, requires_grad=True)
        result = ((values - GOAL) ** 2).sum()
        result.backward()
        return result.detach(), values.grad

    gradient = None if method in ("Nelder-Mead", "Powell") else lambda values: loss(values)[1]
    found = optimize.minimize(lambda values: loss(values)[0], torch.zeros(2).double(), jac=gradient, method=method)
    np.testing.assert_allclose(found.x, GOAL, atol=1e-3)
    if gradient is not None:
        both = optimize.minimize(loss, torch.zeros(2).double(), jac=True, method=method)
        np.testing.assert_allclose(both.x, GOAL, atol=1e-3)


def test_roots():
    optimize = pytest.importorskip("scipy.optimize")
    square = lambda v: torch.as_tensor(v) ** 2 - GOAL**2
    for method in ("hybr", "lm", "broyden1", "krylov"):
        found = optimize.root(square, GOAL + 0.2, method=method)
        np.testing.assert_allclose(found.x, GOAL, atol=1e-4)
    np.testing.assert_allclose(optimize.fsolve(square, GOAL + 0.2), GOAL)
    assert optimize.brentq(lambda v: torch.tensor(v) ** 2 - 2, 0, 2) == pytest.approx(2**0.5)


def test_scalers_and_models():
    pytest.importorskip("sklearn")
    from sklearn import base, cluster, decomposition, ensemble, linear_model, neighbors, preprocessing, svm

    x, kind, value = numbers()
    scalers = [
        *(preprocessing.StandardScaler(), preprocessing.MinMaxScaler(), preprocessing.RobustScaler()),
        *(preprocessing.PowerTransformer(), preprocessing.PolynomialFeatures(), decomposition.PCA(2)),
    ]
    for scaler in scalers:
        expected = base.clone(scaler).fit_transform(x.numpy())
        np.testing.assert_allclose(scaler.fit_transform(x), expected, rtol=1e-6)
    models = [
        *((linear_model.Ridge(), value), (svm.SVR(), value), (neighbors.KNeighborsRegressor(), value)),
        *((linear_model.LogisticRegression(), kind), (ensemble.RandomForestClassifier(5, random_state=0), kind)),
    ]
    for model, target in models:
        expected = base.clone(model).fit(x.numpy(), target.numpy())
        np.testing.assert_allclose(model.fit(x, target).predict(x), expected.predict(x.numpy()), rtol=1e-6)
        assert model.score(x, target) == pytest.approx(expected.score(x.numpy(), target.numpy()))
    assert len(cluster.KMeans(2, n_init=1, random_state=0).fit(x).predict(x)) == 60


def test_metrics():
    metrics = pytest.importorskip("sklearn.metrics")
    x, kind, value = numbers()
    share = torch.sigmoid(x[:, 0])
    guess = (share > 0.5).int()
    asked = {
        metrics.accuracy_score: (kind, guess),
        metrics.f1_score: (kind, guess),
        metrics.confusion_matrix: (kind, guess),
        metrics.roc_auc_score: (kind, share),
        metrics.log_loss: (kind, share),
        metrics.mean_squared_error: (value, x[:, 0]),
        metrics.r2_score: (value, x[:, 0]),
        metrics.pairwise_distances: (x,),
        metrics.silhouette_score: (x, kind),
    }
    for metric, given in asked.items():
        np.testing.assert_allclose(metric(*given), metric(*[g.numpy() for g in given]), rtol=1e-9)


def test_columns():
    pandas = pytest.importorskip("pandas")
    x, kind, value = numbers()
    frame = pandas.DataFrame(x, columns=list("abc")).assign(kind=kind)
    frame["value"] = value
    assert (frame.dtypes["a"], frame.dtypes["kind"]) == (np.float64, np.int32)
    for make in (torch.tensor, torch.as_tensor):
        assert torch.equal(make(frame[["a", "b", "c"]].values), x)
        assert torch.equal(make(frame["value"]), value)
    assert torch.equal(torch.from_numpy(frame["kind"].to_numpy()), kind)
    np.testing.assert_allclose(frame["a"] + x[:, 0], 2 * x[:, 0])
    np.testing.assert_allclose(frame.iloc[torch.tensor([0, 3])][["a", "b", "c"]], x[[0, 3]])
    assert (pandas.Series(value) == value).all()
    data = torch.utils.data.TensorDataset(torch.tensor(frame[["a", "b", "c"]].values), torch.tensor(frame["value"]))
    assert next(iter(torch.utils.data.DataLoader(data, 4)))[0].shape == (4, 3)

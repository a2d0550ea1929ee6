"""The second document: the fundamentals of autograd.

Every code block in the document's order, with its printed output. Where the document's numbers are random, they are the
ones that PyTorch prints after `manual_seed(0)`.
"""

import math

import pytest

SINE = """\
tensor([ 0.0000e+00,  2.5882e-01,  5.0000e-01,  7.0711e-01,  8.6603e-01,
         9.6593e-01,  1.0000e+00,  9.6593e-01,  8.6603e-01,  7.0711e-01,
         5.0000e-01,  2.5882e-01, -8.7423e-08, -2.5882e-01, -5.0000e-01,
        -7.0711e-01, -8.6603e-01, -9.6593e-01, -1.0000e+00, -9.6593e-01,
        -8.6603e-01, -7.0711e-01, -5.0000e-01, -2.5882e-01,  1.7485e-07],
       grad_fn=<SinBackward0>)"""

TWICE = """\
tensor([ 0.0000e+00,  5.1764e-01,  1.0000e+00,  1.4142e+00,  1.7321e+00,
         1.9319e+00,  2.0000e+00,  1.9319e+00,  1.7321e+00,  1.4142e+00,
         1.0000e+00,  5.1764e-01, -1.7485e-07, -5.1764e-01, -1.0000e+00,
        -1.4142e+00, -1.7321e+00, -1.9319e+00, -2.0000e+00, -1.9319e+00,
        -1.7321e+00, -1.4142e+00, -1.0000e+00, -5.1764e-01,  3.4969e-07],
       grad_fn=<MulBackward0>)"""

PLUS_ONE = """\
tensor([ 1.0000e+00,  1.5176e+00,  2.0000e+00,  2.4142e+00,  2.7321e+00,
         2.9319e+00,  3.0000e+00,  2.9319e+00,  2.7321e+00,  2.4142e+00,
         2.0000e+00,  1.5176e+00,  1.0000e+00,  4.8236e-01, -3.5763e-07,
        -4.1421e-01, -7.3205e-01, -9.3185e-01, -1.0000e+00, -9.3185e-01,
        -7.3205e-01, -4.1421e-01,  4.7684e-07,  4.8236e-01,  1.0000e+00],
       grad_fn=<AddBackward0>)"""

GRADIENT = """\
tensor([ 2.0000e+00,  1.9319e+00,  1.7321e+00,  1.4142e+00,  1.0000e+00,
         5.1764e-01, -8.7423e-08, -5.1764e-01, -1.0000e+00, -1.4142e+00,
        -1.7321e+00, -1.9319e+00, -2.0000e+00, -1.9319e+00, -1.7321e+00,
        -1.4142e+00, -1.0000e+00, -5.1764e-01,  2.3850e-08,  5.1764e-01,
         1.0000e+00,  1.4142e+00,  1.7321e+00,  1.9319e+00,  2.0000e+00])"""


def sine_example(torch):
    a = torch.linspace(0.0, 2.0 * math.pi, steps=25, requires_grad=True)
    b = torch.sin(a)
    c = 2 * b
    d = c + 1
    return a, b, c, d, d.sum()


def test_simple_example_prints(torch):
    _, b, c, d, out = sine_example(torch)
    assert repr(b) == SINE
    assert repr(c) == TWICE
    assert repr(d) == PLUS_ONE
    assert repr(out) == "tensor(25., grad_fn=<SumBackward0>)"


def test_grad_fn_leads_back_to_the_input(torch):
    a, b, c, d, _ = sine_example(torch)
    assert d.grad_fn.name() == "AddBackward0"
    assert [(n and n.name(), i) for n, i in d.grad_fn.next_functions] == [("MulBackward0", 0), (None, 0)]
    mul = d.grad_fn.next_functions[0][0]
    assert [(n and n.name(), i) for n, i in mul.next_functions] == [("SinBackward0", 0), (None, 0)]
    ((accumulate, number),) = mul.next_functions[0][0].next_functions
    assert "AccumulateGrad" in accumulate.name()
    assert number == 0
    assert accumulate.next_functions == ()
    assert c.grad_fn is mul
    assert b.grad_fn is mul.next_functions[0][0]
    assert a.grad_fn is None


def test_backward_fills_grad_of_the_leaf_only(torch):
    a, _, c, _, out = sine_example(torch)
    out.backward()
    assert repr(a.grad) == GRADIENT
    with pytest.warns(UserWarning, match="not a leaf Tensor"):
        assert c.grad is None


def test_plots_take_detached_tensors_and_refuse_others(torch):
    plt = pytest.importorskip("matplotlib.pyplot")
    a, b, *_ = sine_example(torch)
    (line,) = plt.plot(a.detach(), b.detach())
    assert line.get_ydata().tolist() == b.tolist()
    with pytest.raises(RuntimeError, match=r"Can't call numpy\(\) on Tensor that requires grad"):
        plt.plot(a, b)
    plt.close("all")


def tiny_model(torch):
    torch.manual_seed(0)

    class TinyModel(torch.nn.Module):
        def __init__(self):
            super(TinyModel, self).__init__()  # noqa: UP008 (as the document has it)
            self.layer1 = torch.nn.Linear(1000, 100)
            self.relu = torch.nn.ReLU()
            self.layer2 = torch.nn.Linear(100, 10)

        def forward(self, x):
            x = self.layer1(x)
            x = self.relu(x)
            return self.layer2(x)

    some_input = torch.randn(16, 1000, requires_grad=False)
    ideal_output = torch.randn(16, 10, requires_grad=False)
    return TinyModel(), some_input, ideal_output


def test_training_changes_weights_only_by_the_optimizer(torch):
    model, some_input, ideal_output = tiny_model(torch)
    before = """\
tensor([ 0.0317,  0.0891,  0.0169,  0.0963,  0.0961,  0.0311,  0.0272, -0.0977,
         0.0565,  0.0098], grad_fn=<SliceBackward0>)"""
    gradient = """\
tensor([ 6.4291, 13.2475,  8.2830,  6.9822,  0.0371,  2.7438,  5.5596,  0.1757,
         4.0541,  1.0453])"""
    assert repr(model.layer2.weight[0][0:10]) == before
    assert model.layer2.weight.grad is None
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    loss = (ideal_output - model(some_input)).pow(2).sum()
    assert repr(loss) == "tensor(157.5293, grad_fn=<SumBackward0>)"
    loss.backward()
    assert repr(model.layer2.weight[0][0:10]) == before
    assert repr(model.layer2.weight.grad[0][0:10]) == gradient
    optimizer.step()
    assert (
        repr(model.layer2.weight[0][0:10])
        == """\
tensor([ 0.0253,  0.0758,  0.0087,  0.0893,  0.0961,  0.0284,  0.0216, -0.0979,
         0.0525,  0.0087], grad_fn=<SliceBackward0>)"""
    )
    assert repr(model.layer2.weight.grad[0][0:10]) == gradient


def test_gradients_accumulate_until_they_are_zeroed(torch):
    model, some_input, ideal_output = tiny_model(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.001)
    (ideal_output - model(some_input)).pow(2).sum().backward()
    optimizer.step()
    for _ in range(5):
        prediction = model(some_input)
        loss = (ideal_output - prediction).pow(2).sum()
        loss.backward()
    assert (
        repr(model.layer2.weight.grad[0][0:10])
        == """\
tensor([23.3107, 35.7144, 30.3759, 20.5680, -5.6830, 13.7755, 18.3768, 11.4897,
        14.8639, -2.4794])"""
    )
    optimizer.zero_grad(set_to_none=False)
    assert repr(model.layer2.weight.grad[0][0:10]) == "tensor([0., 0., 0., 0., 0., 0., 0., 0., 0., 0.])"


def test_autograd_off_by_the_flag(torch):
    a = torch.ones(2, 3, requires_grad=True)
    assert repr(a) == "tensor([[1., 1., 1.],\n        [1., 1., 1.]], requires_grad=True)"
    b1 = 2 * a
    assert repr(b1) == "tensor([[2., 2., 2.],\n        [2., 2., 2.]], grad_fn=<MulBackward0>)"
    a.requires_grad = False
    b2 = 2 * a
    assert repr(b2) == "tensor([[2., 2., 2.],\n        [2., 2., 2.]])"


FIVE = "tensor([[5., 5., 5.],\n        [5., 5., 5.]]{})"


def test_autograd_off_by_a_context(torch):
    a = torch.ones(2, 3, requires_grad=True) * 2
    b = torch.ones(2, 3, requires_grad=True) * 3
    assert repr(a + b) == FIVE.format(", grad_fn=<AddBackward0>")
    with torch.no_grad():
        c2 = a + b
    assert repr(c2) == FIVE.format("")
    assert repr(a * b) == "tensor([[6., 6., 6.],\n        [6., 6., 6.]], grad_fn=<MulBackward0>)"


def test_autograd_off_by_a_decorator(torch):
    def add_tensors1(x, y):
        return x + y

    @torch.no_grad()
    def add_tensors2(x, y):
        return x + y

    a = torch.ones(2, 3, requires_grad=True) * 2
    b = torch.ones(2, 3, requires_grad=True) * 3
    assert repr(add_tensors1(a, b)) == FIVE.format(", grad_fn=<AddBackward0>")
    assert repr(add_tensors2(a, b)) == FIVE.format("")


def test_detach(torch):
    torch.manual_seed(0)
    x = torch.rand(5, requires_grad=True)
    y = x.detach()
    assert repr(x) == "tensor([0.4963, 0.7682, 0.0885, 0.1320, 0.3074], requires_grad=True)"
    assert repr(y) == "tensor([0.4963, 0.7682, 0.0885, 0.1320, 0.3074])"


def test_in_place_on_a_leaf_is_an_error(torch):
    a = torch.linspace(0.0, 2.0 * math.pi, steps=25, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        torch.sin_(a)


def test_profiler(torch):
    device = torch.device("cpu")
    run_on_gpu = False
    if torch.cuda.is_available():
        device = torch.device("cuda")
        run_on_gpu = True
    assert device.type == ("cuda" if run_on_gpu else "cpu")

    x = torch.randn(2, 3, requires_grad=True)
    y = torch.rand(2, 3, requires_grad=True)
    z = torch.ones(2, 3, requires_grad=True)

    with torch.autograd.profiler.profile(use_cuda=run_on_gpu) as prf:
        for _ in range(1000):
            z = (z / x) * y

    rule, heads, _, *rows, _, total = prf.key_averages().table(sort_by="self_cpu_time_total").splitlines()
    assert set(rule) == {"-", " "}
    columns = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls"]
    assert [head.strip() for head in heads.split("  ") if head] == columns
    cells = [row.split() for row in rows]
    assert {name: calls for name, *_, calls in cells} == {"aten::div": "1000", "aten::mul": "1000"}
    assert sum(float(row[1].rstrip("%")) for row in cells) == pytest.approx(100, abs=0.02)
    assert float(cells[0][1].rstrip("%")) >= float(cells[1][1].rstrip("%"))
    assert total.startswith("Self CPU time total: ")


def test_backward_takes_a_vector(torch):
    torch.manual_seed(0)
    x = torch.randn(3, requires_grad=True)
    y = x * 2
    while y.data.norm() < 1000:
        y = y * 2
    assert repr(y) == "tensor([  788.9900,  -150.2356, -1115.5402], grad_fn=<MulBackward0>)"
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        y.backward()
    v = torch.tensor([0.1, 1.0, 0.0001], dtype=torch.float)  # stand-in for gradients
    y.backward(v)
    assert repr(x.grad) == "tensor([5.1200e+01, 5.1200e+02, 5.1200e-02])"


def exp_adder(x, y):
    return 2 * x.exp() + 3 * y


def test_jacobian_of_single_elements(torch):
    torch.manual_seed(0)
    inputs = (torch.rand(1), torch.rand(1))
    assert repr(inputs) == "(tensor([0.4963]), tensor([0.7682]))"
    jacobian = torch.autograd.functional.jacobian(exp_adder, inputs)
    assert repr(jacobian) == "(tensor([[3.2851]]), tensor([[3.]]))"


def test_jacobian_of_vectors(torch):
    inputs = (torch.tensor([0.2080, 0.2604, 0.4415]), torch.tensor([0.5220, 0.9867, 0.4288]))
    assert (
        repr(torch.autograd.functional.jacobian(exp_adder, inputs))
        == """\
(tensor([[2.4624, 0.0000, 0.0000],
        [0.0000, 2.5949, 0.0000],
        [0.0000, 0.0000, 3.1101]]), tensor([[3., 0., 0.],
        [0., 3., 0.],
        [0., 0., 3.]]))"""
    )


def test_vector_jacobian_product(torch):
    def do_some_doubling(x):
        y = x * 2
        while y.data.norm() < 1000:
            y = y * 2
        return y

    torch.manual_seed(0)
    inputs = torch.randn(3)
    my_gradients = torch.tensor([0.1, 1.0, 0.0001])
    outputs, product = torch.autograd.functional.vjp(do_some_doubling, inputs, v=my_gradients)
    assert repr(outputs) == "tensor([  788.9900,  -150.2356, -1115.5402])"
    assert repr(product) == "tensor([5.1200e+01, 5.1200e+02, 5.1200e-02])"


def test_the_other_products(torch):
    functional = torch.autograd.functional
    x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 10.0])
    assert functional.jvp(lambda x: x**2, x, v)[1].tolist() == [2, 40]
    assert functional.hvp(lambda x: (x**3).sum(), x, v)[1].tolist() == [6, 120]
    assert functional.vhp(lambda x: (x**3).sum(), x, v)[1].tolist() == [6, 120]
    assert functional.hessian(lambda x: (x**3).sum(), x).tolist() == [[6, 0], [0, 12]]

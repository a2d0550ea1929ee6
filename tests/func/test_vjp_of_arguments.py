"""vjp of functions that return their arguments themselves."""


def test_an_output_that_is_an_argument(torch):
    x, y = torch.tensor(2.0), torch.tensor(5.0)
    (product,) = torch.func.vjp(lambda x: (x * 2, x), x)[1]((torch.tensor(1.0), torch.tensor(10.0)))
    assert product.item() == 12.0
    assert torch.func.vjp(lambda x: x, x)[1](torch.tensor(3.0))[0].item() == 3.0
    exchanged = torch.func.vjp(lambda x, y: (y, x), x, y)[1]((torch.tensor(3.0), torch.tensor(4.0)))
    assert [g.item() for g in exchanged] == [4.0, 3.0]

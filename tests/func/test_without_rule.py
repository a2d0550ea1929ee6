"""Operators without a batching rule inside `vmap`: computed example by example, with a warning that names them."""

import numpy as np
import pytest


def test_a_warning_names_the_operator(torch):
    x = torch.tensor([[0.0, 1.0, 2.0], [1.0, 1.0, 2.0]])
    with pytest.warns(
        UserWarning, match="performance drop because we have not yet implemented the batching rule for aten::"
    ):
        counts = torch.vmap(lambda x: torch.histc(x, bins=2, min=0, max=2))(x)
    np.testing.assert_array_equal(counts.numpy(), [[1, 2], [0, 3]])

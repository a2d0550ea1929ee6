"""Arguments of functions that take few combinations, which trying out does not find."""

import numpy as np
import torch

M = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
THREE, V = torch.tensor([0, 1, 2]), torch.tensor([0.5, 2.0])
IMAGE = torch.arange(16.0).reshape(1, 1, 4, 4) / 16
CELL = {"hx": [M, M], "w_ih": M.repeat(4, 1), "w_hh": M.repeat(4, 1)}
LAYER = {"params": [M, M, V, V], "has_biases": True, "num_layers": 1, "dropout": 0.0}
RUN = {**LAYER, "input": M[None], "train": False, "bidirectional": False, "batch_first": True}
PACKED = {**LAYER, "data": M, "batch_sizes": torch.tensor([1, 1]), "train": False, "bidirectional": False}
LSTM = {"hx": [M[None, :1]] * 2, "params": [M.repeat(4, 1), M.repeat(4, 1), V.repeat(4), V.repeat(4)]}
ROW = {"hx": M[None, :1]}
COMPRESSED = {"size": [2, 2], "values": V}
LOSS = {"log_probs": IMAGE[0].transpose(0, 1).log_softmax(-1), "targets": torch.tensor([[1, 2]])}

GIVEN = {
    "affine_grid_generator": [{"theta": torch.ones(1, 2, 3), "size": [1, 1, 2, 2], "align_corners": False}],
    "nn.functional.affine_grid": [{"theta": torch.ones(1, 2, 3), "size": [1, 1, 2, 2]}],
    "clip": [{"input": M, "min": 1.5}, {"input": M, "min": M}, {"self": M, "min": 1.5}, {"self": M, "min": M}],
    "clip_": [{"input": M, "min": 1.5}, {"input": M, "min": M}, {"self": M, "min": 1.5}, {"self": M, "min": M}],
    "conv_transpose1d": [{"input": IMAGE[0], "weight": torch.ones(1, 1, 2)}],
    "ctc_loss": [
        {**LOSS, "input_lengths": lengths([4]), "target_lengths": lengths([2])} for lengths in (list, torch.tensor)
    ],
    "embedding_bag": [
        {
            "weight": M,
            "indices": THREE % 2,
            "offsets": torch.tensor([0, 2]),
            "scale_grad_by_freq": False,
            "mode": 0,
            "sparse": False,
            "per_sample_weights": None,
            "include_last_offset": False,
            "padding_idx": 1,
        }
    ],
    "frombuffer": [{"buffer": bytearray(np.arange(4.0)), "dtype": torch.float64}],
    "istft": [{"input": torch.ones(3, 5, dtype=torch.complex64), "n_fft": 4, "window": torch.ones(4)}],
    "lstm": [{**RUN, **LSTM}, {**PACKED, **LSTM}],
    "lstm_cell": [{"input": M, **CELL}],
    "rnn_relu": [{**RUN, **ROW}, {**PACKED, **ROW}],
    "rnn_tanh": [{**RUN, **ROW}, {**PACKED, **ROW}],
    "segment_reduce": [{"data": V, "reduce": "sum", "lengths": torch.tensor([1, 1])}],
    "sparse_csr_tensor": [{"crow_indices": THREE, "col_indices": THREE[:2], **COMPRESSED}],
    "sparse_csc_tensor": [{"ccol_indices": THREE, "row_indices": THREE[:2], **COMPRESSED}],
    "sparse_compressed_tensor": [
        {"compressed_indices": THREE, "plain_indices": THREE[:2], **COMPRESSED, "layout": torch.sparse_csr}
    ],
    "sparse_coo_tensor": [{"indices": torch.stack([THREE[:2], THREE[:2]]), **COMPRESSED}],
    "where": [{"condition": M > 1.5}],
    "nn.functional.fold": [{"input": torch.ones(1, 4, 9), "output_size": [4, 4], "kernel_size": [2, 2]}],
    "nn.functional.lp_pool1d": [{"input": IMAGE[0], "norm_type": 2.0, "kernel_size": 2}],
    "instance_norm": [
        {
            "input": M[None],
            "weight": V,
            "bias": V,
            "running_mean": V,
            "running_var": V,
            "use_input_stats": True,
            "momentum": 0.5,
            "eps": 1e-5,
            "cudnn_enabled": False,
        }
    ],
}
"""For a function's name, arguments for some of its overloads, by name."""

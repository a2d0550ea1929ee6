"""A tiny GPT-2: its loss, gradients, and generated tokens."""

import torch
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
config = GPT2Config(vocab_size=50, n_positions=32, n_embd=16, n_layer=2, n_head=2, bos_token_id=0, eos_token_id=0)
model = GPT2LMHeadModel(config).eval()
words = torch.tensor([[3, 7, 1, 12, 9]])
found = model(words, labels=words)
found.loss.backward()
print(found.loss.item(), found.logits.norm().item(), model.transformer.wte.weight.grad.norm().item())
print(*model.generate(words, max_new_tokens=6, do_sample=False, pad_token_id=0)[0].tolist())

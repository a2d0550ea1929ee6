"""A tiny BERT: classification of sentences, and gradients."""

import torch
from transformers import BertConfig, BertForSequenceClassification

torch.manual_seed(0)
model = BertForSequenceClassification(
    BertConfig(
        vocab_size=50,
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=32,
        num_labels=3,
    )
).eval()
words, mask = torch.tensor([[3, 7, 1, 0], [5, 2, 9, 4]]), torch.tensor([[1, 1, 1, 0], [1, 1, 1, 1]])
found = model(words, attention_mask=mask, labels=torch.tensor([0, 2]))
found.loss.backward()
print(
    found.loss.item(), *found.logits.flatten().tolist(), model.bert.embeddings.word_embeddings.weight.grad.norm().item()
)

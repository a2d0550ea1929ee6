"""A small transformer that learns to continue a text, letter by letter."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BLOCK, WIDTH, HEADS = 16, 32, 4
TEXT = "To be, or not to be, that is the question: whether 'tis nobler in the mind to suffer. " * 8


class SelfAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH, bias=False)
        self.projection = nn.Linear(WIDTH, WIDTH)
        self.dropout = nn.Dropout(0.1)
        self.register_buffer("mask", torch.tril(torch.ones(BLOCK, BLOCK)))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        batch, time, width = x.shape
        q, k, v = (y.view(batch, time, HEADS, -1).transpose(1, 2) for y in self.qkv(x).chunk(3, dim=-1))
        weights = torch.einsum("bhid,bhjd->bhij", q, k) * q.size(-1) ** -0.5
        weights = weights.masked_fill(self.mask[:time, :time] == 0, float("-inf"))
        y = self.dropout(F.softmax(weights, dim=-1)) @ v
        return self.projection(y.transpose(1, 2).contiguous().view(batch, time, width))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = SelfAttention()
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(), nn.Linear(4 * WIDTH, WIDTH), nn.Dropout(0.1))
        self.norms = nn.ModuleList([nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)])

    def forward(self, x):
        x = x + self.attention(self.norms[0](x))
        return x + self.mlp(self.norms[1](x))


class GPT(nn.Module):
    def __init__(self, letters):
        super().__init__()
        self.tokens = nn.Embedding(letters, WIDTH)
        self.positions = nn.Embedding(BLOCK, WIDTH)
        self.blocks = nn.Sequential(*[Block() for _ in range(2)])
        self.norm = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, letters, bias=False)
        self.apply(self.initialise)

    def initialise(self, module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, index, targets=None):
        x = self.tokens(index) + self.positions(torch.arange(index.shape[1], device=index.device))
        logits = self.head(self.norm(self.blocks(x)))
        loss = None if targets is None else F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))
        return logits, loss

    @torch.no_grad()
    def generate(self, index, count):
        for _ in range(count):
            logits, _ = self(index[:, -BLOCK:])
            best = logits[:, -1].topk(3).values[:, -1:]
            probs = F.softmax(logits[:, -1].masked_fill(logits[:, -1] < best, -torch.inf), dim=-1)
            index = torch.cat([index, torch.multinomial(probs, num_samples=1)], dim=1)
        return index


torch.manual_seed(1337)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
letters = sorted(set(TEXT))
data = torch.tensor([letters.index(letter) for letter in TEXT], dtype=torch.long)
model = GPT(len(letters)).to(device)
print(model)
print(sum(p.numel() for p in model.parameters()), "parameters", data.shape, data.dtype)
decayed = [p for p in model.parameters() if p.dim() >= 2]
others = [p for p in model.parameters() if p.dim() < 2]
groups = [{"params": decayed, "weight_decay": 0.1}, {"params": others, "weight_decay": 0.0}]
optimizer = torch.optim.AdamW(groups, lr=3e-3, betas=(0.9, 0.95))
print(optimizer)
schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=40, eta_min=3e-4)
for step in range(41):
    starts = torch.randint(len(data) - BLOCK, (8,))
    x = torch.stack([data[i : i + BLOCK] for i in starts]).to(device)
    y = torch.stack([data[i + 1 : i + BLOCK + 1] for i in starts]).to(device)
    _, loss = model(x, y)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    if step % 10 == 0:
        print(f"step {step}: loss {loss.item():.3f}, norm {norm:.2f}, lr {schedule.get_last_lr()[0]:.5f}")
model.eval()
print(model.generate(torch.zeros((1, 1), dtype=torch.long), 20).shape)

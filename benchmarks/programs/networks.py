"""Networks that classify or generate images."""


def training(torch, model, loss_of):
    """A training step of a model."""
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

    def step():
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        optimizer.step()
        return loss

    return step


def small_images(torch, n):
    """A training step of a classifier of n images of digits."""
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(400, 10),
    )
    x, y = torch.randn(n, 1, 28, 28), torch.randint(0, 10, (n,))
    return training(torch, model, lambda: nn.functional.cross_entropy(model(x), y))


def residual_blocks(torch, n):
    """A training step of two residual blocks with batch normalization for n images."""
    nn = torch.nn

    def block():
        return nn.Sequential(
            nn.Conv2d(16, 16, 3, padding=1),
            nn.BatchNorm2d(16),
            nn.ReLU(),
            nn.Conv2d(16, 16, 3, padding=1),
            nn.BatchNorm2d(16),
        )

    parts = nn.ModuleList([nn.Conv2d(3, 16, 3, padding=1), block(), block(), nn.Linear(16, 10)])
    x, y = torch.randn(n, 3, 16, 16), torch.randint(0, 10, (n,))

    def loss():
        h = parts[0](x)
        for one in parts[1:3]:
            h = torch.relu(h + one(h))
        return nn.functional.cross_entropy(parts[3](h.mean((2, 3))), y)

    return training(torch, parts, loss)


def u_net(torch, n):
    """A training step of a U-Net of two levels for one image of side n."""
    nn = torch.nn
    down, middle = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 16, 3, padding=1)
    up, out = nn.ConvTranspose2d(16, 8, 2, stride=2), nn.Conv2d(16, 1, 3, padding=1)
    model = nn.ModuleList([down, middle, up, out])
    x, y = torch.randn(1, 3, n, n), (torch.rand(1, 1, n, n) > 0.5).float()

    def loss():
        a = torch.relu(down(x))
        b = torch.relu(middle(nn.functional.max_pool2d(a, 2)))
        return nn.functional.binary_cross_entropy_with_logits(out(torch.cat((a, up(b)), 1)), y)

    return training(torch, model, loss)


def variational_autoencoder(torch, n):
    """A training step for n samples of 64 features."""
    nn = torch.nn
    encoder, mean, spread = nn.Linear(64, 32), nn.Linear(32, 8), nn.Linear(32, 8)
    decoder = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 64))
    x = torch.rand(n, 64)

    def loss():
        h = torch.relu(encoder(x))
        m, s = mean(h), spread(h)
        made = decoder(m + torch.exp(s / 2) * torch.randn_like(m))
        divergence = -0.5 * (1 + s - m**2 - s.exp()).sum()
        return nn.functional.binary_cross_entropy_with_logits(made, x, reduction="sum") + divergence

    return training(torch, nn.ModuleList([encoder, mean, spread, decoder]), loss)


def adversarial_pair(torch, n):
    """A step of a generator and of its judge for n samples."""
    nn = torch.nn
    maker = nn.Sequential(nn.Linear(8, 32), nn.LeakyReLU(0.2), nn.Linear(32, 16), nn.Tanh())
    judge = nn.Sequential(nn.Linear(16, 32), nn.LeakyReLU(0.2), nn.Linear(32, 1))
    real, score = torch.randn(n, 16), nn.functional.binary_cross_entropy_with_logits
    yes, no = torch.ones(n, 1), torch.zeros(n, 1)

    def judged():
        return score(judge(real), yes) + score(judge(maker(torch.randn(n, 8)).detach()), no)

    first = training(torch, judge, judged)
    second = training(torch, maker, lambda: score(judge(maker(torch.randn(n, 8))), yes))
    return lambda: (first(), second())


def noise_removal(torch, n):
    """A training step of a network that tells the noise in n points, as diffusion models do."""
    nn = torch.nn
    model = nn.Sequential(nn.Linear(3, 64), nn.SiLU(), nn.Linear(64, 64), nn.SiLU(), nn.Linear(64, 2))
    x, betas = torch.randn(n, 2), torch.linspace(1e-4, 0.02, 100)
    kept = torch.cumprod(1 - betas, 0)

    def loss():
        time, noise = torch.randint(0, 100, (n,)), torch.randn_like(x)
        share = kept[time][:, None]
        noisy = share.sqrt() * x + (1 - share).sqrt() * noise
        return nn.functional.mse_loss(model(torch.cat((noisy, time[:, None] / 100), 1)), noise)

    return training(torch, model, loss)


PROGRAMS = {
    small_images: (2, 16, 128),
    residual_blocks: (1, 8, 64),
    u_net: (8, 32, 128),
    variational_autoencoder: (4, 64, 2048),
    adversarial_pair: (4, 64, 2048),
    noise_removal: (8, 128, 8192),
}

"""The sunspots of the next years: a recurrent network learns 300 years of counts (statsmodels' data)."""

from pictures import options, picture, plt
from statsmodels.datasets import sunspots

import rushlight as torch
from rushlight import nn


class Forecast(nn.Module):
    """Predicts each count from all earlier ones."""

    def __init__(self):
        super().__init__()
        self.memory, self.out = nn.GRU(1, 24, batch_first=True), nn.Linear(24, 1)

    def forward(self, counts, state=None):
        """From counts (batch, years) to predictions of each next year (batch, years), and the final state."""
        hidden, state = self.memory(counts.unsqueeze(2), state)
        return counts + self.out(hidden).squeeze(2), state


def main(arguments=None):
    """Trains on the years to 1958; returns the error of later one-year forecasts over the standard deviation."""
    chosen = options(__doc__, 250, arguments)
    torch.manual_seed(0)
    data = sunspots.load_pandas().data
    years, counts = torch.tensor(data["YEAR"].to_numpy()), torch.tensor(data["SUNACTIVITY"].to_numpy()).float()
    scaled, spread = (counts / counts.std()).unsqueeze(0), counts.std()
    model = Forecast()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(chosen.steps):
        loss = nn.functional.mse_loss(model(scaled[:, :258])[0], scaled[:, 1:259])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    with torch.no_grad():
        ahead, state = model(scaled)
        error = (ahead[0, 258:-1] - scaled[0, 259:]).square().mean().sqrt().item()
        future = [ahead[:, -1:]]
        for _ in range(21):
            following, state = model(future[-1], state)
            future.append(following)
    print(f"a forecast for the next year is off by {error:.2f} of the spread")

    plt.figure(figsize=(9, 3.5))
    plt.plot(years[-100:], counts[-100:], label="counted")
    plt.plot(years[-99:], ahead[0, -100:-1] * spread, "--", label="forecast a year ahead")
    plt.plot(years[-1] + 1 + torch.arange(22), torch.cat(future, 1)[0] * spread, label="forecast from 2008 on")
    plt.legend()
    picture("sunspots", chosen.output)
    return error


if __name__ == "__main__":
    main()

"""Did the Nile's flow change in 1899? A local level model, fitted through its Kalman filter (statsmodels' data)."""

from pictures import options, picture, plt
from statsmodels.datasets import nile

import rushlight as torch


def filtered(flow, logs):
    """The level after each year, and the log likelihood: the Kalman filter, differentiable from end to end."""
    change, noise = logs.exp()
    level, variance, total, levels = flow[0], noise, 0.0, []
    for value in flow:
        spread = variance + noise
        error = value - level
        total = total - 0.5 * (spread.log() + error**2 / spread)
        level = level + variance / spread * error
        variance = variance * noise / spread + change
        levels.append(level)
    return torch.stack(levels), total


def main(arguments=None):
    """Fits the two variances by maximum likelihood; returns them, in units of the measured flow."""
    chosen = options(__doc__, 20, arguments)
    data = nile.load_pandas().data
    years, flow = torch.tensor(data["year"].to_numpy()), torch.tensor(data["volume"].to_numpy())
    scale = flow.std()
    logs = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    optimizer = torch.optim.LBFGS([logs], max_iter=chosen.steps, line_search_fn="strong_wolfe")

    def loss():
        optimizer.zero_grad()
        value = -filtered(flow / scale, logs)[1]
        value.backward()
        return value

    optimizer.step(loss)
    change, noise = (logs.detach().exp() * scale**2).tolist()
    print(f"variance of the level's change {change:.0f}, of the measurement {noise:.0f}")

    levels = filtered(flow / scale, logs)[0].detach() * scale
    plt.figure(figsize=(8, 3.5))
    plt.plot(years, flow, ".", label="measured")
    plt.plot(years, levels, label="level")
    plt.axvline(1899, color="0.7", label="the dam at Aswan")
    plt.legend()
    picture("nile", chosen.output)
    return change, noise


if __name__ == "__main__":
    main()

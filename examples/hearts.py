"""Does age matter after a heart transplant? Cox's proportional hazards with censored survival (statsmodels' data)."""

from pictures import options, picture, plt
from statsmodels.datasets import heart

import rushlight as torch


def main(arguments=None):
    """Fits by Newton's method; returns the log of the hazards' ratio for a year of age, and its standard error."""
    chosen = options(__doc__, 6, arguments)
    data = torch.tensor(heart.load_pandas().data.to_numpy())
    days, died, age = data[data[:, 0].argsort()].T
    died = died.bool()
    mean = age.mean()
    at_risk = days >= days[died].unsqueeze(1)  # a row for each death: who was alive that day

    def unlikelihood(effect):
        """Minus Cox's log likelihood: of those at risk on a day of death, who it was."""
        risk = effect * (age - mean)
        return risk.expand_as(at_risk).masked_fill(~at_risk, -torch.inf).logsumexp(1).sum() - risk[died].sum()

    effect = torch.zeros((), dtype=torch.float64)
    for _ in range(chosen.steps):
        curvature = torch.func.hessian(unlikelihood)(effect)
        effect = effect - torch.func.grad(unlikelihood)(effect) / curvature
    error = curvature.rsqrt().item()
    print(f"each year of age multiplies the hazard by {effect.exp():.3f}, log {effect:.4f} ± {error:.4f}")

    hazard = (1 / (at_risk * (effect * (age - mean)).exp()).sum(1)).cumsum(0)  # Breslow's, at the mean age
    for years in (30, 45, 60):
        alive = (-hazard * (effect * (years - mean)).exp()).exp()
        plt.step(days[died], alive, where="post", label=f"{years} years old")
    plt.xlabel("days after the transplant")
    plt.ylabel("share alive")
    plt.ylim(0, 1)
    plt.legend()
    picture("hearts", chosen.output)
    return effect.item(), error


if __name__ == "__main__":
    main()

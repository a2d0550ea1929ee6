"""Code that the examples share: the command line, and the folder for pictures."""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt

__all__ = ["options", "picture", "plt"]


def options(text: str, steps: int, arguments: list[str] | None = None) -> argparse.Namespace:
    """The options of an example: how many steps it takes, and the folder of its picture."""
    parser = argparse.ArgumentParser(description=text.splitlines()[0])
    parser.add_argument("--steps", type=int, default=steps, help="how many steps it takes (%(default)s)")
    parser.add_argument("--output", type=Path, default=Path(), help="the folder for the picture")
    return parser.parse_args(arguments)


def picture(name: str, folder: Path) -> None:
    """Saves the figure that was drawn, and says where."""
    folder.mkdir(parents=True, exist_ok=True)
    plt.gcf().set_layout_engine("constrained")
    plt.savefig(folder / f"{name}.png", dpi=110)
    plt.close("all")
    print(f"picture: {folder / name}.png")

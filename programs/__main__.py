"""`python -m programs`: runs each program of `scripts` under `rushlight run`, and compares its numbers with PyTorch's.

It runs in an environment with the libraries and without PyTorch, which `make programs` makes. A program passes if it
prints as many numbers as are recorded, each within a thousandth. Names of programs as arguments select some.
`python -m programs --record`, with PyTorch installed, records the numbers again.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
RECORDED = HERE / "recorded.json"
LIMIT = 600  # seconds for a program
NEAR = 1e-3
LEAST = 23  # programs that agree today; it only grows


def run(script: Path, command: list[str]) -> tuple[list[float], str]:
    """The numbers that a program prints, and the last line of what it says of an error."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *command, str(script)],
        capture_output=True,
        text=True,
        timeout=LIMIT,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(HERE.parent), os.environ.get("PYTHONPATH", "")])},
        check=False,
    )
    said = [line for line in done.stderr.splitlines() if line.strip()]
    return numbers(done.stdout), "" if done.returncode == 0 else said[-1] if said else f"ended with {done.returncode}"


def numbers(text: str) -> list[float]:
    """All words of a text that are numbers."""
    found = []
    for word in text.split():
        try:
            found.append(float(word))
        except ValueError:
            continue
    return found


def verdict(found: list[float], wanted: list[float], error: str) -> str:
    """How a program did: "agrees", or what is wrong."""
    if error:
        return error
    if len(found) != len(wanted):
        return f"prints {len(found)} numbers, PyTorch {len(wanted)}"
    worst = max((abs(a - b) / max(1.0, abs(b)) for a, b in zip(found, wanted, strict=True)), default=0.0)
    return "agrees" if worst <= NEAR else f"differs by {worst:.1e}"


def record(scripts: list[Path]) -> int:
    """Writes down what programs print with PyTorch, in the place of what is recorded of them."""
    answers = json.loads(RECORDED.read_text())
    for script in scripts:
        found, error = run(script, [])
        if error:
            print(f"{script.stem}: {error}")
            continue
        answers[script.stem] = found
    RECORDED.write_text(json.dumps(dict(sorted(answers.items())), indent=1) + "\n")
    return 0


def main() -> int:
    """Runs all programs, prints how each does, and fails where fewer than `LEAST` agree."""
    names = [name for name in sys.argv[1:] if not name.startswith("-")]
    scripts = sorted(script for script in (HERE / "scripts").glob("*.py") if not names or script.stem in names)
    if "--record" in sys.argv:
        return record(scripts)
    wanted = json.loads(RECORDED.read_text())
    agreeing = 0
    for script in scripts:
        found, error = run(script, ["-m", "rushlight", "run"])
        answer = verdict(found, wanted.get(script.stem, []), error)
        agreeing += answer == "agrees"
        print(f"{script.stem:<28} {answer}", flush=True)
    print(f"{agreeing} of {len(scripts)} programs agree with PyTorch.")
    return 0 if names or agreeing >= LEAST else 1


if __name__ == "__main__":
    sys.exit(main())

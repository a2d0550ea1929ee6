"""The script of a seat: gives a process its place in the MPI world, and waits for it to end (see `seats.py`).

It is run as a script, and needs only the standard library.
"""

import json
import os
import sys
from multiprocessing.connection import Client

GOOD_BYE = b"done"


def main() -> int:
    """Waits for the process of this seat to end; returns 1 if it ended without saying that it was done."""
    number = int(os.environ["PMI_ID"])
    host, port = json.loads(sys.argv[1])[number]
    place = {name: value for name, value in os.environ.items() if name.startswith(("PMI_", "MPI_LOCAL"))}
    with Client((host, port), "AF_INET") as process:
        process.send_bytes(json.dumps(place).encode())
        done = False
        try:
            while True:
                done = process.recv_bytes() == GOOD_BYE
        except (EOFError, OSError):
            return 0 if done else 1


if __name__ == "__main__":
    sys.exit(main())

"""`python -m torch.distributed.launch`, the old name of `torch.distributed.run`."""

import sys

from rushlight.distributed.run import main

if __name__ == "__main__":
    sys.exit(main())

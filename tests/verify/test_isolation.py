"""Work in processes of its own goes on where it ends one."""

import subprocess
import sys

PROGRAM = """
import os, signal
from verify.isolation import results
def work(item):
    if item == 1:
        os.kill(os.getpid(), signal.SIGSEGV)
    if item == 2:
        os._exit(7)
    return item * 10
print(*results(work, range(5)), sep="; ")
print(*results(abs, []), sep="; ")
"""


def test_what_ends_a_process_is_told_and_the_rest_is_done():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert done.stdout == "0; Ended(how='SIGSEGV'); Ended(how='exit status 7'); 30; 40\n\n"

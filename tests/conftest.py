"""What all tests share."""

collect_ignore_glob = ["**/record*.py"]  # scripts that record from PyTorch, run by hand

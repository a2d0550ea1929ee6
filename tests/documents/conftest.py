"""The documents' programs and what stands in for libraries are for test_scripts.py to run, not for pytest to import."""

collect_ignore = ["scripts", "stand_ins"]

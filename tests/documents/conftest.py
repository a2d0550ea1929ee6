"""The documents' programs are run by test_scripts.py, not imported."""

collect_ignore = ["scripts"]

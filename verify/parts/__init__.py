"""The parts: each module is a command, with `options(parser)` and `run(arguments)`, which returns the figures."""

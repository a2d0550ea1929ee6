"""The parts: each module is a command, with `options(parser)` and `run(arguments)`, which gives the figures."""

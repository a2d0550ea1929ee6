"""Generators of programs: each module has a function `write(writer)` and a title for its kind of program."""

from verify.programs.generators import dtypes, graphs, indexing, networks, transforms, views

GENERATORS = {
    "views and changes in place": views,
    "graphs, hooks and passes": graphs,
    "indexing": indexing,
    "types of data": dtypes,
    "networks and optimizers": networks,
    "nested transforms": transforms,
}

"""Who writes programs: each module has a function `write(writer)` and says what its programs are of."""

from verify.programs.generators import dtypes, graphs, indexing, networks, transforms, views

GENERATORS = {
    "views and changes in place": views,
    "graphs, hooks and passes": graphs,
    "indexing": indexing,
    "types of data": dtypes,
    "networks and optimizers": networks,
    "nested transforms": transforms,
}

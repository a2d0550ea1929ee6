"""What is said of arguments: dimensions, keys of indexing, keywords, options, promotion, and what does not fit."""

"""Changes in place: methods with an underscore, views that are changed, and those that are overwritten."""

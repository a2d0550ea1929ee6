"""The features of every module, one in each file; `modules.module.Module` combines them."""

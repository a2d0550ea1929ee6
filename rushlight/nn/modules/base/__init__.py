"""What every module can do, an idea a file; `modules.module.Module` brings them together."""

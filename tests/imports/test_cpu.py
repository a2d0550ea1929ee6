"""`torch.cpu`, for programs that are written for any device."""

import pytest

import rushlight as torch


def test_programs_for_any_device():
    device = torch.cpu
    assert (device.is_available(), device.device_count(), device.current_device()) == (True, 1, "cpu")
    device.set_device(0)
    before, mine, event = device.current_stream(), device.Stream(), device.Event()
    with device.stream(mine):
        event.record(device.current_stream())
        assert device.current_stream() is mine
        with device.stream(None):
            assert device.current_stream() is mine
    mine.wait_event(event)
    device.synchronize()
    assert event.query()
    assert device.current_stream() is before


def test_older_names_of_mixed_precision():
    x = torch.ones(2, 2)
    for module, device in ((torch.cpu, "cpu"), (torch.cuda, "cuda")):
        with pytest.warns(FutureWarning, match=rf"torch\.amp\.GradScaler\('{device}', args"):
            assert not module.amp.GradScaler(enabled=False).is_enabled()
        with pytest.warns(FutureWarning, match=rf"torch\.amp\.autocast\('{device}', args"):
            context = module.amp.autocast(enabled=device == "cpu")
        with context:
            assert (x @ x).dtype is (torch.bfloat16 if device == "cpu" else torch.float32)

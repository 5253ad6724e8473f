"""revorder app: what the page shows while a model computes, what it never shows, and how it is in a browser.

Run as a script, it takes the pictures of docs/images.
"""

import os
import signal
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from chromium import FAINT, open_browser, overflow, prefer, press, requests, resize, shown
from erring import save_erring

from revorder import ProblemError
from revorder.cli import main
from revorder.integrations.app import frames

# every address that the process looks up or connects to, a line on stderr each
SERVE = """
import sys
def hook(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo"):
        print("calls", arguments[1] if event == "socket.connect" else arguments[0], file=sys.stderr, flush=True)
sys.addaudithook(hook)
from revorder.cli import main
main(["app", "--no-browser", *sys.argv[1:]])
"""


def last(text, *arguments):
    *_, end = frames(text, *arguments)
    return end


def test_the_states_of_the_page():
    states = list(frames("123456789+987654321", pace=0.001))
    assert len(states) > 10 and not any("<b>= " in state for state in states[:-1])
    assert "…110</span>" in states[5] and "Being computed" in states[5]
    assert '<h2>123456789+987654321 <b>= 1111111110</b></h2><p class="note right">' in states[-1]
    assert "plain, mathglm</h3>" in states[-1]


def test_several_operations_decimals_and_what_the_model_is_not_asked():
    assert last("[12+34]*2-100").count('<section class="trace"><h2>') == 3
    assert "1 of 1 operations by Python" in last("1+" + "9" * 50) and "every method" not in last("1+" + "9" * 50)
    assert "<b>= 0.666667</b>" in last("2/3", None, 0, 6) and "It is rounded." in last("2/3", None, 0, 6)


@pytest.mark.parametrize("text", ["", "1/0", "2+3/2", "x", "<b>1", "1" * 5000])
def test_what_has_no_answer_is_said_and_none_is_shown(text):
    end = last(text)
    head, _, work = end.partition("</div>")
    assert '<p class="note wrong">' in head and "<b>" not in head and ("<b>" not in work or text == "2+3/2")


def test_a_wrong_trace_is_shown_as_such_and_repaired(tmp_path):
    model = save_erring(tmp_path / "model")
    end = last("4+3", model)
    assert "Not verified: wrong digit in the sum 4+3: expected &#x27;r|7&#x27;, found &#x27;r|8&#x27;" in end
    assert '<span class="bad">8</span>' in end and "<b>= 8</b>" not in end
    assert "By Python&#x27;s integers: wrong digit" in end and "<b>= 7</b>" in end
    assert "the judge rejected the model&#x27;s work" in end


def test_a_missing_gradio_is_one_line(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "gradio", None)
    with pytest.raises(SystemExit, match="2"):
        main(["app"])
    assert capsys.readouterr().err == "revorder: app needs gradio; install: pip install 'revorder[app]'\n"


@contextmanager
def served(*arguments):
    """The page's address, and the process that serves it, which ends with the context if it has not."""
    pytest.importorskip("gradio", reason="needs gradio: pip install gradio")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-c", SERVE, "--port", str(port), *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ)
    try:
        yield process.stdout.readline().strip(), process
    finally:
        process.kill()
        process.wait()


@pytest.fixture
def browser(tmp_path):
    opened = open_browser(tmp_path / "profile")
    yield opened
    opened.quit()


def until(browser, what, seconds=60):
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(browser, seconds, 0.1).until(lambda _: what())


def ask(browser, address, text):
    """Open the page, and ask it by keyboard alone; Tab reaches the field first."""
    from selenium.webdriver.common.keys import Keys

    browser.get(address)
    until(browser, lambda: shown(browser, "#expression input"))
    press(browser, Keys.TAB)
    assert browser.execute_script("return document.activeElement.matches('#expression input')")
    # every state of the first trace as it grows; the part that shows it can come after the field, so the body is watched
    browser.execute_script("""
        window.seen = [];
        const look = () => seen.push(document.querySelector("#work code")?.innerText ?? "");
        new MutationObserver(look).observe(document.body, {childList: true, subtree: true});
    """)
    press(browser, text, Keys.ENTER)
    until(browser, lambda: shown(browser, "#work .cards"))


def test_the_page_in_a_browser(browser):
    from selenium.webdriver.common.keys import Keys

    with served() as (address, process):
        prefer(browser, "light")
        resize(browser, 1000)
        ask(browser, address, "902/129")
        seen = [text for text in browser.execute_script("return seen") if text]
        grown = list(dict.fromkeys(seen))
        assert len(grown) > 5 and all(after.startswith(before) for before, after in pairwise(grown))
        assert shown(browser, ".result")[0].splitlines()[::2] == [
            "902/129 = 6R128",
            "✓ Verified: each digit is the model's, and the judge passed every step.",
        ]
        assert shown(browser, "#work s")[0] == "7r|309r|0999W"
        assert browser.execute_script("return getComputedStyle(document.querySelector('#work s')).color") == (
            "rgb(179, 33, 26)"
        )

        # on from the field by keyboard to a digit, and what it is computed from
        for _ in range(30):
            press(browser, Keys.TAB)
            if browser.execute_script("return document.activeElement.matches('#work .d')"):
                break
        press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        [why] = shown(browser, ".why")
        assert why.split() == ["0", "place", "2", "of", "129*7", "from", "2", "7", "not", "written", "carry"]
        press(browser, Keys.ESCAPE)
        assert shown(browser, ".why") == []

        dark = "return document.body.classList.contains('dark')"
        for scheme in ("light", "dark"):
            prefer(browser, scheme)
            resize(browser, 360)
            ask(browser, address, "12-35")
            assert browser.execute_script(dark) == (scheme == "dark")
            assert browser.execute_script(FAINT, ".gradio-container *") == []
            assert overflow(browser) == 0

        browser.execute_script("document.querySelector('.gallery-item').focus()")
        press(browser, Keys.ENTER)  # an example is computed at once
        until(browser, lambda: shown(browser, ".result h2") == ["123456789+987654321 = 1111111110"])

        # nothing from elsewhere, for the page or for its server
        assert {url for url in requests(browser) if not url.startswith(address)} == set()
        assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0
        calls = [line for line in said.splitlines() if line.startswith("calls")]
        assert all("127.0.0.1" in call or "localhost" in call for call in calls), calls


def test_a_taken_port_is_one_line(capsys):
    pytest.importorskip("gradio", reason="needs gradio: pip install gradio")
    from revorder.integrations.app import open_app

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(ProblemError, match=f"^port {port}: taken"):
            open_app(port=port, browser=False)


def take_pictures(folder):
    """Write the pictures of the documentation: the app in light and in dark, and a trace's page."""
    from PIL import Image

    with TemporaryDirectory() as scratch, served() as (address, _):
        browser = open_browser(f"{scratch}/profile")

        def take(name, digit, width, height):
            resize(browser, width, height, scale=2)
            browser.execute_script("document.querySelectorAll('.d')[arguments[0]].focus()", digit)
            time.sleep(1)
            browser.save_screenshot(f"{scratch}/{name}")
            Image.open(f"{scratch}/{name}").convert("RGB").quantize(96).save(folder / name, optimize=True)

        for scheme in ("light", "dark"):
            prefer(browser, scheme)
            resize(browser, 960, 900)
            ask(browser, address, "902/129")
            take(f"app_{scheme}.png", 5, 1040, 900)
        prefer(browser, "light")
        with pytest.raises(SystemExit):
            main(["show", "948/12", "--rollback", "0:8", "--html", f"{scratch}/trace.html"])
        browser.get(f"file://{scratch}/trace.html")
        take("trace.png", 10, 760, 500)
        browser.quit()


if __name__ == "__main__":
    take_pictures(Path(__file__).parents[2] / "docs" / "images")

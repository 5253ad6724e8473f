"""Pictures of traces: what they say and never say, and how they are in a browser."""

import pytest
from chromium import FAINT, open_browser, overflow, prefer, press, requests, resize, shown
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import traces

from revorder import Problem, ProblemError, restore, solve, solve_many, trace, verify
from revorder.metrics.csid import explain
from revorder.rendering.trace_html import page, picture


@settings(max_examples=60)
@given(traces(), st.data())
def test_a_wrong_answer_is_never_shown_as_one(drawn, data):
    made, _ = drawn
    assert f"<b>= {made.answer}</b>" in picture(made.text, made.method, made.form)
    at = data.draw(st.integers(len(made.steps[0].segments[0].text), len(made.text) - 1))
    wrong = made.text[:at] + data.draw(st.sampled_from("0123456789W")) + made.text[at + 1 :]
    shown = picture(wrong, made.method, made.form)
    assert ("<b>= " in shown) == ("Verified" in shown) == ("Not verified: " not in shown)


@settings(max_examples=60)
@given(traces())
def test_each_step_reads_as_the_whole_does(drawn):
    made, _ = drawn
    steps = "".join(restore(step.text) for step in made.steps)
    assert "".join(steps.split()) == "".join(restore(made.text).split())


def test_what_stands_in_a_picture():
    shown = picture(trace("948/12", rollback={0: 8}).text)
    assert "<s>" in shown and shown.count('<li class="right">') == 4
    assert "revorder compact</b> · 74 tokens · CSID 2" in shown
    assert '<i class="sid">carry</i>' in picture("123+179=r|203=302")
    assert '<i class="sid">carry 2</i> <i class="sid">1 more</i>' in picture("99999+1=100000", "plain")
    assert '</span><span class="bad">6=57</span>' in picture("12+39=r|16=57")
    hostile = picture("1+1=<script>alert(1)</script>")
    assert "<script" not in hostile and "&lt;script&gt;" in hostile
    with pytest.raises(ProblemError, match="accepted: compact, expanded"):
        picture("1+1=r|2=2", "revorder", "nope")


def test_what_is_too_long_is_shown_without_explanations():
    n = int("9" * 1900)
    shown = picture(trace(Problem(n, "*", n), "plain").text, "plain")
    assert "too long for CSID and explanations" in shown and 'class="d' not in shown and "Verified" in shown


def test_what_a_notebook_shows():
    detour = trace("948/12", rollback={0: 8})
    assert "<b>= 79</b>" in detour._repr_html_() and "<style>" in detour._repr_html_()
    assert "the answer is 47" in verify("12+35=r|74")._repr_html_()
    assert "Step 0: wrong digit in the sum 12+35" in verify("12+35=r|75=57")._repr_html_()
    assert "<td>carry 2, carry 1</td>" in explain("123+179")._repr_html_()
    assert repr(explain("123+179")).splitlines()[1] == "0 from a2=2 b2=7, not written: carry 1"
    assert repr(detour) == f"Trace({detour.text!r}, 'revorder', 'compact')" and len(repr(detour.steps)) < 200
    for thing in (detour, verify("1+1=<script>"), explain("123+179")):
        assert "<script>" not in thing._repr_html_() and ":root" not in thing._repr_html_()


def test_a_solution_shows_its_work_and_what_was_rejected(erring):
    shown = solve("(12+35)*2", model=erring)._repr_html_()
    assert "<b>= 94</b>" in shown and "<b>= 84</b>" not in shown and "r|84</code> wrong digit in the sum" in shown
    assert "Every step is verified." in solve("12+34")._repr_html_()
    assert "<b>" not in next(solve_many(["1/0"]))._repr_html_().partition("</style>")[2]


def test_many_solutions_have_a_bar_on_stderr(capsys):
    assert [solution.answer for solution in solve_many(["1+1"] * 3, progress=True)] == ["2"] * 3
    assert "3/3" in capsys.readouterr().err and capsys.readouterr().out == ""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = open_browser(tmp_path_factory.mktemp("profile"))
    yield opened
    opened.quit()


def test_a_page_in_a_browser(browser, tmp_path):
    from selenium.webdriver.common.keys import Keys

    texts = [
        (trace("948/12", rollback={0: 8}).text, "revorder"),
        ("12-35=r|77Wr|32-", "lean"),
        ("12+35=r|75", "revorder"),
    ]
    long = trace(Problem(10**40 - 7, "*", 10**39 + 9), "revorder").text
    pictures = [*(picture(*item) for item in texts), picture(long), picture(trace("123+179", "plain").text, "plain")]
    file = tmp_path / "trace.html"
    file.write_text(page(pictures, "traces"), encoding="utf-8")
    resize(browser, 1000)
    prefer(browser, "light")
    browser.get(file.as_uri())
    assert requests(browser) == {file.as_uri()}
    assert shown(browser, "h2")[:3] == ["948/12 = 79", "12-35 = -23", "12+35"]
    assert shown(browser, ".note")[2].startswith("✗ Not verified: wrong digit in the sum 12+35")

    # the keyboard alone: Tab reaches the trace, arrow keys its digits, Escape puts the explanation away
    focused = "return document.activeElement.firstChild.textContent"
    assert shown(browser, ".why") == []
    press(browser, Keys.TAB)
    assert browser.execute_script(focused) == "8"
    assert shown(browser, ".why")[0].startswith("8\nestimated, place 1 of 948/120")
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert browser.execute_script(outline) == "solid"
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    [why] = shown(browser, ".why")
    assert why.split() == ["9", "place", "3", "of", "120*8", "from", "1", "8", "not", "written", "carry"]
    press(browser, Keys.ESCAPE)
    assert shown(browser, ".why") == []
    press(browser, Keys.END)
    assert browser.execute_script(focused) == "0" and len(shown(browser, ".why")) == 1
    press(browser, Keys.TAB)
    assert browser.execute_script(focused) == "7"  # the next trace

    # what is taken back is struck out in red
    red = "const s = getComputedStyle(document.querySelector('s')); return [s.color, s.backgroundImage]"
    color, line = browser.execute_script(red)
    assert color in line and color == "rgb(179, 33, 26)"

    for scheme in ("light", "dark"):
        prefer(browser, scheme)
        assert browser.execute_script(FAINT, "main *") == [], scheme
    assert browser.execute_script("return getComputedStyle(document.body).backgroundColor") == "rgb(22, 22, 20)"

    resize(browser, 360)
    assert overflow(browser) == 0
    inside = (
        "const r = [...document.querySelectorAll('.why')].find((e) => e.checkVisibility()).getBoundingClientRect();"
    )
    assert browser.execute_script(f"{inside} return r.left >= 0 && r.right <= innerWidth && r.bottom <= innerHeight")

"""The exported page in a browser: what it plays on load, says of each digit, refuses, repairs, and how it looks.

Run as a script, it takes the pictures of docs/images.
"""

import io
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from chromium import FAINT, open_browser, overflow, prefer, press, requests, resize, shown
from erring import save_erring

from revorder import trace
from revorder.integrations.page.export import export_page


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    out = tmp_path_factory.mktemp("page") / "page.html"
    export_page(None, out)
    return out.as_uri()


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    opened = open_browser(tmp_path_factory.mktemp("profile"))
    resize(opened, 1000)
    prefer(opened, "light")
    yield opened
    opened.quit()


def until(browser, what, seconds=60):
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(browser, seconds, 0.05).until(lambda _: what())


def calm(browser, yes=True):
    """Say whether the person wants little motion; the page then plays at once."""
    features = [{"name": "prefers-reduced-motion", "value": "reduce" if yes else "no-preference"}]
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def verdict(browser):
    return until(browser, lambda: shown(browser, ".verdict.right, .verdict.wrong"))[0]


def load(browser, page, link=""):
    calm(browser)
    browser.get("about:blank")
    browser.get(f"{page}{link}")
    return verdict(browser)


def ask(browser, text):
    """Type into the field and press Enter."""
    from selenium.webdriver.common.keys import Keys

    browser.execute_script("const field = document.getElementById('question'); field.value = ''; field.focus();")
    press(browser, text, Keys.ENTER)
    return verdict(browser)


def answer(browser):
    return shown(browser, "#answer")[0]


def point(browser, at):
    """What the page says when a pointer is over a character of the first trace."""
    script = """document.querySelector(`[data-at="${arguments[0]}"]`)
        .dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));"""
    browser.execute_script(script, at)
    return caption(browser)


def caption(browser):
    return shown(browser, "#caption")[0].replace("\u00a0", " ")


def test_it_plays_a_problem_with_a_rollback_on_load_and_asks_nothing_of_the_network(browser, page):
    requests(browser)
    assert load(browser, page) == "✓ The model wrote every digit, and every digit is right."
    assert answer(browser) == "902 ÷ 129 = 6 R 128"
    rows = shown(browser, ".steps code")
    assert rows == ["902/129=7r|309r|0999W", "6r|477r|0821", "=6R128"]
    back = "return [...document.querySelectorAll('.c.back')].map((one) => one.textContent).join('')"
    assert browser.execute_script(back) == "7r|309r|0999W"
    color = "return getComputedStyle(document.querySelector('.c.back')).color"
    assert browser.execute_script(color) == "rgb(179, 33, 26)"
    assert "Wrong: take it back." in shown(browser, ".gloss")[0]
    assert "up to 10 digits that are not written yet" in shown(browser, "#why")[0]
    assert requests(browser) == {page}
    assert [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"] == []


def test_digits_arrive_one_by_one_lowest_first(browser, page):
    load(browser, page, "#1+1")
    script = """
        window.seen = [];
        new MutationObserver(() => seen.push(document.getElementById("work").innerText))
          .observe(document.getElementById("work"), {childList: true, subtree: true});
    """
    browser.execute_script(script)
    calm(browser, False)
    ask(browser, "123+179")
    until(browser, lambda: answer(browser) == "123 + 179 = 302")
    seen = "\n".join(browser.execute_script("return seen"))
    assert "…2" in seen and "…02" in seen


def test_it_says_where_a_digit_came_from(browser, page):
    load(browser, page, "#902/129")
    text = trace("902/129", "lean", rollback={0: 7}).text
    assert "Its ones come first" in point(browser, text.index("r|"))
    assert point(browser, text.index("7")).splitlines()[1] == "7 is a guess, and too high: 7 × 129 is more than 902."
    tens = text.index("r|477") + 3
    assert point(browser, tens).split("\n") == [
        "6 × 129 = 774",
        "Tens: 6 × 2 plus the carry 5 is 17. Write 7, carry 1.",
    ]
    sources = browser.execute_script("return [...document.querySelectorAll('.from')].map((one) => one.dataset.at)")
    assert sorted(map(int, sources)) == [text.index("129=") + 1, text.index("6r|")]
    assert point(browser, text.index("0821") + 1).split("\n") == [
        "902 − 774 = 128",
        "Ones: 2 − 4 is below zero; borrow 10 from the next place: 8.",
    ]


def test_every_character_of_every_kind_of_trace_has_a_sentence(browser, page):
    load(browser, page)
    for text in ("12-35", "1050*203", "105-98", "120/48", "1000/12", "0/7", "99999+1", "7*0", "40*500", "3-3"):
        ask(browser, text)
        count = browser.execute_script("return document.querySelectorAll('#work .c').length")
        for at in range(count):
            said = point(browser, at)
            assert said and "undefined" not in said and "NaN" not in said, (text, at, said)


def test_the_keyboard_alone(browser, page):
    from selenium.webdriver.common.keys import Keys

    load(browser, page)
    browser.execute_script("document.activeElement.blur()")
    press(browser, Keys.TAB)
    assert browser.execute_script("return document.activeElement.id") == "question"
    for _ in range(20):
        press(browser, Keys.TAB)
        if browser.execute_script("return document.activeElement.matches('.c')"):
            break
    at = "return Number(document.activeElement.dataset.at)"
    assert browser.execute_script(at) == 0
    press(browser, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert browser.execute_script(at) == 2 and shown(browser, "#caption")[0].startswith("The question")
    press(browser, Keys.END)
    assert browser.execute_script(at) == len("902/129=7r|309r|0999W6r|477r|0821=6R128") - 1
    assert browser.execute_script("return getComputedStyle(document.activeElement).outlineStyle") == "solid"
    press(browser, Keys.ESCAPE)
    assert shown(browser, ".on") == [] and "arrow keys" in shown(browser, "#caption")[0]
    live = "return ['caption', 'said'].map((id) => document.getElementById(id)).map((one) => one.ariaLive ?? one.role)"
    assert browser.execute_script(live) == ["polite", "status"]
    assert "902 ÷ 129 = 6R128" in browser.execute_script("return document.getElementById('said').textContent")


@pytest.mark.parametrize(
    ("asked", "answered"),
    [
        ("12 times 7", "12 × 7 = 84"),
        ("What is twenty-one divided by three?", "21 ÷ 3 = 7"),
        ("one hundred and five minus 6", "105 − 6 = 99"),
        ("the sum of two and three million", "2 + 3000000 = 3000002"),
        ("subtract 5 from 12", "12 − 5 = 7"),
        ("the difference of 12 and 5", "12 − 5 = 7"),
        ("8 ÷ (4/2)", "8 ÷ (4 ÷ 2) = 4"),
        ("5 ⋅ 3", "5 × 3 = 15"),
        ("half of the sum of 3 and 5", "(3 + 5) ÷ 2 = 4"),
        ("10 percent of 50", "10% × 50 = 5"),
        ("two point five plus 1", "2.5 + 1 = 3.5"),
        ("two point five million times 2", "2500000 × 2 = 5000000"),
        ("1.5*2.25+10%", "1.5 × 2.25 + 10% = 3.475"),
        ("-7/2", "−7 ÷ 2 = −3 R −1"),
        ("$5", "$5 = 5"),
    ],
)
def test_it_reads_numbers_and_words(browser, page, asked, answered):
    if browser.current_url.partition("#")[0] != page:
        load(browser, page)
    assert ask(browser, asked).startswith("✓")
    assert answer(browser) == answered


def test_a_remainder_or_a_decimal(browser, page):
    load(browser, page, "#10/4")
    assert (answer(browser), shown(browser, "#other")) == ("10 ÷ 4 = 2 R 2", ["or 2.5"])
    browser.execute_script("document.querySelector('#other a').click()")
    until(browser, lambda: answer(browser) == "10 ÷ 4 = 2.5")
    assert shown(browser, "#other") == ["or 2 R 2"] and browser.current_url.endswith("#10/4%20as%20a%20decimal")
    ask(browser, "2/3 as a decimal")
    assert answer(browser) == "2 ÷ 3 = 0.666667" and "Rounded to 6 decimals." in verdict(browser)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (" ", "Type a calculation"),
        ("1/0", "Nothing can be divided by zero"),
        ("2^10", "Powers are not supported"),
        ("12 bananas", "“bananas” is not a word"),
        ("nineteen eighty four minus 4", "is not one number"),
        ("10 % -3", "Remainders by % or mod"),
        ("half of 10 + 3", "The words may hold for one number or for all"),
        ("5/3+1", "5/3 leaves a remainder"),
        ("8 ÷ 1/2", "A fraction behind a division has two meanings"),
        ("200 minus 15%", "A percent of what?"),
        ("the difference of 3 and 10", "Write 3 - 10, or 10 - 3."),
        ("(2", "never closed"),
        ("<b>1", "A number should stand where “<” is"),
        ("1" * 2001, "2000 is the most"),
    ],
)
def test_it_refuses_in_its_own_words(browser, page, asked, said):
    if browser.current_url.partition("#")[0] != page:
        load(browser, page)
    browser.execute_script("location.hash = arguments[0]", "#" + asked.replace("%", "%25").replace("^", "%5E"))
    until(browser, lambda: said in "".join(shown(browser, ".verdict.wrong")))
    assert "=" not in answer(browser)


def test_what_the_model_was_not_trained_on_says_so_and_stays_in_view(browser, page):
    load(browser, page)
    assert "beyond what the model was trained on" in ask(browser, f"{'7' * 400}*{'3' * 50}")
    expected = str(int("7" * 400) * int("3" * 50))
    assert "".join(answer(browser).split("=")[1].split()) == expected
    resize(browser, 1000, 800)
    bottom = "return document.getElementById('verdict').getBoundingClientRect().bottom < innerHeight"
    assert browser.execute_script(bottom)


def test_what_the_check_rejects_is_marked_and_repaired(browser, page, tmp_path):
    assert load(browser, page, "#902/129").startswith("✓ The model wrote")
    browser.execute_script("document.getElementById('break').click()")
    until(browser, lambda: answer(browser) == "38 + 49 = 87")
    assert verdict(browser).startswith("✓ Exact. The check caught a wrong digit")
    assert shown(browser, ".bad")[0].startswith("8")
    assert shown(browser, ".note")[0] == "✗ Rejected. It wrote 8 where 7 belongs in 38\u00a0+ 49."
    assert shown(browser, ".steps code")[-1] == "38+49=r|78"
    out = tmp_path / "erring.html"
    export_page(save_erring(tmp_path / "erring"), out)
    assert load(browser, out.as_uri(), "#4+3").startswith("✓ Exact. The check caught")


def test_step_by_step_and_slow(browser, page):
    load(browser, page, "#1+1")
    calm(browser, False)
    browser.execute_script("document.querySelector('[value=step]').click(); location.hash = '#902/129'")
    until(browser, lambda: shown(browser, "#next"))
    assert shown(browser, ".steps code") == ["902/129=7"]
    browser.execute_script("document.getElementById('next').click()")
    until(browser, lambda: shown(browser, ".steps code") == ["902/129=7r|309"] and shown(browser, "#next"))
    assert caption(browser).startswith("7 × 129 = 903")
    browser.execute_script("document.querySelector('[value=fast]').click()")
    assert verdict(browser).startswith("✓") and shown(browser, "#next") == []
    browser.execute_script("document.querySelector('[value=slow]').click(); location.hash = '#12+35'")
    assert verdict(browser).startswith("✓")


def test_copies(browser, page):
    load(browser, page, "#902/129")
    script = "window.kept = []; navigator.clipboard.writeText = async (text) => kept.push(text);"
    browser.execute_script(script + "document.getElementById('copy-text').click()")
    browser.execute_script("document.getElementById('copy-link').click()")
    until(browser, lambda: browser.execute_script("return kept.length") == 2)
    assert browser.execute_script("return kept") == [
        "902 ÷ 129 = 6 R 128\n902/129=7r|309r|0999W6r|477r|0821=6R128",
        f"{page}#902/129",
    ]
    picture = """
        const done = arguments[0];
        navigator.clipboard.write = async ([item]) => {
          const bitmap = await createImageBitmap(await item.getType("image/png"));
          done([bitmap.width, bitmap.height]);
        };
        document.getElementById("copy-image").click();
    """
    width, height = browser.execute_async_script(picture)
    assert width == 1080 and height > 250


def test_both_themes_and_a_phone(browser, page):
    load(browser, page)
    for scheme in ("light", "dark"):
        prefer(browser, scheme)
        verdict(browser)
        assert browser.execute_script(FAINT, "body *") == [], scheme
    prefer(browser, "light")
    for width in (390, 320):
        resize(browser, width)
        load(browser, page, f"#{'9' * 20}%2B{'9' * 20}")
        assert overflow(browser) == 0
    resize(browser, 1000)


WORK = "document.getElementById('work')"


def take_pictures(folder):
    """Write the pictures of the documentation: the page in both themes, on a phone, a rejection, and the rollback
    moving."""
    from PIL import Image

    with TemporaryDirectory() as scratch:
        page = Path(scratch) / "page.html"
        export_page(None, page)
        browser = open_browser(f"{scratch}/profile")

        def take(name, width, height, scheme="light", link="#902/129", then="", scale=2):
            resize(browser, width, height, scale=scale)
            load(browser, page.as_uri(), link)
            prefer(browser, scheme)
            browser.execute_script(then)
            time.sleep(2)
            picture = image(browser.get_screenshot_as_png()).quantize(96, dither=Image.Dither.NONE)
            picture.save(folder / name, optimize=True)

        def image(png):
            return Image.open(io.BytesIO(png)).convert("RGB")

        over = 'dispatchEvent(new PointerEvent("pointerover", {bubbles: true}))'
        tens = f"""document.querySelector("[data-at='25']").{over};"""
        take("page_light.png", 1040, 800, then=tens)
        take("page_dark.png", 1040, 800, "dark", then=tens)
        take("page_phone.png", 390, 844, then=tens)
        take("page_rejected.png", 1040, 560, then="document.getElementById('break').click()")
        frames, lengths = play_slowly(browser, page.as_uri())
        frames = list(map(image, frames))
        both = Image.new("RGB", (frames[0].width, 2 * frames[0].height))  # all of the colors that come
        both.paste(frames[len(frames) // 2])
        both.paste(frames[-1], (0, frames[0].height))
        colors = both.quantize(64)
        first, *rest = [frame.quantize(palette=colors, dither=Image.Dither.NONE) for frame in frames]
        first.save(folder / "rollback.gif", save_all=True, append_images=rest, duration=lengths, loop=0, optimize=True)
        browser.quit()


def play_slowly(browser, page):
    """The frames of 902/129 as it is played slowly, and how many milliseconds each is shown."""
    resize(browser, 820, 900)
    load(browser, page)
    calm(browser, False)
    keep = f"{WORK}.style.minHeight = {WORK}.offsetHeight + 'px'; document.querySelector('.controls').hidden = true;"
    hold = "wait = (milliseconds) => new Promise((resolve) => { window.held = [milliseconds, resolve]; });"
    browser.execute_script(f"{keep} {hold} showQuestion('902/129');")
    frames, lengths = [], []
    while True:
        held = until(
            browser, lambda: browser.execute_script("return window.held?.[0] ?? (shown.answer ? 'done' : null)")
        )
        time.sleep(0.3)  # until the new digit has arrived
        frames.append(browser.find_element("id", "stage").screenshot_as_png)
        lengths.append(4000 if held == "done" else held)
        if held == "done":
            return frames, lengths
        browser.execute_script("const resume = held[1]; window.held = null; resume();")


if __name__ == "__main__":
    take_pictures(Path(__file__).parents[2] / "docs" / "images")

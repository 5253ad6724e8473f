"""A headless Chromium, driven as a person uses a page: by keyboard, on a phone, in light and in dark."""

import json
import shutil

import pytest

ARGUMENTS = """--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
--disable-component-update --disable-sync --hide-scrollbars"""
# what a person can't read: text whose contrast with what is behind it is below WCAG's 4.5
FAINT = """
const rgb = (color) => {
  const canvas = Object.assign(document.createElement("canvas"), {width: 1, height: 1}).getContext("2d");
  canvas.fillStyle = color;
  canvas.fillRect(0, 0, 1, 1);
  return [...canvas.getImageData(0, 0, 1, 1).data];
};
const light = (color) => rgb(color).slice(0, 3).map((x) => x / 255)
  .map((x) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4))
  .reduce((sum, x, i) => sum + x * [0.2126, 0.7152, 0.0722][i], 0);
const behind = (element) => {
  while (element && rgb(getComputedStyle(element).backgroundColor)[3] < 255) element = element.parentElement;
  return element ? getComputedStyle(element).backgroundColor : "white";
};
const faint = [];
for (const element of document.querySelectorAll(arguments[0])) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!own || !element.checkVisibility()) continue;
  const [a, b] = [light(getComputedStyle(element).color), light(behind(element))];
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < 4.5) faint.push(`${element.tagName}.${element.className} ${element.textContent}: ${contrast}`);
}
return faint;
"""


def open_browser(folder):
    """A browser with a profile of its own in `folder`; skips the test where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium: pip install selenium")
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not (chromium and driver):
        pytest.skip("needs chromium and chromedriver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in [*ARGUMENTS.split(), f"--user-data-dir={folder}"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))


def resize(browser, width, height=800, scale=1):
    """Make the page as wide as a screen of `width`."""
    size = {"width": width, "height": height, "deviceScaleFactor": scale, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)


def prefer(browser, scheme):
    """Say that the person prefers `light` or `dark`."""
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})


def press(browser, *keys):
    """Press keys on whatever has the focus."""
    from selenium.webdriver import ActionChains

    ActionChains(browser).send_keys(*keys).perform()


def overflow(browser):
    """By how many pixels the page is wider than the screen."""
    return browser.execute_script("return document.documentElement.scrollWidth - innerWidth")


def shown(browser, selector):
    """What can be read of the elements of a selector, one after the other."""
    script = (
        "return [...document.querySelectorAll(arguments[0])].filter((e) => e.checkVisibility()).map((e) => e.innerText)"
    )
    return browser.execute_script(script, selector)


def requests(browser):
    """The addresses of the network that pages asked for since this was last called."""
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    sent = [message["params"] for message in messages if message["method"] == "Network.requestWillBeSent"]
    return {item["request"]["url"] for item in sent if item["request"]["url"].startswith(("http", "ws", "file"))}

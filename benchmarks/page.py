"""The exported page against CTranslate2: the same texts, its size, and its speed in headless Chromium on one core.

python benchmarks/page.py [--count 32] [--model calculator]
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from chromium import open_browser
from node import ask_node

from revorder.evaluation.suites import EXTRA, SMALL, Draw, columns
from revorder.inference.ctranslate import Runtime
from revorder.integrations.page.export import export_page
from revorder.model.checkpoint import DEFAULT

# Milliseconds from a question to its first token, and tokens a second over all questions.
TIMED = """
let [first, tokens, start] = [0, 0, performance.now()];
for (const [question, limit] of arguments[0]) {
  const asked = performance.now();
  let written = 0;
  for (const text of writing(model, question, limit)) {
    if (!written++) first = Math.max(first, performance.now() - asked);
  }
  tokens += written + 1;
}
return [first, tokens / (performance.now() - start) * 1000];
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=32, help="problems of each of Table 1's 32 columns")
    parser.add_argument("--model", default=DEFAULT)
    arguments = parser.parse_args()
    runtime = Runtime(arguments.model, threads=1)
    tasks = columns(SMALL + EXTRA, Draw("+-*/", arguments.count, seed=5))
    problems = [problem for task in tasks.values() for problem in task if runtime.info.covers(problem)]
    questions, limits = [f"{problem}=" for problem in problems], [*map(runtime.info.max_new_tokens, problems)]
    texts = runtime.generate(questions, max(limits))
    with tempfile.TemporaryDirectory() as scratch:
        page = Path(scratch) / "page.html"
        export_page(arguments.model, page)
        requests = [{"do": "write", "question": q, "limit": n} for q, n in zip(questions, limits, strict=True)]
        same = sum(reply["reply"] == text for reply, text in zip(ask_node(page, requests), texts, strict=True))
        print(f"size: {page.stat().st_size / 1e6:.2f} MB")
        print(f"texts as CTranslate2 writes them: {same} of {len(problems)}")
        browser = open_browser(f"{scratch}/profile")
        browser.get(f"{page.as_uri()}#1%2B1")
        first, speed = browser.execute_script(
            TIMED, json.loads(json.dumps(list(zip(questions, limits, strict=True))[::8]))
        )
        browser.quit()
        print(f"in Chromium: {speed:,.0f} tokens a second, the slowest first token after {first:.0f} ms")


if __name__ == "__main__":
    main()

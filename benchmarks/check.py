"""Texts that `revorder check` reads a second on one core, beside Math-Verify, which reads one answer of each.

pip install math-verify[antlr4_13_2]; python benchmarks/check.py train.jsonl [--field answer]
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable

from revorder.reading.answers import read_answer
from revorder.reading.checking import check_text

MOST = 500  # texts that Math-Verify reads


def rate(work: Callable[[str], object], texts: list[str]) -> str:
    start = time.process_time()
    for text in texts:
        work(text)
    return f"{len(texts) / (time.process_time() - start):,.0f} texts a second"


parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("file")
parser.add_argument("--field", default="answer")
options = parser.parse_args()
with open(options.file, encoding="utf-8") as lines:
    texts = [json.loads(line)[options.field] for line in lines]
counts: Counter[str] = Counter()
for turn in ("first", "again"):  # what repeats in a corpus is kept
    print(f"every equation, {turn}: {rate(lambda text: counts.update(f.verdict for f in check_text(text)), texts)}")
print(f"  {dict(counts)}, twice")
print(f"the answer: {rate(read_answer, texts)}")
try:
    from math_verify import parse
except ImportError:
    print("Math-Verify is not installed")
else:
    print(f"the answer, Math-Verify: {rate(parse, texts[:MOST])}")

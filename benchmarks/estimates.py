"""How often an estimate from the divisor's leading digits is too high, by how many of them it is made
(docs/data.md)."""

from revorder.mixtures.mixture import Mixture
from revorder.mixtures.sampling import sampler

DIVISIONS = 20_000
PART = {"op": "/", "a": [1, 16], "b": [1, 16], "remainder": 0.5}

print("leading digits, % of quotient digits taken back, % of divisions with one or more")
for digits in (1, 2, 3):
    mixture = {"name": "divisions", "method": "lean", "size": DIVISIONS, "estimate_digits": digits, "parts": [PART]}
    texts = [example.text for example in sampler(Mixture.read(mixture)).examples(0, 0, DIVISIONS)]
    taken_back = sum(text.count("W") for text in texts)
    stand = sum(len(text.rpartition("=")[2].partition("R")[0]) for text in texts)
    print(f"{digits} {100 * taken_back / stand:.1f} {100 * sum('W' in text for text in texts) / len(texts):.0f}")

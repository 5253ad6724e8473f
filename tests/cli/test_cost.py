"""revorder cost."""

import json


def test_cost(revorder):
    rows = [json.loads(line) for line in revorder("cost", "948/12", "--json").stdout.splitlines()]
    tokens = {(row["method"], row["form"]): row["tokens"] for row in rows}
    assert tokens["lean", "lean"] < tokens["revorder", "compact"] < tokens["revorder", "expanded"]
    assert "scratchpad" in revorder("cost", "948/12").stdout
    long = [json.loads(line) for line in revorder("cost", f"{'7' * 500}*{'7' * 500}", "--json").stdout.splitlines()]
    assert [row["method"] for row in long if row["tokens"] is None] == ["scratchpad", "goat"]


def test_a_tokenizer_by_the_name_of_a_shipped_checkpoint(revorder, refused, tmp_path):
    shown = [
        json.loads(line)
        for line in revorder("cost", "12+35", "--tokenizer", "calculator", "--json").stdout.splitlines()
    ]
    assert shown == [json.loads(line) for line in revorder("cost", "12+35", "--json").stdout.splitlines()]
    assert str(tmp_path) in refused("cost", "1+1", "--tokenizer", tmp_path)

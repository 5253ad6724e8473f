"""revorder csid."""

import json


def test_csid(revorder):
    assert revorder("csid", "123+179", "111+111").stdout == "2\n0\n"
    explained = json.loads(revorder("csid", "123+179", "--explain", "--json").stdout)
    assert (
        explained["form"] == "plain"
        and explained["worst_case"] == 3
        and explained["digits"][0]["sids"] == ["carry 2", "carry 1"]
    )
    assert "carry 2, carry 1" in revorder("csid", "123+179=302", "--explain").stdout


def test_stdin_keeps_blank_lines_and_names_the_line_that_is_wrong(revorder, refused):
    assert revorder("csid", "-", stdin="123+179\n\n111+111\n").stdout == "2\n\n0\n"
    wrong = revorder("csid", "-", stdin="1+1\n1+1+1\n2+2\n")
    assert (wrong.returncode, wrong.stdout) == (2, "0\nerror\n0\n") and wrong.stderr.startswith(
        "revorder: line 2: problem '1+1+1'"
    )
    items = revorder("csid", "-", "--json", stdin="1+1+1\n2+2\n").stdout.splitlines()
    assert [json.loads(item).get("csid") for item in items] == [None, 0] and "accepted" in json.loads(items[0])["error"]
    assert "accepted: " in refused("csid", "-", "--method", "nope")

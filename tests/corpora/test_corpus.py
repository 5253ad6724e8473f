"""Corpora: record by record, byte for byte, whole or not at all; a line that can't be read is named and left out."""

import json
import os
import tracemalloc
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from revorder import ProblemError
from revorder.corpora import corpus, records
from revorder.corpora.corpus import convert_line, find_value, rewrite_corpus
from revorder.corpora.rewriting import Edit, rewrite
from revorder.reading.numbers import NOTATIONS

TEXT = "48+24 = <<48+24=72>>72\n<<7+8=16>>16 <<6/2=3>>3 <<4=4>>4\n#### 72"


def write(path, *lines):
    path.write_bytes(b"".join(line if isinstance(line, bytes) else line.encode() + b"\n" for line in lines))
    return path


def rejects(out):
    path = out.with_name(f"{out.name}.rejects.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else None


LINES = [
    json.dumps({"id": 1, "answer": TEXT}),
    '{"answer" :"1\\/2 \\u003c<2*3=6>\\u003e6 caf\\u00e9 \\ud83d\\ude00 <<9\\u002b4=13>>", "n": 1.50e2,"id":2}',
    '  {"a": {"answer": "<<1+1=2>>"}, "answer": "😀 <<1+1=2>>2", "answer": "é <<2+2=4>>4"}\r',
    "",
    '{"answer": "\\ud800 <<5+5=10>>", "long": ' + "9" * 5000 + "}",
    '{"answer": "no equation"}',
]


@pytest.mark.parametrize("notation", NOTATIONS)
@pytest.mark.parametrize("decompose", [False, True])
def test_only_the_field_changes_and_the_way_back_gives_every_byte(tmp_path, notation, decompose):
    source = write(tmp_path / "in.jsonl", b"\xef\xbb\xbf", *LINES[:-1], LINES[-1].encode())
    out, back = tmp_path / "out.jsonl", tmp_path / "back.jsonl"
    report = rewrite_corpus(source, out, notation=notation, decompose=decompose)
    rows = [json.loads(line, parse_int=str) for line in out.read_text("utf-8-sig").splitlines() if line.strip()]
    originals = [json.loads(line, parse_int=str) for line in LINES if line]
    for row, original in zip(rows, originals, strict=True):
        assert row == original | {"answer": rewrite(original["answer"], notation, decompose)}
    assert (report.texts, report.changed, report.rejected, rejects(out)) == (5, 4, 0, None)
    assert report.equations == {"rewritten": 5, "wrong": 1, "one division": 1, "no operator": 1}
    assert (report.with_operator, report.unconverted, report.wrong) == (7, 1, 1)
    again = rewrite_corpus(out, back, back=True)
    assert back.read_bytes() == source.read_bytes()
    assert (again.texts, again.changed, again.equations.total()) == (5, 4, 5)


def test_a_line_that_cant_be_read_is_named_and_the_others_go_on(tmp_path, monkeypatch):
    monkeypatch.setattr(records, "MAX_LINE", 10_000)
    bad = [
        ("{", "not JSON: "),
        ('{"answer": "a" "b": 1}', "not JSON: expected ',' or '}'"),
        ('{"answer": "a"} x', "not JSON: more behind"),
        ('{"answer": "a\tb"}', "not JSON: Invalid control character"),
        ("[1]", "not a JSON object; give one with the field 'answer'"),
        ('{"question": "a"}', "no field 'answer'"),
        ('{"answer": 5}', "field 'answer' is not a text"),
        ("[" * 9000, "not JSON: nested too deep"),
        ('{"answer": "' + "1+" * 6000 + '"}', "the line has more than 10000 bytes"),
        (b'{"answer": "\xff"}\n', "not UTF-8: invalid start byte at byte 13"),
    ]
    lines = [line for text, _ in bad for line in (text, json.dumps({"answer": TEXT}))]
    source, out = write(tmp_path / "in.jsonl", *lines), tmp_path / "out.jsonl"
    report = rewrite_corpus(source, out)
    assert (report.texts, report.rejected) == (len(bad), len(bad))
    assert out.read_text() == (json.dumps({"answer": rewrite(TEXT)}) + "\n") * len(bad)
    found = rejects(out)
    assert [row["line"] for row in found] == list(range(1, 2 * len(bad), 2))
    assert {row["file"] for row in found} == {str(source)}
    for row, (text, reason) in zip(found, bad, strict=True):
        assert row["reason"].startswith(reason), row
        assert row["text"] == (
            "" if "more than" in reason else '{"answer": "\ufffd"}\n' if text[:1] == b"{" else f"{text}\n"
        )
    odd = write(tmp_path / "\udcff.jsonl", "{", json.dumps({"answer": TEXT}))  # a name that is no UTF-8
    assert rewrite_corpus(odd, out, overwrite=True).rejected == 1 and rejects(out)[0]["file"] == str(odd)
    out.unlink()
    with pytest.raises(ProblemError, match="out.jsonl.rejects.jsonl' exists; choose a new file, or pass --over"):
        rewrite_corpus(write(source, json.dumps({"answer": TEXT})), out)
    rewrite_corpus(source, out, overwrite=True)
    assert rejects(out) is None  # those of an earlier run are gone


def test_a_record_of_null_stays_as_it_is(tmp_path):
    lines = ['{"answer" : null}', json.dumps({"answer": TEXT}), '{"answer":null, "id": 1}']
    out = tmp_path / "out.jsonl"
    report = rewrite_corpus(write(tmp_path / "in.jsonl", *lines), out)
    assert (report.texts, report.rejected) == (1, 0)
    assert out.read_text().splitlines()[::2] == lines[::2]


def test_another_field(tmp_path):
    source = write(tmp_path / "in.jsonl", json.dumps({"answer": TEXT, "solution": TEXT}))
    rewrite_corpus(source, tmp_path / "out.jsonl", field="solution")
    assert json.loads((tmp_path / "out.jsonl").read_text()) == {"answer": TEXT, "solution": rewrite(TEXT)}


@pytest.mark.parametrize(
    "kind",
    [
        pyarrow.string(),
        pyarrow.large_string(),
        pyarrow.string_view(),
        pyarrow.dictionary(pyarrow.int32(), pyarrow.string()),
    ],
    ids=str,
)
def test_parquet_there_and_back(tmp_path, kind, monkeypatch):
    monkeypatch.setattr(corpus, "BATCH", 3)
    texts = [TEXT, None, "no equation", "<<1+1=2>>2"] * 4
    table = pyarrow.table({"id": range(16), "answer": pyarrow.array(texts, kind)}).replace_schema_metadata({"a": "b"})
    source, out, back = (tmp_path / f"{name}.parquet" for name in ("in", "out", "back"))
    pyarrow.parquet.write_table(table, source, compression="zstd" if kind == pyarrow.string() else "none")
    report = rewrite_corpus(source, out)
    first, second = (pyarrow.parquet.read_metadata(path).row_group(0).column(1) for path in (source, out))
    assert first.compression == second.compression
    assert (report.texts, report.changed, report.equations["rewritten"]) == (12, 8, 8)
    converted = pyarrow.parquet.read_table(out)
    assert converted["answer"].to_pylist() == [text and rewrite(text) for text in texts]
    rewrite_corpus(out, back, back=True)
    assert pyarrow.parquet.read_table(back).to_pydict() == table.to_pydict() and converted.schema.equals(
        table.schema, True
    )


def test_what_is_refused_leaves_the_old_file_and_nothing_else(tmp_path):
    source = write(tmp_path / "in.jsonl", json.dumps({"answer": TEXT}))
    table = tmp_path / "in.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"answer": [1, 2]}), table)
    write(tmp_path / "out.jsonl", "old")
    write(tmp_path / "out.parquet", "old")
    for arguments, reason in (
        ((tmp_path / "none.jsonl", tmp_path / "out.jsonl"), "none.jsonl': no file of that name"),
        ((tmp_path, tmp_path / "out.jsonl"), "no file of that name; give a file of JSONL"),
        ((source, tmp_path / "out.parquet"), "out.parquet': give a file of the same kind as 'in.jsonl'"),
        ((source, tmp_path / "none" / "out.jsonl"), "none/out.jsonl' can't be written: its folder is missing"),
        ((table, tmp_path / "out.parquet"), "column 'answer' is int64; give text"),
        ((table, tmp_path / "out.parquet", "text"), "column 'text' is missing; give text"),
        ((write(tmp_path / "no.parquet", "no"), tmp_path / "out.parquet"), "can't be read: .*give Parquet"),
        ((source, tmp_path / "out.jsonl", "answer", "r"), "notation 'r' is unknown"),
    ):
        with pytest.raises(ProblemError, match=reason):
            rewrite_corpus(*arguments, overwrite=True)
    with pytest.raises(ProblemError, match="out.jsonl' exists"):
        rewrite_corpus(source, tmp_path / "out.jsonl")
    assert {path.name for path in tmp_path.iterdir()} == {
        "in.jsonl",
        "in.parquet",
        "no.parquet",
        "out.jsonl",
        "out.parquet",
    }
    assert (tmp_path / "out.jsonl").read_text() == (tmp_path / "out.parquet").read_text() == "old\n"


def test_neither_the_source_nor_what_is_no_file_is_replaced(tmp_path):
    source = write(tmp_path / "in.jsonl", json.dumps({"answer": TEXT}), "{")
    before = source.read_bytes()
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "link.jsonl").symlink_to(source)
    for out, reason in (
        (source, "is the file to read"),
        (Path("."), "it is not a file; choose a new one"),
        (tmp_path / "link.jsonl", "is the file to read"),
        (tmp_path / "pipe.jsonl", "it is not a file; choose a new one"),
    ):
        with pytest.raises(ProblemError, match=reason):
            rewrite_corpus(source, out)
    assert source.read_bytes() == before and (tmp_path / "pipe.jsonl").is_fifo()
    assert rejects(source) is None


def test_an_interrupt_leaves_the_old_file(tmp_path):
    source = write(tmp_path / "in.jsonl", *[json.dumps({"answer": TEXT})] * 5)
    out = write(tmp_path / "out.jsonl", "old")

    def interrupt(n):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rewrite_corpus(source, out, overwrite=True, advance=interrupt)
    assert out.read_text() == "old\n" and sorted(os.listdir(tmp_path)) == ["in.jsonl", "out.jsonl"]


def test_memory_does_not_grow_with_the_file(tmp_path):
    line = json.dumps({"answer": "x" * 2000 + TEXT})
    source = write(tmp_path / "in.jsonl", *[line] * 4000)
    assert source.stat().st_size > 8_000_000
    tracemalloc.start()
    try:
        rewrite_corpus(source, tmp_path / "out.jsonl")
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


OBJECTS = st.dictionaries(
    st.text(max_size=5),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
        lambda x: st.lists(x, max_size=3),
        max_leaves=4,
    ),
    max_size=3,
)


@given(OBJECTS, st.text(), st.booleans(), st.sampled_from([None, 1]), st.data())
def test_edits_reach_the_characters_that_they_are_of(others, text, ascii, indent, data):
    row = {**others, "answer": text}
    line = json.dumps(row, ensure_ascii=ascii, indent=indent)
    start, end = find_value(line, "answer")
    assert json.loads(line[start:end]) == text
    at = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(at, len(text)))
    new = convert_line(line, "answer", lambda _: [Edit(at, stop, '"é')])
    assert json.loads(new) == row | {"answer": text[:at] + '"é' + text[stop:]}
    assert convert_line(line, "answer", lambda _: []) == line

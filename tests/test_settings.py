"""YAML from elsewhere: whatever a file holds, one line names it, the key, its value and what is accepted, at once."""

import os

import pytest

from revorder import ProblemError
from revorder.mixtures.mixture import Mixture
from revorder.settings import MAX_BYTES, Settings, read_yaml

PART = '{op: "+", a: 1, b: 1}'
PARTS = f"parts: [{PART}]\n"
LAUGHS = "a0: &a0 [ha]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 12))


def refusal(path):
    """What Mixture.read says of a file, on one line."""
    with pytest.raises(ProblemError) as error:
        Mixture.read(path)
    message = str(error.value)
    assert message.startswith(f"mixture {str(path)!r}") and ("accepted: " in message or "; give a YAML file" in message)
    assert "\n" not in message and len(message) < 400 + len(str(path))
    return message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        # of the file as a whole
        ("", "the whole is null; accepted: a mapping with name, method"),
        ("5", "the whole is 5; accepted: a mapping with name, method"),
        ("[1, 2]", "the whole is [1, 2]; accepted: a mapping"),
        ("just words", 'the whole is "just words"; accepted: a mapping'),
        (
            f"{PARTS}---\n{PARTS}",
            "can't be read: but found another document, line 2; give a YAML file, or one of authors,",
        ),
        ("parts: [", "can't be read: expected the node content, but found '<stream end>', line 1"),
        ("parts:\n\t- 1", "can't be read: found character '\\t' that cannot start any token, line 2"),
        ("a: \x00", "can't be read: unacceptable character #x0000"),
        # what multiplies, or is more than plain data
        (LAUGHS, "can't be read: an alias is not read here, line 2"),
        ("size: &n 5\nparts: *n", "can't be read: an alias is not read here, line 2"),
        ("parts: &p [*p]", "can't be read: an alias is not read here, line 1"),
        ("<<: {size: 5}\n" + PARTS, "key '<<' is unknown"),
        ("size: !!int '1:30'", "can't be read: a tag is not read here, line 1"),
        ("size: !!timestamp 2001-99-99", "can't be read: a tag is not read here"),
        ("parts: !!python/object/apply:os.system ['true']", "can't be read: a tag is not read here"),
        ("parts: !!set {a, b}", "can't be read: a tag is not read here"),
        ("size: !!binary aGVsbG8=", "can't be read: a tag is not read here"),
        # nesting and length
        ("[" * 60_000, "can't be read: maximum recursion depth exceeded"),
        ("{a: " * 15_000, "can't be read: maximum recursion depth exceeded"),
        ("- " * 30_000, "can't be read: maximum recursion depth exceeded"),
        ("[" * 100_000, f"can't be read: it has more than {MAX_BYTES} bytes"),
        (PARTS + "#" * MAX_BYTES, f"can't be read: it has more than {MAX_BYTES} bytes"),
        # numbers that are none here
        (f"size: {'9' * 5000}", f"key 'size' is \"{'9' * 39}…{'9' * 18}\"; accepted: a whole number"),
        (f"parts: [{{op: '+', a: {'9' * 5000}, b: 1}}]", "parts 0, key 'a' is \"9999"),
        ("size: 1:30", "key 'size' is \"1:30\"; accepted: a whole number of at least 1"),
        ("size: 1:30:30.5", "key 'size' is \"1:30:30.5\"; accepted: a whole number of at least 1"),
        ("size: 010", "key 'size' is \"010\"; accepted: a whole number of at least 1"),
        ("size: 0x10", "key 'size' is \"0x10\"; accepted: a whole number of at least 1"),
        ("size: 1_000", "key 'size' is \"1_000\"; accepted: a whole number of at least 1"),
        ("size: 2001-01-01", "key 'size' is \"2001-01-01\"; accepted: a whole number of at least 1"),
        ("size: 2001-99-99", "key 'size' is \"2001-99-99\"; accepted: a whole number of at least 1"),
        ("size: 2001-01-01 25:61:61", "key 'size' is \"2001-01-01 25:61:61\"; accepted: a whole number"),
        ("rollback: .nan", "key 'rollback' is \".nan\"; accepted: a number from 0 to 1"),
        ("rollback: .inf", "key 'rollback' is \".inf\"; accepted: a number from 0 to 1"),
        ("rollback: -.inf", "key 'rollback' is \"-.inf\"; accepted: a number from 0 to 1"),
        ("rollback: 1e999", "key 'rollback' is Infinity; accepted: a number from 0 to 1"),
        # keys
        ("sise: 2", "key 'sise' is unknown; accepted: name, method"),
        ("1: 2\n" + PARTS, "key '1' is unknown; accepted: name, method"),
        ("null: 2\n" + PARTS, "key 'None' is unknown; accepted: name, method"),
        ("[a]: 2\n" + PARTS, "can't be read: found unhashable key, line 1"),
        (f"size: 5\n{PARTS}size: 6", "can't be read: key 'size' stands twice, line 3"),
        (f"parts: [{PART}, {{op: '+', a: 1, b: 1, c: 2}}]", "parts 1, key 'c' is unknown; accepted: op, a, b, weight"),
        ("size: 5", "key 'parts' is missing; accepted: a list of parts"),
        ("parts: [{op: '+', b: 1}]", "parts 0, key 'a' is missing; accepted: a digit count from 1 to 70"),
        # values of another type
        ("size: true", "key 'size' is true; accepted: a whole number of at least 1"),
        ("size: '2'", "key 'size' is \"2\"; accepted: a whole number of at least 1"),
        ("size: 2.0", "key 'size' is 2.0; accepted: a whole number of at least 1"),
        ("size: null", "key 'size' is null; accepted: a whole number of at least 1"),
        ("size:", "key 'size' is null; accepted: a whole number of at least 1"),
        ("rollback: '0.5'", "key 'rollback' is \"0.5\"; accepted: a number from 0 to 1"),
        ("rollback: false", "key 'rollback' is false; accepted: a number from 0 to 1"),
        ("answer: 1", "key 'answer' is 1; accepted: true or false"),
        ("answer: yes", "key 'answer' is \"yes\"; accepted: true or false"),
        ("name: 5", "key 'name' is 5; accepted: letters, digits"),
        ('name: "a\\nb"', "key 'name' is \"a\\nb\"; accepted: letters, digits"),
        ('name: "\\ud800"', "key 'name' is \"\\ud800\"; accepted: letters, digits"),
        ("parts: {op: '+'}", 'key \'parts\' is {"op": "+"}; accepted: a list of parts'),
        ("parts: [[1]]", "key 'parts' is [[1]]; accepted: a mapping with op, a, b"),
    ],
    ids=lambda text: repr(text[:30]),
)
def test_what_a_file_holds_is_refused_in_one_line(text, says, tmp_path):
    path = tmp_path / "mixture.yaml"
    path.write_text(text)
    assert says in refusal(path)


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"name: \x80", bytes(range(256))])
def test_bytes_that_are_no_text_are_refused(data, tmp_path):
    path = tmp_path / "mixture.yaml"
    path.write_bytes(data)
    assert "can't be read: " in refusal(path)


def test_what_is_no_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "fifo.yaml")  # opening it would wait for a writer
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")  # reading it would never end
    (tmp_path / "folder.yaml").mkdir()
    (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
    for name in ("fifo", "zero", "folder"):
        assert "can't be read: it is not a file; give a YAML file, or one of authors" in refusal(
            tmp_path / f"{name}.yaml"
        )
    assert "can't be read: " in refusal(tmp_path / "loop.yaml")
    assert "can't be read: No such file or directory" in refusal(tmp_path / "none.yaml")
    assert "can't be read: embedded null byte" in refusal("a\0.yaml")
    assert "can't be read: " in refusal(tmp_path / f"{'x' * 300}.yaml")
    assert "can't be read: it is not a file" in refusal("/dev/zero")
    (tmp_path / "plain").write_text("{")
    assert "line 1" in refusal(tmp_path / "plain")  # a path, where a name without one is a packaged one's


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, -2, +3, 0]", [1, -2, 3, 0]),
        ("[0.5, -.5, 1., 1e-3, 2E5, 1.5e+3]", [0.5, -0.5, 1.0, 0.001, 200000.0, 1500.0]),
        ("[true, false, null, ~, ]", [True, False, None, None]),
        ("{a: , b: text, c: '5', d: 2001-01-01}", {"a": None, "b": "text", "c": "5", "d": "2001-01-01"}),
        ("\ufeffa: 1  # a comment", {"a": 1}),
        ("999999999999999999", 10**18 - 1),
    ],
)
def test_plain_data_is_read(text, value, tmp_path):
    path = tmp_path / "data.yaml"
    path.write_text(text, encoding="utf-8")
    assert read_yaml(path, tmp_path, "file") == value
    assert read_yaml("data", tmp_path, "file") == value  # by its name in a folder


class Inner(Settings):
    number: int = 0
    rate: float = 1.0


class Outer(Settings):
    inner: Inner = Inner()
    numbers: tuple[int, ...] = ()
    maybe: Inner | None = None


def test_settings_without_descriptions_say_what_pydantic_accepts():
    for wrong, says in (
        ({"inner": 5}, "key 'inner' is 5; accepted: a mapping with number, rate"),
        ({"inner": {"nunber": 5}}, "inner, key 'nunber' is unknown; accepted: number, rate"),
        ({"inner": {"number": 1.5}}, "inner, key 'number' is 1.5; accepted: a whole number"),
        ({"maybe": {"rate": "fast"}}, "maybe, key 'rate' is \"fast\"; accepted: a number"),
        ({"numbers": 5}, "key 'numbers' is 5; accepted: a list"),
        ({"numbers": [1, 2.5]}, "key 'numbers' is [1, 2.5]; accepted: a whole number"),
    ):
        with pytest.raises(ProblemError) as error:
            Outer.check(wrong, "file")
        assert str(error.value) == f"file: {says}"
    assert Outer.check({"inner": {"rate": 2}, "numbers": [1]}, "file") == Outer(inner=Inner(rate=2.0), numbers=(1,))

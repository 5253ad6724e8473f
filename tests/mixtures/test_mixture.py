"""Mixtures: read from YAML or made in Python, every wrong key named with what it accepts."""

import pickle

import pytest
import yaml

from revorder import METHODS, ProblemError
from revorder.mixtures.mixture import MIXTURES, Mixture, MixturePart

ONE = {"op": "+", "a": 1, "b": 1}


def mixture_of(**changes):
    return {"parts": [{**ONE, **changes}]}


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({}, "'parts' is missing; accepted: a list of parts"),
        ({"parts": []}, "'parts' is []; accepted: a list of parts"),
        ({"parts": 5}, "'parts' is 5; accepted: a list of parts"),
        ({"parts": [5]}, "'parts' is [5]; accepted: a mapping with op, a, b, weight"),
        ({"parts": [ONE], "sise": 2}, "'sise' is unknown; accepted: name, method"),
        ({"parts": [ONE], "method": "nope"}, "'nope' is unknown; accepted: revorder"),
        ({"parts": [ONE], "method": ["lean"]}, "'method' is [\"lean\"]; accepted: a method's name"),
        ({"parts": [ONE], "form": "short"}, "'short' is unknown to method 'revorder'; accepted: compact, expanded"),
        ({"parts": [ONE], "form": 5}, "'form' is 5; accepted: a form of the method"),
        ({"parts": [ONE], "method": "plain", "rollback": 0.5}, "accepted: revorder, lean, authors"),
        ({"parts": [ONE], "rollback": 2}, "'rollback' is 2; accepted: a number from 0 to 1"),
        ({"parts": [ONE], "rollback": -0.1}, "'rollback' is -0.1; accepted: a number from 0 to 1"),
        ({"parts": [ONE], "rollback": True}, "'rollback' is true; accepted: a number from 0 to 1"),
        ({"parts": [ONE], "rollback": "3%"}, "'rollback' is \"3%\"; accepted: a number from 0 to 1"),
        ({"parts": [ONE], "rollback": float("nan")}, "'rollback' is \".nan\"; accepted: a number from 0 to 1"),
        ({"parts": [ONE], "estimate_digits": -1}, "'estimate_digits' is -1; accepted: a whole number, 0 for none"),
        ({"parts": [ONE], "estimate_digits": 2.0}, "'estimate_digits' is 2.0; accepted: a whole number, 0 for none"),
        (
            {"parts": [ONE], "method": "goat", "estimate_digits": 2},
            "'estimate_digits' is for a method that takes digits back; accepted: revorder, lean, authors",
        ),
        (
            {"parts": [ONE], "rollback": 0.1, "estimate_digits": 2},
            "keys 'rollback' and 'estimate_digits'; give one of them",
        ),
        ({"parts": [ONE], "margin": 0.5}, "'margin' is unknown"),
        ({"parts": [ONE], "answer": "no"}, "'answer' is \"no\"; accepted: true or false"),
        ({"parts": [ONE], "size": 1.5}, "'size' is 1.5; accepted: a whole number of at least 1"),
        ({"parts": [ONE], "size": 0}, "'size' is 0; accepted: a whole number of at least 1"),
        ({"parts": [ONE], "name": "../up"}, "'name' is \"../up\"; accepted: letters, digits, . _ -"),
        ({"parts": [ONE], "name": "x" * 101}, 'xxx"; accepted: letters, digits, . _ -, up to 100 of them'),
        (mixture_of(c=2), "parts 0, key 'c' is unknown; accepted: op, a, b"),
        (mixture_of(op="^"), "parts 0, key 'op' is \"^\"; accepted: + - * /"),
        (mixture_of(a=[5, 2]), "'a' is [5, 2]; accepted: a digit count from 1 to 70, or [least, most]"),
        (mixture_of(a=[1, 2, 3]), "'a' is [1, 2, 3]; accepted: a digit count from 1 to 70, or [least, most]"),
        (mixture_of(a=71), "'a' is 71; accepted: a digit count from 1 to 70, or [least, most]"),
        (mixture_of(a=True), "'a' is true; accepted: a digit count"),
        (mixture_of(a="2"), "'a' is \"2\"; accepted: a digit count"),
        (mixture_of(weight=float("inf")), "'weight' is \".inf\"; accepted: a number above 0"),
        (mixture_of(weight=0), "'weight' is 0; accepted: a number above 0"),
        (
            mixture_of(draw="value"),
            "'draw' is \"value\"; accepted: 'lengths', 'values', 'retries', 'sparse', 'zeros', 'fives' or 'near'",
        ),
        (mixture_of(draw="retries"), "'draw' is \"retries\"; accepted: for /, 'b' of 3 digits or more"),
        (mixture_of(draw="sparse"), "'draw' is \"sparse\"; accepted: for *, 'b' of 2 digits or more"),
        (mixture_of(draw="zeros"), "'draw' is \"zeros\"; accepted: for /"),
        (
            mixture_of(op="/", a=3, b=3, draw="near"),
            "'draw' is \"near\"; accepted: for /, 'a' of one digit more than 'b'",
        ),
        (mixture_of(draw="fives"), "'draw' is \"fives\"; accepted: for *, 'a' of 2 digits or more"),
        (mixture_of(swap_operands="no"), "'swap_operands' is \"no\"; accepted: true or false"),
        (
            mixture_of(op="/", a=3, b=5),
            "parts 0, key 'a' is at most 3 digits, less than 'b'; dividends must be as long",
        ),
        ({"parts": [ONE, {"op": "+", "b": 1}]}, "parts 1, key 'a' is missing; accepted: a digit count from 1 to 70"),
    ],
)
def test_a_wrong_mixture_is_named(settings, says, tmp_path):
    path = tmp_path / "mixture.yaml"
    path.write_text(yaml.safe_dump(settings))
    with pytest.raises(ProblemError) as error:
        Mixture.read(path)
    assert says in str(error.value) and str(path) in str(error.value) and "\n" not in str(error.value)


def test_a_mapping_is_checked_as_a_file_is():
    for wrong, says in (
        ({"parts": [ONE], "rollback": float("nan")}, "'rollback' is NaN; accepted: a number from 0 to 1"),
        ({"parts": [ONE], "size": 10**5000, "nope": 1}, "'nope' is unknown"),
        (mixture_of(a=10**5000), "'a' is <int>; accepted: a digit count"),
        (mixture_of(weight=float("inf")), "'weight' is Infinity; accepted: a number above 0"),
        ({"parts": [ONE], "name": {1, 2}}, "'name' is \"{1, 2}\"; accepted: letters"),
        ({"parts": [ONE], 5: 6}, "'5' is unknown"),
    ):
        with pytest.raises(ProblemError) as error:
            Mixture.read(wrong)
        assert str(error.value).startswith("mixture: ") and says in str(error.value)


@pytest.mark.parametrize("name", sorted(file.stem for file in MIXTURES.glob("*.yaml")))
def test_packaged_mixtures_are_read_by_name_and_by_path(name):
    mixture = Mixture.read(name)
    assert mixture == Mixture.read(MIXTURES / f"{name}.yaml") and mixture.name == name
    assert Mixture.read(mixture.model_dump(mode="json")) == mixture == pickle.loads(pickle.dumps(mixture))


def test_the_form_and_the_answer_are_the_methods_own_by_default():
    for name, method in METHODS.items():
        mixture = Mixture.read({"method": name, "parts": [ONE]})
        assert (mixture.form, mixture.answer) == (method.forms[0], method.writes_answer)
        assert mixture == Mixture(method=name, parts=(MixturePart(op="+", a=1, b=(1, 1)),))
    assert Mixture.read({"method": "lean", "answer": True, "parts": [ONE]}).answer
    assert Mixture.read({"form": "expanded", "parts": [ONE]}).form == "expanded"


def test_a_name_that_is_no_mixtures_says_which_are():
    with pytest.raises(
        ProblemError, match="'nope' can't be read: .*; give a YAML file, or one of authors, lean, paper, small"
    ):
        Mixture.read("nope")

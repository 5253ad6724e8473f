"""The value of what a trace writes, computed apart from the package that wrote it."""

import ast
import operator
import re
from fractions import Fraction

OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: Fraction}


def compute(text):
    """The value of digits, + - * / and parentheses; division is exact."""

    def walk(node):
        if isinstance(node, ast.BinOp):
            return OPERATORS[type(node.op)](walk(node.left), walk(node.right))
        if isinstance(node, ast.UnaryOp):
            assert isinstance(node.op, ast.USub)
            return -walk(node.operand)
        assert isinstance(node, ast.Constant) and isinstance(node.value, int)
        return node.value

    return walk(ast.parse(text.strip(), mode="eval").body)


def backwards(digits):
    """The number whose digits are written lowest first, a minus sign last."""
    return int(digits[::-1])


def forwards(text):
    """A text with its `r|21-` or `r21-` turned round, however many digits it has."""
    return re.sub(r"r\|?([0-9]+)(-(?![0-9r]))?", lambda m: str(backwards(m[1] + (m[2] or ""))), text)

# Runs without the program: python3 -m unittest discover test

import importlib.util
import unittest
from pathlib import Path
from types import SimpleNamespace

FILE = Path(__file__).parent.parent / "{{tool}}.tool.py"
spec = importlib.util.spec_from_file_location("tool", FILE)
tool = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tool)


class ToolError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def context():
    """As much of what a run is given as the tool uses."""
    kept = {}
    return SimpleNamespace(
        Error=ToolError,
        logger=SimpleNamespace(info=lambda *values: None),
        environment=SimpleNamespace(get=lambda name, default=None: default),
        storage=SimpleNamespace(get_item=lambda key, default=None: kept.get(key, default), set_item=kept.__setitem__),
    )


class Greeting(unittest.TestCase):
    def test_greets_in_the_language_that_was_asked_for_and_counts(self):
        toolm = context()
        self.assertEqual(tool.execute({"name": "Ada"}, toolm), {"greeting": "Hello, Ada!", "count": 1})
        french = tool.execute({"name": "Ada", "language": "fr"}, toolm)
        self.assertEqual(french, {"greeting": "Bonjour, Ada!", "count": 2})

    def test_an_empty_name_is_a_business_error(self):
        (known,) = tool.get_business_errors()
        with self.assertRaises(ToolError) as raised:
            tool.execute({"name": " "}, context())
        self.assertEqual(raised.exception.code, known["code"])
        self.assertTrue(known["match"].search(str(raised.exception)))

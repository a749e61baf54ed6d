"""{{tool}}: says a greeting, and counts how often it did.

Replace what execute() does; everything else is asked for by whoever uses the tool. Packages go into
requirements.txt beside this file, one a line with its version.
"""

import re


def get_metadata():
    return {
        "id": "{{tool}}",
        "name": "{{tool}}",
        "description": "Says a greeting in one of several languages",
        "version": "0.1.0",
        "category": "example",
        "author": "you",
        "tags": ["example"],
        "scenarios": ["A model wants to greet somebody"],
        "limitations": ["Knows the languages of its schema only"],
    }


def get_schema():
    return {
        "parameters": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "description": "Whom to greet", "minLength": 1},
                "language": {
                    "type": "string",
                    "description": "In which language",
                    "enum": ["en", "zh", "fr"],
                    "default": "en",
                },
            },
            "required": ["name"],
        },
        "environment": {
            "type": "object",
            "properties": {
                "GREETING_SIGN": {"type": "string", "description": "What ends a greeting", "default": "!"},
            },
            "required": [],
        },
    }


def get_business_errors():
    """A failure whose message matches is explained by its solution."""
    return [
        {
            "code": "NAME_EMPTY",
            "match": re.compile("name is empty", re.IGNORECASE),
            "description": "The name has nothing but white space",
            "solution": "Give a name with at least one letter",
            "retryable": False,
        },
    ]


def get_runtime_config():
    """What it asks for; a person gives it. Nothing is the best there is."""
    return {"maxMemory": 64, "maxExecutionTime": 10, "networkAccess": False}


def execute(parameters, toolm):
    # What called it may be a test, or a trial with parameters that nobody checked.
    name = parameters.get("name")
    if not isinstance(name, str):
        raise TypeError("name: a text is required")
    if not name.strip():
        raise toolm.Error("NAME_EMPTY", "The name is empty")
    if len(name) > 100:
        raise ValueError("name: at most 100 characters")
    words = {"en": "Hello", "zh": "你好", "fr": "Bonjour"}
    language = parameters.get("language", "en")
    if language not in words:
        raise ValueError("language: one of " + ", ".join(words))
    sign = toolm.environment.get("GREETING_SIGN", "!")
    count = toolm.storage.get_item("count", 0) + 1
    toolm.storage.set_item("count", count)
    toolm.logger.info("greeted", {"language": language, "count": count})
    return {"greeting": f"{words[language]}, {name.strip()}{sign}", "count": count}

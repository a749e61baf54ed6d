# Runs the cells of a notebook, each in a thread of its own, in one namespace. A line of JSON in is a
# cell or an answer; a line of JSON out is what a cell prints, asks for, or came to.
import ast, io, json, queue, sys, threading, traceback

_out, _in = sys.stdout, sys.stdin
_lock = threading.Lock()
_answers = {}
_namespace = {"__name__": "__main__"}
_here = threading.local()


def _say(message):
    with _lock:
        _out.write(json.dumps(message) + "\n")
        _out.flush()


class _Stdout(io.TextIOBase):
    encoding = "utf-8"

    def writable(self):
        return True

    def write(self, text):
        rest = getattr(_here, "rest", "") + str(text)
        lines = rest.split("\n")
        _here.rest = lines.pop()
        for line in lines:
            _say({"cell": getattr(_here, "cell", 0), "out": line})
        return len(text)

    def over(self):
        rest, _here.rest = getattr(_here, "rest", ""), ""
        if rest:
            _say({"cell": getattr(_here, "cell", 0), "out": rest})


class ToolError(Exception):
    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def _ask(question):
    _stdout.over()
    cell = getattr(_here, "cell", 0)
    _say({"cell": cell, "ask": question})
    answer = _answers[cell].get()
    if "code" in answer:
        raise ToolError(answer["code"], answer["message"])
    return answer["value"]


def _input(hint="", target="User"):
    return _ask({"end": "input", "hint": str(hint), "from": str(getattr(target, "name", target))})


def _tool(name, params=None):
    return _ask({"end": "tool", "name": str(name), "params": params or {}})


def _shown(value):
    if value is None:
        return ""
    return value if isinstance(value, str) else repr(value)


def _run(cell, code):
    _here.cell = cell
    try:
        tree = ast.parse(code, "cell.py")
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        exec(compile(tree, "cell.py", "exec"), _namespace)
        value = None
        if last is not None:
            value = eval(compile(ast.Expression(last.value), "cell.py", "eval"), _namespace)
        text = _shown(value)
        _stdout.over()
        _say({"cell": cell, "done": text})
    except BaseException as error:
        _stdout.over()
        said = traceback.format_exception_only(type(error), error)
        places = [at.lineno for at in traceback.extract_tb(error.__traceback__) if at.filename == "cell.py"]
        place = " (line %d)" % places[-1] if places else ""
        _say({"cell": cell, "failed": "".join(said).strip() + place, "syntax": isinstance(error, SyntaxError)})
    finally:
        _answers.pop(cell, None)


_stdout = sys.stdout = sys.stderr = _Stdout()
_namespace.update({"input": _input, "tool": _tool, "ToolError": ToolError, "User": "User"})
for _line in _in:
    _message = json.loads(_line)
    _cell = _message["cell"]
    if "code" in _message and "message" not in _message:
        _answers[_cell] = queue.Queue()
        threading.Thread(target=_run, args=(_cell, _message["code"]), daemon=True).start()
    elif _cell in _answers:
        _answers[_cell].put(_message)

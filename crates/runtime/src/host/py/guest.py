# A tool's worker in the machine's Python: reads frames from file 3, answers on file 4. The owner trusts
# nothing that comes from here; what a tool may reach is decided by the walls around this process.
# Only the standard library, and nothing that Python 3.9 has not. `network.py` is put before this text.
import contextlib
import errno
import importlib.abc
import importlib.machinery
import importlib.util
import inspect
import io
import json
import math
import os
import queue
import re
import resource
import struct
import sys
import threading
import time
import traceback
import types

CHANNEL = 3
ANSWERS = 4
LOADING = 0
OLDEST = (3, 9)
NO_MEMORY = 72
DEPTH = 100
RESULT_CHARS = 16 * 1024 * 1024
RESULT_VALUES = 2000000
STACK_CHARS = 16 * 1024
MESSAGE_BYTES = 64 * 1024
MESSAGE_COST = 64
RUN_BYTES = 8 * 1024 * 1024
PROGRESS_SECONDS = 0.01
PROGRESS_BYTES = 4096
STORAGE_BYTES = 32 * 1024 * 1024
LEFT_WORK = "the process ends with this run, which left work behind: what the tool kept in memory is lost"

APART = os.environ.get("PM_APART") == "1"
# What a command is given: folders of its own, and the way out.
OURS = ["HOME", "TMPDIR"] + [
    each for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] for each in (name, name.lower())
]
# Functions that a tool is described by, as the design names them and as Python does: both are found.
DESCRIBING = {
    "getMetadata": ("get_metadata", "metadata"),
    "getSchema": ("get_schema", "schema"),
    "getDependencies": ("get_dependencies", "dependencies"),
    "getSystemDependencies": ("get_system_dependencies", "systemDependencies"),
    "getBusinessErrors": ("get_business_errors", "businessErrors"),
    "getRuntimeConfig": ("get_runtime_config", "runtimeConfig"),
    "generateManual": ("generate_manual", "manual"),
    "getTranslations": ("get_translations", "translations"),
}


def well_formed(text):
    """Halves of characters do not travel."""
    try:
        text.encode()
        return text
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def cut(text, limit):
    content = text.encode()
    if len(content) <= limit:
        return text
    return "%s… (+%d bytes)" % (content[:limit].decode("utf-8", "ignore"), len(content) - limit)


class Channel:
    """What is said to the owner, and the run that is open."""

    def __init__(self):
        self.writing = threading.Lock()
        self.turn = threading.Lock()
        self.open = LOADING
        self.logged = 0
        self.dropped = 0
        self.told = 0.0
        self.untold = None
        self.idle = 0

    def send(self, message):
        self.write(json.dumps(message, ensure_ascii=False, allow_nan=False).encode())

    def write(self, content):
        with self.writing:
            for part in (struct.pack("<II", len(content), 0), content):
                rest = memoryview(part)
                while rest:
                    try:
                        rest = rest[os.write(ANSWERS, rest) :]
                    except OSError:
                        os._exit(0)

    def log(self, level, text):
        message = cut(well_formed(str(text)), MESSAGE_BYTES)
        # What a thread says when no run is open belongs to nobody.
        if self.open is None:
            return
        self.logged += len(message.encode()) + MESSAGE_COST
        if self.logged > RUN_BYTES:
            self.dropped += 1
        else:
            self.send({"t": "log", "level": level, "text": message})

    def progress(self, done, total=None, text=None):
        number = lambda value: float(value) if isinstance(value, (int, float)) and math.isfinite(value) else None
        words = None if text is None else cut(well_formed(str(text)), PROGRESS_BYTES)
        self.untold = {"t": "progress", "done": number(done) or 0.0, "total": number(total), "text": words}
        # Where there is too much of it, the newest counts.
        if time.monotonic() - self.told >= PROGRESS_SECONDS:
            self.tell()

    def tell(self):
        untold, self.untold = self.untold, None
        self.told = time.monotonic()
        if untold is not None and self.open is not None:
            self.send(untold)

    def finish(self, result, ending=False):
        """The end of the run that is open; false when none is."""
        with self.turn:
            run = self.open
            if run is None:
                return False
            self.tell()
            last = ending or run == LOADING or left() > self.idle
            if last and run != LOADING:
                self.log("WARN", LEFT_WORK)
            if last and "failed" in result:
                result["failed"]["state_lost"] = run != LOADING
            lost, self.logged, self.dropped = self.dropped, 0, 0
            if lost:
                self.log("WARN", "%d log messages over the limit of %d bytes were dropped" % (lost, RUN_BYTES))
            done = {"t": "done", "run": run, "outcome": result, "usage": usage(), "last": last}
            # Before the run is closed: where the memory does not suffice for its result, it ends by that.
            content = json.dumps(done, ensure_ascii=False, allow_nan=False).encode()
            self.open = None
            self.logged = 0
            self.write(content)
        if last:
            os._exit(0)
        return True


channel = Channel()


class Said(io.RawIOBase):
    """Standard output or errors in the log: what is printed at once is one message, whatever lines it has."""

    def __init__(self, level):
        self.level = level
        self.begun = b""

    def writable(self):
        return True

    def fileno(self):
        """For what the tool starts: its output is nobody's but the worker's own errors."""
        return 2

    def write(self, content):
        self.begun += bytes(content)
        if self.begun.endswith(b"\n") or len(self.begun) > MESSAGE_BYTES:
            self.end()
        return len(content)

    def end(self):
        begun, self.begun = self.begun, b""
        if begun:
            text = begun.decode("utf-8", "replace")
            channel.log(self.level, text[:-1] if text.endswith("\n") else text)


def stream(level):
    buffered = io.BufferedWriter(Said(level), MESSAGE_BYTES)
    return io.TextIOWrapper(buffered, encoding="utf-8", errors="backslashreplace", line_buffering=True)


def usage():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {"cpu_ms": (used.ru_utime + used.ru_stime) * 1000, "memory": used.ru_maxrss * 1024}


def left():
    """Threads beside the two of this program, processes of ours, and all that live in our namespace."""
    children = 0
    for thread in os.listdir("/proc/self/task"):
        try:
            with open("/proc/self/task/%s/children" % thread) as listed:
                children += len(listed.read().split())
        except OSError:
            # It ended, or the kernel keeps no such list.
            pass
    # Orphans are not children; in a namespace of our own they are seen.
    others = len([name for name in os.listdir("/proc") if name.isdigit()]) if APART else 0
    return threading.active_count() + children + others


def failure(cause, message, **more):
    return dict({"cause": cause, "message": well_formed(str(message))}, **more)


class NotJson(Exception):
    pass


class TooLarge(Exception):
    pass


def plain(value):
    """The same of dictionaries, lists, texts, numbers and nothing, as JSON has them."""
    values = 0

    def copy(value, depth):
        nonlocal values
        values += 1
        if values > RESULT_VALUES:
            raise TooLarge(values)
        if value is None or isinstance(value, bool):
            return value
        if isinstance(value, str):
            return well_formed(str.__str__(value))
        if isinstance(value, int):
            if not -(2**63) <= value < 2**64:
                raise NotJson("a whole number of more than 64 bits is not JSON that others read: give it as text")
            return int(value)
        if isinstance(value, float):
            return float(value) if math.isfinite(value) else None
        if isinstance(value, Absent):
            raise NotJson("it comes from '%s', which is not there while a tool is described" % value.__name__)
        if not isinstance(value, (dict, list, tuple)):
            raise NotJson("a value of type %s is not JSON" % type(value).__name__)
        if depth == 0:
            raise NotJson("nested deeper than %d levels, or it holds itself" % DEPTH)
        values += 1
        if not isinstance(value, dict):
            return [copy(part, depth - 1) for part in value]
        made = {}
        for key, part in value.items():
            if not isinstance(key, str):
                raise NotJson("a key of type %s is not JSON: keys are texts" % type(key).__name__)
            values += 1
            made[well_formed(str.__str__(key))] = copy(part, depth - 1)
        return made

    return copy(value, DEPTH)


def outcome(value):
    try:
        made = plain(value)
        chars = len(json.dumps(made, ensure_ascii=False))
    except NotJson as error:
        return {"failed": failure("not_serializable", error)}
    except TooLarge as error:
        detail = {"values": error.args[0], "limit": RESULT_VALUES}
        return {"failed": failure("result_too_large", "more than %d values" % RESULT_VALUES, detail=detail)}
    if chars > RESULT_CHARS:
        detail = {"chars": chars, "limit": RESULT_CHARS}
        return {"failed": failure("result_too_large", "%d characters" % chars, detail=detail)}
    return {"ok": {"value": made, "picture": None}}


def code_of(error):
    code = getattr(error, "code", None)
    if isinstance(code, (str, int)) and not isinstance(code, bool):
        return well_formed(str(code))
    return errno.errorcode.get(error.errno) if isinstance(error, OSError) and error.errno else None


def frames(error):
    """Function, file, line and column from 1, innermost first; those of this program are nobody's business."""
    found = []
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if not frame.filename.startswith("<"):
            found.append((frame.name, frame.filename, frame.lineno or 1, (getattr(frame, "colno", 0) or 0) + 1))
    if isinstance(error, SyntaxError) and not str(error.filename or "<").startswith("<"):
        line, column = (one if type(one) is int and 0 < one < 2**31 else 1 for one in (error.lineno, error.offset))
        found.insert(0, ("<module>", str(error.filename), line, column))
    return found


def thrown(error):
    """What was raised may be anything, methods that raise included."""
    try:
        message = str(error.msg if isinstance(error, SyntaxError) else error)
    except Exception:
        message = ""
    if isinstance(error, SyntaxError):
        name = "SyntaxError"
    else:
        name = type(error).__name__
    try:
        code = code_of(error)
    except Exception:
        code = None
    cause, detail = "threw", None
    if isinstance(error, MemoryError):
        cause, message = "memory_limit", message or "out of memory"
    elif isinstance(error, SystemExit):
        code = None
        cause, message, detail = "exited", "sys.exit(%s)" % (error.code,), error.code if type(error.code) is int else None
    elif isinstance(error, ModuleNotFoundError) and isinstance(error.name, str) and error.name:
        cause, detail = "dependency_missing", well_formed(error.name).split(".")[0]
    places = frames(error)
    # What the frames hold could be what fills the memory.
    traceback.clear_frames(error.__traceback__)
    own = [place for place in places if tool is not None and place[1].startswith(tool.folder + "/")] or places
    stack = "\n".join("    at %s (%s:%d:%d)" % place for place in places)
    return failure(
        cause,
        message,
        name=name,
        code=code,
        stack=well_formed(stack)[:STACK_CHARS],
        line=own[0][2] if own else None,
        column=own[0][3] if own else None,
        detail=detail,
    )


def ended_by(error):
    """The end of the run by what was raised in it."""
    failed = thrown(error)
    if failed["cause"] == "threw" and tool is not None and tool.module is not None and channel.open != LOADING:
        try:
            failed["business"] = tool.business_error(error, failed["code"])
        except BaseException as other:
            channel.log("WARN", "the business errors could not be asked: %r" % other)
    channel.finish({"failed": failed}, ending=failed["cause"] in ("exited", "memory_limit"))


class Logger:
    def _write(self, level, message, values):
        channel.log(level, " ".join([str(message)] + [self._text(value) for value in values]))

    def _text(self, value):
        if isinstance(value, str):
            return value
        try:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
        except (TypeError, ValueError):
            return repr(value)

    def debug(self, message, *values):
        self._write("DEBUG", message, values)

    def info(self, message, *values):
        self._write("INFO", message, values)

    def warn(self, message, *values):
        self._write("WARN", message, values)

    warning = warn

    def error(self, message, *values):
        self._write("ERROR", message, values)


class Environment:
    def __init__(self, env):
        self._env = env

    def get(self, name, default=None):
        return self._env.get(name, default)

    def set(self, name, value):
        self._env[name] = os.environ[name] = str(value)


class Storage:
    """`data/storage.json`, consistent at once and after a restart."""

    # Of all threads: reading and writing are one step.
    _one = threading.Lock()

    def __init__(self, folder):
        self._file = os.path.join(folder, "data", "storage.json")

    def _read(self):
        try:
            with open(self._file, encoding="utf-8") as file:
                return json.load(file)
        except FileNotFoundError:
            return {}

    def _write(self, everything):
        content = json.dumps(plain(everything), ensure_ascii=False).encode()
        if len(content) > STORAGE_BYTES:
            raise ValueError("storage would grow to %d bytes, the limit is %d" % (len(content), STORAGE_BYTES))
        # Two workers may have the same number, each in a namespace of its own.
        draft = "%s.%s.tmp" % (self._file, os.urandom(8).hex())
        try:
            with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self._file)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(draft)
            raise

    def get_item(self, key, default=None):
        return self._read().get(str(key), default)

    def set_item(self, key, value):
        with self._one:
            everything = self._read()
            everything[str(key)] = value
            self._write(everything)

    def remove_item(self, key):
        with self._one:
            everything = self._read()
            if str(key) in everything:
                del everything[str(key)]
                self._write(everything)

    def clear(self):
        with self._one:
            self._write({})


class ToolError(Exception):
    """An error with a code, which a business error of that code explains."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Context:
    """What a run has of its surroundings: the second argument of `execute`."""

    Error = ToolError

    def __init__(self, given, env):
        self.tool_name = given["name"]
        self.tool_dir = given["folder"]
        self.logger = Logger()
        self.environment = Environment(env)
        self.storage = Storage(given["folder"])
        self._directories = given["directories"]
        self._homes = [("~/.prompt-manager", given["data_home"]), ("~", given["user_home"])]

    def progress(self, done, total=None, text=None):
        channel.progress(done, total, text)

    def allowed_directories(self):
        return list(self._directories)

    def resolve_path(self, path):
        """Explains what the operating system enforces: the mounts of this worker are the same list."""
        path = os.fspath(path)
        if not isinstance(path, str) or not path or "\0" in path:
            raise ValueError("path must be a text that is not empty and has no NUL")
        for short, long in self._homes:
            if path == short or path.startswith(short + "/"):
                path = long + path[len(short) :]
                break
        root = self._directories[0] if self._directories else self.tool_dir
        found = os.path.normpath(os.path.join(root, path))
        if any(found == one or found.startswith(one.rstrip("/") + "/") for one in self._directories):
            return found
        raise ToolError("path_not_allowed", "路径越权: %s 不在允许的目录范围内 [%s]" % (path, ", ".join(self._directories)))


class Absent(types.ModuleType):
    """A package that is not there while a tool is described: whatever is done with it at the top of a module goes on."""

    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Absent("%s.%s" % (self.__name__, name))

    def __call__(self, *given, **named):
        # What is decorated stays what it is.
        if len(given) == 1 and not named and callable(given[0]):
            return given[0]
        return Absent("%s()" % self.__name__)

    def __getitem__(self, key):
        return Absent("%s[]" % self.__name__)

    def __iter__(self):
        return iter(())

    def __len__(self):
        return 0

    def __bool__(self):
        return True

    def __enter__(self):
        return self

    def __exit__(self, *what):
        return False

    def __mro_entries__(self, bases):
        return ()


def stand_in(self, *others):
    return Absent(self.__name__)


# `np.pi / 180`, `pd.DataFrame | None`.
for operator in "add sub mul matmul truediv floordiv mod pow and or xor lshift rshift".split():
    setattr(Absent, "__%s__" % operator, stand_in)
    setattr(Absent, "__r%s__" % operator, stand_in)
for operator in ("neg", "pos", "invert", "abs"):
    setattr(Absent, "__%s__" % operator, stand_in)
for operator in ("lt", "le", "gt", "ge"):
    setattr(Absent, "__%s__" % operator, lambda self, other: False)


# What the standard library itself looks for, and takes its absence for another system.
ELSEWHERE = "_scproxy _winapi _winreg _wmi java msvcrt nt org vms_lib winreg winsound".split()
LIBRARY = set(getattr(sys, "stdlib_module_names", ())) | set(sys.builtin_module_names) | set(ELSEWHERE)


class Absence(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in LIBRARY:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return Absent(spec.name)

    def exec_module(self, module):
        pass


class Tool:
    def __init__(self, given):
        self.given = given
        self.folder = given["folder"]
        self.module = None
        self.way = given["as"]

    def load(self):
        path = os.path.join(self.folder, self.given["main"])
        sys.argv = [path]
        sys.path.insert(0, self.folder)
        if self.way == "describe":
            sys.meta_path.append(Absence())
        # Not the tool's own name, which may be a package's.
        spec = importlib.util.spec_from_file_location(re.sub(r"\W", "_", self.given["name"]) + "_tool", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        self.module = module

    def member(self, method):
        names = [method] if method not in DESCRIBING else [DESCRIBING[method][0], method]
        found = [getattr(self.module, name, None) for name in names]
        return next((one for one in found if callable(one) and not isinstance(one, Absent)), None)

    def execute(self, parameters):
        function = self.member("execute")
        if function is None:
            raise TypeError("tool '%s' has no function execute" % self.given["name"])
        context = Context(self.given, dict(self.given["env"]))
        kind = inspect.Parameter
        takes = [one.kind for one in inspect.signature(function).parameters.values()]
        takes = [one for one in takes if one not in (kind.KEYWORD_ONLY, kind.VAR_KEYWORD)]
        alone = takes in ([kind.POSITIONAL_ONLY], [kind.POSITIONAL_OR_KEYWORD])
        given = () if not takes else (parameters,) if alone else (parameters, context)
        return awaited(function(*given))

    def trial(self, parameters):
        """JSON has one word for what others have several for; whoever tries a tool wants to know."""
        result = self.execute(parameters)
        if isinstance(result, str):
            return {"kind": "string", "result": result}
        if isinstance(result, (dict, list, tuple)):
            return {"kind": "object", "result": result}
        kinds = [(type(None), "undefined"), (bool, "boolean"), ((int, float), "number")]
        kind = next((kind for types, kind in kinds if isinstance(result, types)), None)
        # What is no JSON at all is refused as every result is.
        return {"kind": kind} if kind else {"kind": "object", "result": result}

    def business_error(self, error, code):
        function = self.member("getBusinessErrors")
        entries = awaited(function()) if function else None
        for entry in entries if isinstance(entries, (list, tuple)) else []:
            if isinstance(entry, dict) and (fits(entry.get("match"), error) or (code and entry.get("code") == code)):
                return well_formed(entry["code"]) if isinstance(entry.get("code"), str) else None
        return None

    def describe(self):
        problems = []
        report = {"members": [name for name in ["execute", *DESCRIBING] if self.member(name)]}
        for method, (_, field) in DESCRIBING.items():
            function = self.member(method)
            try:
                said = awaited(function()) if function else None
                if field == "businessErrors" and isinstance(said, (list, tuple)):
                    said = [without_match(entry) for entry in said]
                report[field] = plain(said)
            except Exception as error:
                problems.append({"code": method + "_failed", "message": thrown(error)["message"]})
                report[field] = None
        # Its packages stand in requirements.txt.
        if report["dependencies"] is None and not self.member("getDependencies"):
            report["dependencies"] = {}
        config = report["runtimeConfig"] or {}
        if isinstance(config, dict):
            config.setdefault("sandboxType", "python")
            report["runtimeConfig"] = config
        report["problems"] = problems
        report["outline"] = Outline(self).made
        return report


def fits(match, error):
    if isinstance(match, re.Pattern):
        return match.search(str(error)) is not None
    if isinstance(match, str):
        return match != "" and match in str(error)
    return bool(match(error)) if callable(match) else False


def without_match(entry):
    """What it matches by stays here, where it is tested; of what kind it is can be told."""
    if not isinstance(entry, dict):
        return entry
    match = entry.get("match")
    if "match" not in entry:
        by = "undefined"
    elif isinstance(match, re.Pattern):
        by = "pattern"
    else:
        by = "string" if isinstance(match, str) else "function" if callable(match) else type(match).__name__
    return dict([pair for pair in entry.items() if pair[0] != "match"], matchedBy=by)


def awaited(value):
    if not inspect.isawaitable(value):
        return value
    import asyncio

    async def wait():
        return await value

    # Whatever else it began is called off with it.
    return asyncio.run(wait())


class Outline:
    """Where the parts of a tool stand in its source."""

    def __init__(self, tool):
        import ast

        self.ast = ast
        with open(os.path.join(tool.folder, tool.given["main"]), "rb") as file:
            body = ast.parse(file.read()).body
        methods = {name: method for method, (name, _) in DESCRIBING.items()}
        self.constants = {}
        self.made = {"places": {}, "parameters": {}, "imports": [], "default_export": (1, 1), "commonjs": None}
        for one in body:
            if isinstance(one, ast.Assign) and len(one.targets) == 1 and isinstance(one.targets[0], ast.Name):
                self.constants[one.targets[0].id] = one.value
                self.place(methods.get(one.targets[0].id, one.targets[0].id), one)
            elif isinstance(one, (ast.Import, ast.ImportFrom)):
                self.imports(one, tool.folder)
        for one in body:
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)):
                name = methods.get(one.name, one.name)
                self.place(name, one)
                arguments = one.args
                count = len(getattr(arguments, "posonlyargs", [])) + len(arguments.args) - len(arguments.defaults)
                self.made["parameters"][name] = count + (1 if arguments.vararg and not count else 0)
                returned = [part.value for part in ast.walk(one) if isinstance(part, ast.Return) and part.value]
                if returned:
                    self.value(name, returned[-1])

    def place(self, path, node):
        self.made["places"].setdefault(path, (node.lineno, node.col_offset + 1))

    def value(self, path, node, depth=8):
        ast = self.ast
        if isinstance(node, ast.Name):
            node = self.constants.get(node.id)
        if depth and isinstance(node, ast.Dict):
            for key, part in zip(node.keys, node.values):
                if isinstance(key, ast.Constant) and isinstance(key.value, str):
                    self.place("%s.%s" % (path, key.value), key)
                    self.value("%s.%s" % (path, key.value), part, depth - 1)
        elif depth and isinstance(node, (ast.List, ast.Tuple)):
            for index, part in enumerate(node.elts):
                self.place("%s.%d" % (path, index), part)
                self.value("%s.%d" % (path, index), part, depth - 1)

    def imports(self, node, folder):
        if isinstance(node, self.ast.Import):
            names = [alias.name for alias in node.names]
        else:
            names = [node.module] if node.module and not node.level else []
        for name in names:
            top = name.split(".")[0]
            own = any(os.path.exists(os.path.join(folder, top + end)) for end in ("", ".py"))
            if not own and isinstance(sys.modules.get(top), Absent):
                self.made["imports"].append((top, (node.lineno, node.col_offset + 1)))


tool = None


def listen_to_logging():
    """The standard library's `logging` goes into the log with its levels, unless the tool has set it up itself."""
    logging = sys.modules.get("logging")
    if logging is None or logging.getLogger().handlers:
        return

    class Handler(logging.Handler):
        def emit(self, record):
            levels = [(logging.ERROR, "ERROR"), (logging.WARNING, "WARN"), (logging.INFO, "INFO")]
            level = next((name for least, name in levels if record.levelno >= least), "DEBUG")
            try:
                channel.log(level, self.format(record))
            except Exception:
                # A line that cannot be written is no failure of the run.
                self.handleError(record)

    logging.getLogger().addHandler(Handler())
    logging.getLogger().setLevel(logging.INFO)


def load(given):
    global tool
    if sys.version_info < OLDEST:
        version = "%d.%d.%d" % sys.version_info[:3]
        channel.finish({"failed": failure("old_python", "Python " + version, detail=version)}, ending=True)
    ours = dict((name, os.environ[name]) for name in OURS if name in os.environ)
    os.environ.clear()
    os.environ.update(given["env"])
    os.environ.update(ours)
    tool = Tool(given)
    describing = tool.way == "describe"
    os.chdir(given["folder"] if describing or not given["directories"] else given["directories"][0])
    tool.load()
    if describing:
        channel.finish(outcome(tool.describe()), ending=True)
    listen_to_logging()
    channel.open = None
    channel.send({"t": "ready"})


def run(message):
    channel.idle = left()
    channel.open = message["run"]
    listen_to_logging()
    way = tool.trial if tool.way == "trial" else tool.execute
    try:
        result = outcome(way(message["params"]))
    finally:
        for one in (sys.stdout, sys.stderr):
            try:
                one.flush()
                one.buffer.raw.end()
            except Exception:
                # The tool has put something of its own there, or closed it.
                pass
    channel.finish(result)


def read(length):
    parts = []
    while length:
        part = os.read(CHANNEL, min(length, 1 << 20))
        if not part:
            os._exit(0)
        parts.append(part)
        length -= len(part)
    return b"".join(parts)


def listen(inbox):
    """Beside the tool, which may never yield: the end comes all the same."""
    words = {"time_limit": "time limit", "cancelled": "cancelled"}
    while True:
        content, blob = struct.unpack("<II", read(8))
        message = json.loads(read(content).decode())
        read(blob)
        if message["t"] != "stop":
            inbox.put(message)
        elif message["run"] == channel.open:
            # What goes on cannot be stopped in Python but with the process.
            channel.finish({"failed": failure(message["why"], words[message["why"]])}, ending=True)


def forked():
    """A process that the tool made of this one has nothing to say to the owner."""
    for file in (CHANNEL, ANSWERS):
        os.close(file)
    channel.open = None
    sys.stdout = sys.__stdout__
    sys.stderr = sys.__stderr__


def main():
    for file in (CHANNEL, ANSWERS):
        os.set_inheritable(file, False)
    os.register_at_fork(after_in_child=forked)
    sys.stdout, sys.stderr = stream("INFO"), stream("ERROR")
    inbox = queue.SimpleQueue()
    threading.Thread(target=listen, args=(inbox,), daemon=True).start()
    while True:
        message = inbox.get()
        try:
            (load if message["t"] == "load" else run)(message)
        except BaseException as error:
            try:
                ended_by(error)
            except MemoryError:
                os._exit(NO_MEMORY)
            except BaseException:
                # What was raised cannot even be looked at.
                channel.finish({"failed": failure("threw", "an error that cannot be shown")}, ending=True)


main()

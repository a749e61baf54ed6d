"""A server of MCP on its standard streams, as good or as bad as its first argument says."""
import json, os, socket, sys, threading, time

MODE = sys.argv[1] if len(sys.argv) > 1 else "good"
ABOUT = os.path.join(os.environ.get("HOME", "."), "about.txt")
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
lock = threading.Lock()
cancelled = {}


def say(message):
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def about():
    try:
        with open(ABOUT) as file:
            return file.read()
    except OSError:
        return "Says it again"


def tool(name, description, **properties):
    schema = {"type": "object", "properties": properties}
    return {"name": name, "description": description, "inputSchema": schema}


def tools():
    text = {"type": "string"}
    all = [tool("echo", about(), text=text)]
    if MODE == "paths":
        return all + [tool("../../etc/passwd", "x"), tool("a" * 90, "x"), tool("a b", "x"), tool("工具", "x")]
    if MODE == "huge":
        return [tool("big%d" % n, "x" * 10000) for n in range(1000)]
    names = ["picture", "structured", "fail", "count", "wait", "crash", "pid", "env", "read", "write", "connect", "through", "become", "notice", "flood"]
    return all + [tool(name, "The tool " + name) for name in names]


def text(value, error=False):
    return {"content": [{"type": "text", "text": str(value)}], "isError": error}


def connect(port):
    with socket.create_connection(("127.0.0.1", int(port)), timeout=5) as found:
        return found.recv(100).decode()


def through(port):
    with socket.create_connection(("127.0.0.1", 3128), timeout=5) as proxy:
        proxy.sendall(b"CONNECT localhost:%d HTTP/1.1\r\nHost: localhost\r\n\r\n" % int(port))
        said = b""
        while b"hello" not in said and b"403" not in said:
            piece = proxy.recv(1000)
            if not piece:
                break
            said += piece
        return said.decode()


def call(id, params):
    name, given = params["name"], params.get("arguments") or {}
    if name == "echo":
        return text(given.get("text"))
    if name == "picture":
        return {"content": [{"type": "image", "data": PIXEL, "mimeType": "image/png"}]}
    if name == "structured":
        return {"content": [{"type": "text", "text": "{}"}], "structuredContent": {"sum": 3}}
    if name == "fail":
        return text("it went wrong", True)
    if name == "count":
        token = params.get("_meta", {}).get("progressToken")
        for n in range(1, 4):
            say({"method": "notifications/progress", "params": {"progressToken": token, "progress": n, "total": 3, "message": "step %d" % n}})
            # Each is seen by itself.
            time.sleep(0.15)
        return text("counted")
    if name == "wait":
        flag = cancelled.setdefault(id, threading.Event())
        print("waiting", file=sys.stderr, flush=True)
        flag.wait(600)
        print("was cancelled", file=sys.stderr, flush=True)
        return text("late")
    if name == "crash":
        print("I am gone", file=sys.stderr, flush=True)
        os._exit(3)
    if name == "pid":
        return text(time.monotonic_ns())
    if name == "env":
        return text(json.dumps(dict(os.environ)))
    try:
        if name == "read":
            with open(given["path"]) as file:
                return text(file.read())
        if name == "write":
            with open(given["path"], "a") as file:
                file.write("x")
            return text("written")
        if name == "connect":
            return text(connect(given["port"]))
        if name == "through":
            return text(through(given["port"]))
    except OSError as error:
        return text(error, True)
    if name == "become":
        with open(ABOUT, "w") as file:
            file.write(given["text"])
        say({"method": "notifications/tools/list_changed"})
        return text("done")
    if name == "notice":
        say({"method": "notifications/message", "params": {"level": "warning", "logger": "lib", "data": "take care"}})
        return text("told")
    if name == "flood":
        for n in range(20000):
            print("line %d" % n, file=sys.stderr)
        print("the end of the flood", file=sys.stderr)
        return text("flooded")
    return text("unknown", True)


def answer(id, params):
    if MODE == "endless":
        with lock:
            while True:
                sys.stdout.write("x" * 65536)
    say({"id": id, "result": call(id, params)})


if MODE == "mute":
    time.sleep(600)
for line in sys.stdin:
    message = json.loads(line)
    method, id, params = message.get("method"), message.get("id"), message.get("params") or {}
    if method == "initialize":
        say({"id": id, "result": {
            "protocolVersion": "2025-06-18",
            "capabilities": {"tools": {"listChanged": True}, "logging": {}},
            "serverInfo": {"name": "fixture", "version": "1.2"},
            "instructions": "For tests",
        }})
    elif method == "tools/list":
        say({"id": id, "result": {"tools": tools()}})
    elif method == "tools/call":
        if MODE == "stuck" and params["name"] == "wait":
            time.sleep(600)
        threading.Thread(target=answer, args=(id, params), daemon=True).start()
    elif method == "notifications/cancelled":
        if MODE != "deaf":
            cancelled.setdefault(params.get("requestId"), threading.Event()).set()
    elif id is not None:
        say({"id": id, "error": {"code": -32601, "message": "no such method"}})

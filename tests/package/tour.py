"""What somebody does who has just installed the package, on a bare system, as an ordinary user:
starts it from its desktop entry, looks at the tray, draws the first picture, lets a client of MCP make its first call,
quits."""

import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.request

HOME = pathlib.Path.home()
EVIDENCE = pathlib.Path("/try/evidence")
TITLE = "Prompt Manager"
LIMIT_S = 30
# A page that has not changed for so long shows what it will show.
REST_S = 1


def screen():
    """A screen of our own; the environment names it."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x900x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as numbers:
        os.environ["DISPLAY"] = ":" + numbers.readline().strip()
    return server


# The desk looks at the screen when it is made.
XVFB = screen()
sys.path.insert(0, "/try")
sys.dont_write_bytecode = True
import desk  # noqa: E402
from gi.repository import GLib  # noqa: E402

BUS, SCREEN = desk.Bus(), desk.Screen()


def until(what, look):
    """The first thing that `look` finds, while the bus is served."""
    context = GLib.MainContext.default()
    end = time.monotonic() + LIMIT_S
    while time.monotonic() < end:
        try:
            found = look()
        except (desk.Refused, GLib.Error):
            found = None
        if found:
            return found
        # Until something comes on the bus, or a moment has passed.
        timer = GLib.timeout_add(20, lambda: True)
        context.iteration(True)
        GLib.source_remove(timer)
    desk.keep_picture(str(EVIDENCE / "failed.png"))
    raise SystemExit(f"waited in vain for {what}; windows: {SCREEN.windows()}")


def window():
    shown = [one for one in SCREEN.windows() if one["shown"] and TITLE in one["title"]]
    return shown[0]["window"] if shown else None


def tray():
    return [entry["text"] for entry in BUS.menu()[2] if not entry["separator"]]


def pictures():
    return sorted((HOME / ".prompt-manager/artifacts").glob("*.png"))


def entry():
    """The desktop entry that starts the program; there is one."""
    found = [
        path
        for path in pathlib.Path("/usr/share/applications").glob("*.desktop")
        if re.search(r"^Exec=prompt-manager\b", path.read_text(), re.M)
    ]
    assert len(found) == 1, found
    icon = re.search(r"^Icon=(.*)$", found[0].read_text(), re.M).group(1)
    icons = list(pathlib.Path("/usr/share/icons").rglob(f"{icon}.png"))
    assert icons, f"no picture of {icon}"
    return found[0]


def processes():
    done = subprocess.run(
        ["pgrep", "-u", str(os.getuid()), "-l", "^(prompt-manager|pm|pm-worker)$"],
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split("\n")[:-1]


def come_to_rest():
    """When the screen changed the last time."""
    last, changed = desk.pixels(), time.monotonic()

    def rests():
        nonlocal last, changed
        now = desk.pixels()
        if now != last:
            last, changed = now, time.monotonic()
        return time.monotonic() - changed > REST_S

    until("the page", rests)
    return changed


def press(keys, text=None):
    """Keys, and what the page made of them: another screen, which has come to rest."""
    before = desk.pixels()
    if text is None:
        SCREEN.press(keys)
    else:
        SCREEN.type(text)
    last = [before]

    def rests():
        now = desk.pixels()
        same, last[0] = now == last[0], now
        return same and now != before

    until(f"an answer to {keys}", rests)


def draw():
    """By keyboard: the palette, the scratchpad with its example, run."""
    press("ctrl+k")
    press("text", text="scratchpad")
    press("Return")
    SCREEN.press("ctrl+Return")
    return until("the first picture", pictures)


def ask(address, token, method, params, more=None):
    """One request of MCP, as a client makes it; gives the answer's result and its headers."""
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    if method.startswith("notifications/"):
        del message["id"]
    request = urllib.request.Request(
        address,
        json.dumps(message).encode(),
        {
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            **(more or {}),
        },
    )
    with urllib.request.urlopen(request, timeout=LIMIT_S) as answer:
        text = answer.read().decode()
        events = [line[5:] for line in text.split("\n") if line.startswith("data:") and "{" in line]
        body = events[-1] if events else text
        return (json.loads(body).get("result") if body.strip() else None), answer.headers


def first_call(address):
    """With a token of its own, as the window's settings say: a tool adds an item to a list."""
    made = subprocess.run(["pm", "token", "new", "tour", "--json"], capture_output=True, text=True, check=True)
    token = json.loads(made.stdout)["token"]
    version = "2025-06-18"
    about = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "tour", "version": "1"}}
    _, headers = ask(address, token, "initialize", about)
    session = {"Mcp-Session-Id": headers["Mcp-Session-Id"], "MCP-Protocol-Version": version}
    ask(address, token, "notifications/initialized", {}, session)
    yaml = "tool: tool://todolist\nmode: execute\nparameters:\n  action: add\n  title: the first call\n"
    called = {"name": "toolm", "arguments": {"yaml": yaml}}
    result, _ = ask(address, token, "tools/call", called, session)
    text = result["content"][0]["text"]
    assert not result.get("isError") and "the first call" in text, result
    return text


def main():
    BUS.serve()
    begun = time.monotonic()
    subprocess.run(["gio", "launch", str(entry())], check=True)
    number = until("the window", window)
    shown = time.monotonic() - begun
    print(f"window on the screen after {shown * 1000:.0f} ms, at rest after {(come_to_rest() - begun) * 1000:.0f} ms")

    running = until(
        "a running server in the tray",
        lambda: [text for text in tray() if re.search(r"http://127\.0\.0\.1:\d+$", text)],
    )
    assert len(BUS.items) == 1
    print("tray:", " | ".join(tray()))

    doctor = subprocess.run(["pm", "doctor", "--json"], capture_output=True, text=True, check=False)
    tier = json.loads(doctor.stdout)["tier"]
    print(f"doctor: exit {doctor.returncode}, tier {tier}")
    assert doctor.returncode == 0 and tier == "full", doctor.stdout

    assert not pictures()
    SCREEN.focus(number)
    until("the focus", lambda: SCREEN.focused() == number)
    drawn = draw()
    assert len(drawn) == 1, drawn
    assert drawn[0].read_bytes().startswith(b"\x89PNG"), "no PNG"
    print(f"first picture: {drawn[0].stat().st_size} bytes")
    come_to_rest()
    desk.keep_picture(str(EVIDENCE / "first-picture.png"))

    said = first_call(re.search(r"http://\S+$", running[0]).group(0) + "/mcp")
    print("first call of MCP:", " ".join(said.split())[:200])

    BUS.choose(tray()[-1])
    until("the end of every process", lambda: not processes())
    print("quit from the tray; nothing runs any more", running[0])


main()

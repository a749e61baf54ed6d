"""The rest of a desktop for the window test: who shows tray icons, who shows notifications, and a
hand at the screen (closing a window, typing into a dialog of the system).

Reads one JSON request a line, {"id", "do", ...}, and answers {"id", "answer"} or {"id", "error"}.
Only what Debian's python3-gi brings is used, with libraries that the window itself is linked to:
GTK for the clipboard, libX11 and libxdo for the screen.
"""

import ctypes
import json
import sys
import zlib

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gio, GLib, Gtk  # noqa: E402

WATCHER = "org.kde.StatusNotifierWatcher"
ITEM = "org.kde.StatusNotifierItem"
MENU = "com.canonical.dbusmenu"
NOTIFICATIONS = "org.freedesktop.Notifications"
CALL_LIMIT_MS = 10_000

WATCHER_XML = f"""<node><interface name="{WATCHER}">
  <method name="RegisterStatusNotifierItem"><arg type="s" direction="in"/></method>
  <method name="RegisterStatusNotifierHost"><arg type="s" direction="in"/></method>
  <property name="RegisteredStatusNotifierItems" type="as" access="read"/>
  <property name="IsStatusNotifierHostRegistered" type="b" access="read"/>
  <property name="ProtocolVersion" type="i" access="read"/>
  <signal name="StatusNotifierItemRegistered"><arg type="s"/></signal>
  <signal name="StatusNotifierItemUnregistered"><arg type="s"/></signal>
  <signal name="StatusNotifierHostRegistered"/>
</interface></node>"""

NOTIFICATIONS_XML = f"""<node><interface name="{NOTIFICATIONS}">
  <method name="Notify">
    <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
    <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/>
    <arg type="a{{sv}}" direction="in"/><arg type="i" direction="in"/>
    <arg type="u" direction="out"/>
  </method>
  <method name="CloseNotification"><arg type="u" direction="in"/></method>
  <method name="GetCapabilities"><arg type="as" direction="out"/></method>
  <method name="GetServerInformation">
    <arg type="s" direction="out"/><arg type="s" direction="out"/>
    <arg type="s" direction="out"/><arg type="s" direction="out"/>
  </method>
</interface></node>"""


class Refused(Exception):
    """What was asked for is not possible now."""


class Bus:
    """The session bus with our two services on it."""

    def __init__(self):
        self.bus = Gio.bus_get_sync(Gio.BusType.SESSION)
        # Bus name of the item's owner -> path of the item.
        self.items = {}
        self.notes = []
        self.names = []

    def serve(self):
        self._register("/StatusNotifierWatcher", WATCHER_XML, self._watcher, self._property)
        self._register("/org/freedesktop/Notifications", NOTIFICATIONS_XML, self._notify, None)
        self.bus.signal_subscribe(
            "org.freedesktop.DBus",
            "org.freedesktop.DBus",
            "NameOwnerChanged",
            None,
            None,
            Gio.DBusSignalFlags.NONE,
            self._owner_changed,
        )
        self.show_tray()
        self._own(NOTIFICATIONS)

    def show_tray(self):
        self.tray = self._own(WATCHER)

    def hide_tray(self):
        """As on a desktop that has no tray."""
        Gio.bus_unown_name(self.tray)
        self.items.clear()

    def _own(self, name):
        return Gio.bus_own_name_on_connection(
            self.bus, name, Gio.BusNameOwnerFlags.NONE, None, None
        )

    def _register(self, path, xml, call, get):
        interface = Gio.DBusNodeInfo.new_for_xml(xml).interfaces[0]
        self.bus.register_object(path, interface, call, get, None)

    def _watcher(self, _bus, sender, _path, _interface, method, arguments, invocation):
        if method == "RegisterStatusNotifierItem":
            (given,) = arguments.unpack()
            # A path of the sender, or the name of a bus connection with the usual path.
            self.items[sender] = given if given.startswith("/") else "/StatusNotifierItem"
            self.bus.emit_signal(
                None,
                "/StatusNotifierWatcher",
                WATCHER,
                "StatusNotifierItemRegistered",
                GLib.Variant("(s)", (sender + self.items[sender],)),
            )
        invocation.return_value(None)

    def _property(self, _bus, _sender, _path, _interface, name):
        if name == "RegisteredStatusNotifierItems":
            return GLib.Variant("as", [sender + path for sender, path in self.items.items()])
        if name == "IsStatusNotifierHostRegistered":
            return GLib.Variant("b", True)
        return GLib.Variant("i", 0)

    def _notify(self, _bus, _sender, _path, _interface, method, arguments, invocation):
        if method == "Notify":
            app, _, _, title, text, *_ = arguments.unpack()
            self.notes.append({"app": app, "title": title, "text": text})
            invocation.return_value(GLib.Variant("(u)", (len(self.notes),)))
        elif method == "GetCapabilities":
            invocation.return_value(GLib.Variant("(as)", (["body"],)))
        elif method == "GetServerInformation":
            invocation.return_value(GLib.Variant("(ssss)", ("desk", "test", "1", "1.2")))
        else:
            invocation.return_value(None)

    def _owner_changed(self, _bus, _sender, _path, _interface, _signal, arguments):
        name, _old, new = arguments.unpack()
        if not new:
            self.items.pop(name, None)

    def call(self, name, path, interface, method, arguments, reply):
        return self.bus.call_sync(
            name,
            path,
            interface,
            method,
            arguments,
            GLib.VariantType(reply) if reply else None,
            Gio.DBusCallFlags.NONE,
            CALL_LIMIT_MS,
            None,
        ).unpack()

    def menu(self):
        """Entries of the one tray icon: what they say, whether they can be chosen."""
        name, path = self._item()
        (menu,) = self.call(
            name,
            path,
            "org.freedesktop.DBus.Properties",
            "Get",
            GLib.Variant("(ss)", (ITEM, "Menu")),
            "(v)",
        )
        self.call(name, menu, MENU, "AboutToShow", GLib.Variant("(i)", (0,)), "(b)")
        _, (_, _, children) = self.call(
            name,
            menu,
            MENU,
            "GetLayout",
            GLib.Variant("(iias)", (0, -1, [])),
            "(u(ia{sv}av))",
        )
        return name, menu, [self._entry(child) for child in children]

    def _entry(self, child):
        number, properties, below = child
        return {
            "id": number,
            "text": properties.get("label", "").replace("_", ""),
            "enabled": properties.get("enabled", True),
            "separator": properties.get("type") == "separator",
            "below": [self._entry(one) for one in below],
        }

    def choose(self, text):
        name, menu, entries = self.menu()
        every = entries + [one for entry in entries for one in entry["below"]]
        found = [entry for entry in every if entry["text"] == text]
        if len(found) != 1 or not found[0]["enabled"]:
            raise Refused(f"no entry {text} to choose: {entries}")
        self.call(
            name,
            menu,
            MENU,
            "Event",
            GLib.Variant("(isvu)", (found[0]["id"], "clicked", GLib.Variant("i", 0), 0)),
            None,
        )

    def _item(self):
        if len(self.items) != 1:
            raise Refused(f"{len(self.items)} icons in the tray")
        return next(iter(self.items.items()))


class Screen:
    """Windows by their titles. There is no window manager: whoever types needs the focus first."""

    VIEWABLE = 2

    class Attributes(ctypes.Structure):
        _fields_ = [
            ("numbers", ctypes.c_int * 5),
            ("visual", ctypes.c_void_p),
            ("root", ctypes.c_ulong),
            ("more", ctypes.c_int * 4),
            ("planes", ctypes.c_ulong * 2),
            ("save_under", ctypes.c_int),
            ("colormap", ctypes.c_ulong),
            ("map_installed", ctypes.c_int),
            ("map_state", ctypes.c_int),
            # Larger than what the server's library writes, whatever its version.
            ("rest", ctypes.c_char * 128),
        ]

    class Message(ctypes.Structure):
        _fields_ = [
            ("type", ctypes.c_int),
            ("serial", ctypes.c_ulong),
            ("send_event", ctypes.c_int),
            ("display", ctypes.c_void_p),
            ("window", ctypes.c_ulong),
            ("message_type", ctypes.c_ulong),
            ("format", ctypes.c_int),
            ("data", ctypes.c_long * 5),
            ("rest", ctypes.c_long * 24),
        ]

    def __init__(self):
        x = self.x = ctypes.CDLL("libX11.so.6")
        xdo = self.xdo = ctypes.CDLL("libxdo.so.3")
        x.XOpenDisplay.restype = ctypes.c_void_p
        x.XDefaultRootWindow.argtypes = [ctypes.c_void_p]
        x.XDefaultRootWindow.restype = ctypes.c_ulong
        x.XInternAtom.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int]
        x.XInternAtom.restype = ctypes.c_ulong
        x.XFree.argtypes = [ctypes.c_void_p]
        x.XFlush.argtypes = [ctypes.c_void_p]
        x.XQueryTree.argtypes = [
            ctypes.c_void_p,
            ctypes.c_ulong,
            ctypes.POINTER(ctypes.c_ulong),
            ctypes.POINTER(ctypes.c_ulong),
            ctypes.POINTER(ctypes.POINTER(ctypes.c_ulong)),
            ctypes.POINTER(ctypes.c_uint),
        ]
        x.XGetWindowAttributes.argtypes = [
            ctypes.c_void_p,
            ctypes.c_ulong,
            ctypes.POINTER(Screen.Attributes),
        ]
        x.XSendEvent.argtypes = [
            ctypes.c_void_p,
            ctypes.c_ulong,
            ctypes.c_int,
            ctypes.c_long,
            ctypes.c_void_p,
        ]
        x.XStringToKeysym.restype = ctypes.c_ulong
        x.XKeysymToKeycode.argtypes = [ctypes.c_void_p, ctypes.c_ulong]
        x.XKeysymToKeycode.restype = ctypes.c_ubyte
        x.XGrabKey.argtypes = [
            ctypes.c_void_p,
            ctypes.c_int,
            ctypes.c_uint,
            ctypes.c_ulong,
            ctypes.c_int,
            ctypes.c_int,
            ctypes.c_int,
        ]
        x.XChangeProperty.argtypes = [
            ctypes.c_void_p,
            ctypes.c_ulong,
            ctypes.c_ulong,
            ctypes.c_ulong,
            ctypes.c_int,
            ctypes.c_int,
            ctypes.c_void_p,
            ctypes.c_int,
        ]
        x.XSync.argtypes = [ctypes.c_void_p, ctypes.c_int]
        x.XGetInputFocus.argtypes = [
            ctypes.c_void_p,
            ctypes.POINTER(ctypes.c_ulong),
            ctypes.POINTER(ctypes.c_int),
        ]
        xdo.xdo_new.restype = ctypes.c_void_p
        xdo.xdo_get_window_name.argtypes = [
            ctypes.c_void_p,
            ctypes.c_ulong,
            ctypes.POINTER(ctypes.c_void_p),
            ctypes.POINTER(ctypes.c_int),
            ctypes.POINTER(ctypes.c_int),
        ]
        xdo.xdo_focus_window.argtypes = [ctypes.c_void_p, ctypes.c_ulong]
        xdo.xdo_enter_text_window.argtypes = [
            ctypes.c_void_p,
            ctypes.c_ulong,
            ctypes.c_char_p,
            ctypes.c_uint,
        ]
        xdo.xdo_send_keysequence_window.argtypes = xdo.xdo_enter_text_window.argtypes
        xdo.xdo_move_mouse.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_int, ctypes.c_int]
        xdo.xdo_mouse_down.argtypes = [ctypes.c_void_p, ctypes.c_ulong, ctypes.c_int]
        xdo.xdo_mouse_up.argtypes = xdo.xdo_mouse_down.argtypes
        # A window may go between two questions about it; that is an answer, not an end.
        self.handler = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(
            lambda _display, _error: 0
        )
        x.XSetErrorHandler(self.handler)
        self.display = x.XOpenDisplay(None)
        self.hand = xdo.xdo_new(None)
        if not self.display or not self.hand:
            raise Refused("no X server")

    def _title(self, window):
        """As a task bar shows it: in any language, unlike the name that X itself knows."""
        name = ctypes.c_void_p()
        length = ctypes.c_int()
        kind = ctypes.c_int()
        self.xdo.xdo_get_window_name(self.hand, window, name, length, kind)
        if not name:
            return ""
        text = ctypes.string_at(name, max(length.value, 0)).decode(errors="replace")
        self.x.XFree(name)
        return text

    def windows(self):
        """Every window with a title: its number, and whether it is on the screen."""
        root = ctypes.c_ulong()
        parent = ctypes.c_ulong()
        children = ctypes.POINTER(ctypes.c_ulong)()
        count = ctypes.c_uint()
        self.x.XQueryTree(
            self.display,
            self.x.XDefaultRootWindow(self.display),
            root,
            parent,
            children,
            count,
        )
        found = []
        for window in children[: count.value]:
            title = self._title(window)
            if title:
                attributes = Screen.Attributes()
                self.x.XGetWindowAttributes(self.display, window, attributes)
                shown = attributes.map_state == Screen.VIEWABLE
                found.append({"window": window, "title": title, "shown": shown})
        if count.value:
            self.x.XFree(children)
        return found

    def focused(self):
        window = ctypes.c_ulong()
        revert = ctypes.c_int()
        self.x.XGetInputFocus(self.display, window, revert)
        return window.value

    def close(self, window):
        """As the window's own close button does."""
        message = Screen.Message()
        message.type = 33
        message.window = window
        message.message_type = self.x.XInternAtom(self.display, b"WM_PROTOCOLS", 0)
        message.format = 32
        message.data[0] = self.x.XInternAtom(self.display, b"WM_DELETE_WINDOW", 0)
        self.x.XSendEvent(self.display, window, 0, 0, ctypes.byref(message))
        self.x.XFlush(self.display)

    def focus(self, window):
        self.xdo.xdo_focus_window(self.hand, window)

    def grab(self, keys):
        """As another program that has these keys of the whole desktop: Control and Alt and a letter."""
        letter = keys.rsplit("+", 1)[1].encode()
        code = self.x.XKeysymToKeycode(self.display, self.x.XStringToKeysym(letter))
        control_alt = 4 | 8
        self.x.XGrabKey(self.display, code, control_alt, self.x.XDefaultRootWindow(self.display), 0, 1, 1)
        self.x.XSync(self.display, 0)

    def manage(self, window):
        """Marks it as a window manager does: those that are not marked take no drags."""
        state = self.x.XInternAtom(self.display, b"WM_STATE", 0)
        normal = (ctypes.c_long * 2)(1, 0)
        self.x.XChangeProperty(self.display, window, state, state, 32, 0, normal, 2)
        self.x.XSync(self.display, 0)

    def type(self, text):
        self.xdo.xdo_enter_text_window(self.hand, 0, text.encode(), 20_000)

    def press(self, keys):
        self.xdo.xdo_send_keysequence_window(self.hand, 0, keys.encode(), 20_000)


class Drag:
    """Another program's window, from which files are dragged, and the hand that drags them."""

    # A drag begins when the pointer has gone further than GTK's threshold.
    STEPS = 12
    STEP_MS = 30

    def __init__(self, screen, paths):
        self.screen = screen
        self.uris = [GLib.filename_to_uri(path, None) for path in paths]
        self.loop = GLib.MainLoop()
        self.taken = None

    def to(self, x, y):
        """Whether somebody took them; the answer comes when the drag is over."""
        source = Gtk.Window(type=Gtk.WindowType.POPUP)
        source.set_default_size(40, 40)
        source.move(0, 0)
        source.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
        source.drag_source_add_uri_targets()
        source.connect("drag-data-get", lambda _w, _c, data, _i, _t: data.set_uris(self.uris))
        source.connect("drag-failed", self._failed)
        source.connect("drag-end", self._end)
        source.connect("map-event", lambda *_: self._begin(x, y))
        source.show_all()
        self.loop.run()
        source.destroy()
        return self.taken is None

    def _failed(self, _widget, _context, result):
        self.taken = result.value_nick
        return True

    def _end(self, *_):
        self.loop.quit()

    def _begin(self, x, y):
        way = [(20 + (x - 20) * n // self.STEPS, 20 + (y - 20) * n // self.STEPS) for n in range(self.STEPS + 1)]
        xdo, hand = self.screen.xdo, self.screen.hand
        xdo.xdo_move_mouse(hand, *way[0], 0)
        xdo.xdo_mouse_down(hand, 0, 1)
        rest = iter(way[1:])

        def step():
            place = next(rest, None)
            if place is None:
                xdo.xdo_mouse_up(hand, 0, 1)
                return False
            xdo.xdo_move_mouse(hand, *place, 0)
            return True

        # A hand takes time, and who is dragged over answers meanwhile.
        GLib.timeout_add(self.STEP_MS, step)
        return False


def clipboard():
    """What another program would paste."""
    return Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD).wait_for_text()


def picture():
    """The whole screen, dialogs of the system included."""
    root = Gdk.get_default_root_window()
    return Gdk.pixbuf_get_from_window(root, 0, 0, root.get_width(), root.get_height())


def keep_picture(path):
    picture().savev(path, "png", [], [])


def pixels():
    return picture().get_pixels()


def answer(bus, screen, request):
    do = request["do"]
    if do == "menu":
        return bus.menu()[2]
    if do == "choose":
        return bus.choose(request["text"])
    if do == "icons":
        return len(bus.items)
    if do == "hide-tray":
        return bus.hide_tray()
    if do == "show-tray":
        return bus.show_tray()
    if do == "notes":
        return bus.notes
    if do == "picture":
        return keep_picture(request["path"])
    if do == "look":
        return zlib.crc32(pixels())
    if do == "clipboard":
        return clipboard()
    if do == "clipboard-picture":
        picture = Gtk.Clipboard.get(Gdk.SELECTION_CLIPBOARD).wait_for_image()
        return picture and [picture.get_width(), picture.get_height()]
    if do == "windows":
        return screen.windows()
    if do == "focused":
        return screen.focused()
    if do == "close":
        return screen.close(request["window"])
    if do == "type":
        return screen.type(request["text"])
    if do == "grab":
        return screen.grab(request["keys"])
    if do == "press":
        return screen.press(request["keys"])
    if do == "drag":
        screen.manage(request["window"])
        return Drag(screen, request["paths"]).to(*request["to"])
    if do == "focus":
        return screen.focus(request["window"])
    raise Refused(f"what is {do}?")


def main():
    bus, screen = Bus(), Screen()
    bus.serve()
    loop = GLib.MainLoop()

    def on_line(channel, _condition):
        line = channel.readline()
        if not line:
            loop.quit()
            return False
        request = json.loads(line)
        try:
            reply = {"answer": answer(bus, screen, request)}
        except (Refused, GLib.Error) as error:
            reply = {"error": str(error)}
        print(json.dumps({"id": request["id"], **reply}), flush=True)
        return True

    GLib.io_add_watch(
        sys.stdin, GLib.PRIORITY_DEFAULT, GLib.IOCondition.IN | GLib.IOCondition.HUP, on_line
    )
    print(json.dumps({"id": 0, "answer": "ready"}), flush=True)
    loop.run()


if __name__ == "__main__":
    main()

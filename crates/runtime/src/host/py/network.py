# Makes connections of the machine's Python take the only way out of its network namespace: the proxy that
# HTTP_PROXY names, which stands on the owner's side and judges. Without this they fail, no more: it opens
# nothing, and what goes around it reaches nobody. Programs that a tool starts have the usual variables instead.
def lead_to_the_proxy():
    import errno
    import importlib.abc
    import importlib.machinery
    import ipaddress
    import os
    import socket
    import sys
    from urllib.parse import urlsplit

    proxy = ("127.0.0.1", urlsplit(os.environ["HTTP_PROXY"]).port)
    straight = socket.socket.connect
    found = socket.getaddrinfo
    head_bytes = 64 * 1024
    refusals = {403: errno.EACCES, 504: errno.ETIMEDOUT}
    families = (socket.AF_INET, socket.AF_INET6)

    def address_of(host):
        try:
            return ipaddress.ip_address(host)
        except ValueError:
            return None

    def is_own(host, port):
        """A server of the tool's own, on the loopback that it shares with nobody."""
        address = address_of(host)
        if host != "localhost" and not (address and address.is_loopback):
            return False
        for table in ("/proc/self/net/tcp", "/proc/self/net/tcp6"):
            try:
                with open(table) as lines:
                    next(lines)
                    rows = [line.split() for line in lines]
            except OSError:
                continue
            if any(row[3] == "0A" and int(row[1].rpartition(":")[2], 16) == port for row in rows):
                return True
        return False

    def connect(self, address):
        if self.family not in families or not self.type & socket.SOCK_STREAM:
            return straight(self, address)
        host, port = address[0] or "localhost", address[1]
        if isinstance(host, bytes):
            host = host.decode("ascii")
        if is_own(host, port):
            return straight(self, address)
        patience = self.gettimeout()
        # Of a socket that does not wait, too: the answer comes before the connection is used.
        self.settimeout(patience or None)
        try:
            if self.family == socket.AF_INET:
                straight(self, proxy)
            else:
                straight(self, ("::ffff:127.0.0.1", proxy[1]))
            ask(self, host, port)
        finally:
            self.settimeout(patience)

    def ask(self, host, port):
        name = "%s:%d" % ("[%s]" % host if ":" in host else host, port)
        self.sendall(("CONNECT %s HTTP/1.1\r\nHost: %s\r\n\r\n" % (name, name)).encode("ascii"))
        said = b""
        # Byte by byte: what comes behind the head is the other side's.
        while not said.endswith(b"\r\n\r\n"):
            byte = self.recv(1)
            if not byte or len(said) > head_bytes:
                raise ConnectionRefusedError(errno.ECONNREFUSED, "connect %s: the proxy hung up" % name)
            said += byte
        head = said.decode("latin-1")
        status = int(head.split(" ", 2)[1])
        if 200 <= status < 300:
            return
        length = next((int(line.split(":", 1)[1]) for line in head.split("\r\n") if line.lower().startswith("content-length:")), 0)
        words = b""
        while len(words) < min(length, head_bytes):
            part = self.recv(min(length, head_bytes) - len(words))
            if not part:
                break
            words += part
        number = refusals.get(status, errno.ECONNREFUSED)
        raise OSError(number, "connect %s: %s" % (name, words.decode("utf-8", "replace").strip() or os.strerror(number)))

    def connect_ex(self, address):
        try:
            connect(self, address)
            return 0
        except OSError as error:
            return error.errno or errno.ECONNREFUSED

    def getaddrinfo(host, port, family=0, type=0, proto=0, flags=0):
        """Names are looked up on the owner's side, when they are connected to."""
        text = host.decode("ascii") if isinstance(host, bytes) else host
        if not text or text == "localhost" or address_of(text) or family not in (0, socket.AF_INET):
            return found(host, port, family, type, proto, flags)
        number = found(None, port, socket.AF_INET, type, proto)[0][4][1]
        return [(socket.AF_INET, type or socket.SOCK_STREAM, proto or socket.IPPROTO_TCP, "", (text, number))]

    class WithoutProxies(importlib.abc.MetaPathFinder):
        """The variables are for programs that the tool starts: in this process a refusal is to be an error with its words,
        not an answer of the host."""

        def find_spec(self, name, path=None, target=None):
            if name != "urllib.request":
                return None
            spec = importlib.machinery.PathFinder.find_spec(name, path)
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                module.getproxies = module.getproxies_environment = dict

            spec.loader.exec_module = exec_module
            return spec

    sys.meta_path.insert(0, WithoutProxies())
    socket.socket.connect = connect
    socket.socket.connect_ex = connect_ex
    socket.getaddrinfo = getaddrinfo


lead_to_the_proxy()

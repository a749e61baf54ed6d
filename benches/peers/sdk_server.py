"""The tool in a server written with the Python SDK: sessions, answers as JSON, on uvicorn."""

import json
import socket

import uvicorn
from mcp.server.mcpserver import MCPServer

server = MCPServer("peer")


@server.tool()
def adder(a: float, b: float) -> str:
    """Adds two numbers"""
    total = a + b
    return json.dumps({"sum": int(total) if total.is_integer() else total})


listening = socket.socket()
listening.bind(("127.0.0.1", 0))
print(f"http://127.0.0.1:{listening.getsockname()[1]}", flush=True)
app = server.streamable_http_app(json_response=True)
uvicorn.Server(uvicorn.Config(app, log_level="error")).run(sockets=[listening])

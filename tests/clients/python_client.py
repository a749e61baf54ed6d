"""The Python client of MCP walks journey.json, in both revisions of the protocol."""

import asyncio
import json
import os
import re
import struct
from pathlib import Path

import httpx2
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

JOURNEY = json.loads((Path(__file__).parent / "journey.json").read_text(encoding="utf-8"))
URL = os.environ["PM_URL"] + "/mcp"
PICTURE_NAME = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\.png")


def check_tools(tools):
    by_name = {tool.name: tool for tool in tools}
    for name, expected in JOURNEY["tools"].items():
        assert name in by_name, f"{name} is not among {sorted(by_name)}"
        tool = by_name[name]
        assert len(tool.description or "") > 40, f"{name} has no description to speak of"
        assert tool.input_schema["type"] == "object"
        for key in expected["string"]:
            assert tool.input_schema["properties"][key]["type"] == "string", key


def check_step(step, result):
    if "isError" in step:
        assert bool(result.is_error) == step["isError"], "isError"
    elif step["tool"] == "toolm":
        assert not result.is_error, "isError"
    assert result.content[0].type == "text"
    text = result.content[0].text
    if "text" in step:
        assert text == step["text"], f"not {step['text']!r}"
    for part in step.get("contains", []):
        assert part in text, f"no {part!r} in the text"
    if "exactly" in step:
        assert json.loads(text) == step["exactly"]
    for key, value in step.get("json", {}).items():
        assert json.loads(text)[key] == value, key
    if "picture" in step:
        check_picture(step["picture"], json.loads(text)["images"])


def check_picture(expected, images):
    assert len(images) == 1 and PICTURE_NAME.fullmatch(images[0]), images
    png = (Path(os.environ["PM_DATA_HOME"]) / "artifacts" / images[0]).read_bytes()
    assert png[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", png[16:24])
    assert {"width": width, "height": height} == expected


async def check_prompt(client, expected):
    prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
    assert expected["name"] in prompts, sorted(prompts)
    arguments = prompts[expected["name"]].arguments
    assert [one.name for one in arguments if one.required] == expected["required"]
    filled = await client.get_prompt(expected["name"], expected["arguments"])
    assert [message.role for message in filled.messages] == ["user"]
    for part in expected["contains"]:
        assert part in filled.messages[0].content.text, part
    try:
        await client.get_prompt(expected["name"])
    except MCPError as error:
        assert expected["missing"] in str(error), error
    else:
        raise AssertionError("a value is missing, and nobody said so")


async def walk_steps(client):
    check_tools((await client.list_tools()).tools)
    for step in JOURNEY["steps"]:
        result = await client.call_tool(step["tool"], step["arguments"])
        try:
            check_step(step, result)
        except (AssertionError, KeyError, ValueError) as error:
            raise AssertionError(f"{step['name']}: {error}\n{result}") from error
    await check_prompt(client, JOURNEY["prompt"])


async def walk(mode, version):
    headers = {"Authorization": f"Bearer {os.environ['PM_TOKEN']}"}
    async with httpx2.AsyncClient(headers=headers, timeout=60, trust_env=False) as http:
        async with Client(streamable_http_client(URL, http_client=http), mode=mode) as client:
            assert client.protocol_version == version, client.protocol_version
            await walk_steps(client)
    print(f"ok  mcp for Python, {mode}: {len(JOURNEY['steps'])} steps", flush=True)


async def walk_stdio(mode, version):
    """The same over the pipes of a `pm mcp` that the client starts itself."""
    started = StdioServerParameters(
        command=os.environ["PM_PROGRAM"], args=["--home", os.environ["PM_DATA_HOME"], "mcp"]
    )
    async with Client(stdio_client(started), mode=mode) as client:
        assert client.protocol_version == version, client.protocol_version
        await walk_steps(client)
    print(f"ok  mcp for Python, {mode}, over stdio: {len(JOURNEY['steps'])} steps", flush=True)


async def stranger(headers):
    """Whoever has no token, or a wrong one, does not come in."""
    seen = []

    async def note(response):
        seen.append(response.status_code)

    try:
        async with httpx2.AsyncClient(
            headers=headers, timeout=60, trust_env=False, event_hooks={"response": [note]}
        ) as http:
            async with Client(streamable_http_client(URL, http_client=http), mode="legacy"):
                raise SystemExit("came in without the token")
    except* MCPError:
        pass
    assert seen == [401], seen
    print(f"ok  mcp for Python, refused with {headers or 'no header'}", flush=True)


async def main():
    await walk("auto", "2026-07-28")
    await walk("legacy", "2025-11-25")
    await walk_stdio("auto", "2026-07-28")
    await walk_stdio("legacy", "2025-11-25")
    await stranger({})
    await stranger({"Authorization": "Bearer wrong"})


asyncio.run(main())

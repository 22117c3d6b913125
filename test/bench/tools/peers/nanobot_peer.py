"""nanobot: its agent loop as its SDK runs it, with the stage's tools in place of its
own. The person reads what is streamed, and the final reply."""

import asyncio
import json
import logging
import os

import stage

home = stage.home("nanobot")
os.environ["HOME"] = home

from nanobot import Nanobot  # noqa: E402  HOME comes first
from nanobot.agent.tools.base import Tool  # noqa: E402

try:
    from loguru import logger

    logger.remove()
except ImportError:
    logging.disable()


class Staged(Tool):
    def __init__(self, spec):
        self.spec = spec

    name = property(lambda self: self.spec["name"])
    description = property(lambda self: self.spec["description"])
    parameters = property(lambda self: self.spec["parameters"])

    async def execute(self, **arguments):
        return await asyncio.to_thread(stage.call, self.name, arguments)


def settings():
    path = os.path.join(home, "config.json")
    with open(path, "w") as f:
        json.dump({
            "providers": {"custom": {"apiKey": "none", "apiBase": stage.URL + "/v1"}},
            "agents": {"defaults": {"model": "fake", "provider": "custom", "workspace": home + "/work", "maxToolIterations": 8}},
        }, f)
    return path


async def ask(bot, record):
    shown = []
    async for event in bot.stream(record["user"], session_key="sdk:" + record["id"]):
        if event.type == "text.delta" and event.delta:
            shown.append(event.delta)
        if event.result is not None:
            shown.append("\n" + (event.result.content or ""))
    return "".join(shown)


async def main():
    async with Nanobot.from_config(settings()) as bot:
        for name in list(bot._loop.tools._tools):
            bot._loop.tools.unregister(name)
        for spec in stage.tools():
            bot._loop.tools.register(Staged(spec))
        for record in stage.records():
            stage.begin(record)
            try:
                stage.end(await asyncio.wait_for(ask(bot, record), 60))
            except Exception as e:  # noqa: BLE001  whatever it is, it is the outcome
                stage.end("", repr(e))


asyncio.run(main())

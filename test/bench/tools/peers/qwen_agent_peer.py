"""Qwen-Agent: its function-calling agent with the stage's tools. It either writes
tools into the prompt and reads calls from the text, which is its own way, or hands
them to the server; native calls get the second, all else the first. The person reads the assistant's
messages as they are in the end."""

import logging
import os

import stage

os.chdir(stage.home("qwen-agent"))

from qwen_agent.agents import FnCallAgent  # noqa: E402
from qwen_agent.tools.base import BaseTool  # noqa: E402

logging.disable()


class Staged(BaseTool):
    def __init__(self, spec):
        self.name, self.description = spec["name"], spec["description"]
        # It wants these three keys and no others.
        given = spec["parameters"]
        self.parameters = {"type": "object", "properties": given["properties"], "required": given.get("required", [])}
        super().__init__()

    def call(self, params, **_):
        return stage.call(self.name, self._verify_json_format_args(params))


def ask(bot, text):
    # Each piece of the stream replaces the one before; the last is what stays.
    last = []
    for messages in bot.run([{"role": "user", "content": text}]):
        last = messages
    return "\n".join(m["content"] for m in last if m["role"] == "assistant")


def agent(**settings):
    tools = [Staged(spec) for spec in stage.tools()]
    llm = {"model": "fake", "model_server": stage.URL + "/v1", "api_key": "none", "generate_cfg": settings}
    return FnCallAgent(function_list=tools, llm=llm)


def main():
    text, native = agent(), agent(use_raw_api=True)
    for record in stage.records():
        stage.begin(record)
        try:
            stage.end(ask(native if record["id"].startswith("openai/") else text, record["user"]))
        except Exception as e:  # noqa: BLE001  whatever it is, it is the outcome
            stage.end("", repr(e))


main()

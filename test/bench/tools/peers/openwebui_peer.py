"""Open WebUI: the real server, spoken to as its own page does, in a chat of its own
for each record. The stage's tools are a toolkit in it. Usage: openwebui_peer.py
[native|legacy] URL; the two are its ways to call tools. The person reads the
message's text without what the page folds away (tool calls, reasoning)."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid

MODE = sys.argv.pop(1)
import stage  # noqa: E402  it reads the URL that is left

TYPES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "array": "list[str]"}
HEAD = '''
import asyncio, json, urllib.request

def _call(tool, arguments):
    body = json.dumps({"tool": tool, "arguments": {k: v for k, v in arguments.items() if v is not None}}).encode()
    with urllib.request.urlopen(urllib.request.Request("%s/stage/call", body, {"Content-Type": "application/json"})) as reply:
        return json.load(reply)

class Tools:
'''


def toolkit():
    """The stage's tools as the Python that Open WebUI wants."""
    text = HEAD % stage.URL
    for spec in stage.tools():
        properties, required = spec["parameters"]["properties"], spec["parameters"].get("required", [])
        args = "".join(
            f", {name}: {TYPES[p['type']]}" + ("" if name in required else " = None") for name, p in properties.items())
        doc = spec["description"] + "".join(f"\n        :param {name}: {p.get('description', name)}" for name, p in properties.items())
        given = ", ".join(f'"{name}": {name}' for name in properties)
        text += f'    async def {spec["name"]}(self{args}) -> str:\n        """\n        {doc}\n        """\n'
        text += f'        return await asyncio.to_thread(_call, "{spec["name"]}", {{{given}}})\n\n'
    return text


class Server:
    def __init__(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        home = stage.home("openwebui")
        self.url, self.token = f"http://127.0.0.1:{port}", ""
        environment = {
            "PATH": os.environ["PATH"], "HOME": home, "DATA_DIR": home, "LANG": "C.UTF-8",
            "WEBUI_AUTH": "False", "WEBUI_SECRET_KEY": "for-this-test",
            "OPENAI_API_BASE_URLS": stage.URL + "/v1", "OPENAI_API_KEYS": "none", "ENABLE_OLLAMA_API": "False",
            "OFFLINE_MODE": "true", "HF_HUB_OFFLINE": "1", "BYPASS_EMBEDDING_AND_RETRIEVAL": "true",
            "RAG_EMBEDDING_ENGINE": "ollama", "ANONYMIZED_TELEMETRY": "false", "DO_NOT_TRACK": "true",
            "ENABLE_TITLE_GENERATION": "False", "ENABLE_TAGS_GENERATION": "False", "ENABLE_FOLLOW_UP_GENERATION": "False",
        }
        program = os.path.join(os.path.dirname(sys.executable), "open-webui")
        self.log = open(os.path.join(home, "log"), "w")
        self.process = subprocess.Popen([program, "serve", "--host", "127.0.0.1", "--port", str(port)],
                                        env=environment, stdout=self.log, stderr=self.log, start_new_session=True)

    def stop(self):
        os.killpg(self.process.pid, signal.SIGTERM)
        self.process.wait()

    def send(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Authorization": "Bearer " + self.token}
        with urllib.request.urlopen(urllib.request.Request(self.url + path, data, headers), timeout=60) as reply:
            return json.load(reply)

    def ready(self):
        until = time.monotonic() + 300
        while True:
            try:
                self.send("/health")
                break
            except (urllib.error.URLError, OSError):
                if time.monotonic() > until or self.process.poll() is not None:
                    raise
                time.sleep(0.5)
        self.token = self.send("/api/v1/auths/signin", {"email": "", "password": ""})["token"]
        self.send("/api/v1/tools/create", {"id": "stage", "name": "Stage", "content": toolkit(), "meta": {"description": "Stage"}})
        self.send("/api/models")

    def ask(self, text):
        asked, answer = str(uuid.uuid4()), str(uuid.uuid4())
        message = {"id": asked, "parentId": None, "childrenIds": [], "role": "user", "content": text, "timestamp": int(time.time()), "models": ["fake"]}
        chat = self.send("/api/chat/completions", {
            "model": "fake", "stream": True, "messages": [{"role": "user", "content": text}], "tool_ids": ["stage"],
            "params": {"function_calling": MODE}, "session_id": "stage", "parent_id": None, "user_message": message, "id": answer,
        })["chat_id"]
        until = time.monotonic() + 60
        while self.send(f"/api/tasks/chat/{chat}")["task_ids"]:
            if time.monotonic() > until:
                raise TimeoutError
            time.sleep(0.02)
        reply = self.send(f"/api/v1/chats/{chat}")["chat"]["history"]["messages"][answer]
        error = reply.get("error") or ""
        if isinstance(error, dict):
            error = error.get("content") or json.dumps(error)
        return read(reply) + str(error)


def read(reply):
    """What of a message is on the page without unfolding."""
    if reply.get("output"):
        return "".join(part.get("text", "") for item in reply["output"] if item.get("type") == "message" for part in item.get("content", []))
    return re.sub(r'<details type="(tool_calls|reasoning)".*?</details>', "", reply.get("content") or "", flags=re.S)


def main():
    server = Server()
    try:
        server.ready()
        for record in stage.records():
            stage.begin(record)
            try:
                stage.end(server.ask(record["user"]))
            except Exception as e:  # noqa: BLE001  whatever it is, it is the outcome
                stage.end("", repr(e))
    finally:
        server.stop()


main()

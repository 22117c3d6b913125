"""What the scripts of all peers share: the stage that they perform on (peer.go)."""

import atexit
import json
import shutil
import sys
import tempfile
import urllib.request

URL = sys.argv[1]


def _send(path, body=None):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + "/stage/" + path, data, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


def home(name):
    """Makes a folder that is gone when the script ends."""
    path = tempfile.mkdtemp(prefix=name)
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


def tools():
    """The tools to offer: name, description, parameters."""
    return _send("tools")


def records():
    """What to ask, in order: id, user."""
    return _send("records")


def begin(record):
    _send("begin", {"id": record["id"]})


def call(tool, arguments):
    """Plays a tool, and notes that it was called."""
    return _send("call", {"tool": tool, "arguments": arguments})


def end(shown, error=""):
    """Hands in all that the person has read."""
    _send("end", {"shown": shown, "error": error})

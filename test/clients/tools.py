"""Gives loci tools of the client's own, through the packages that people use.

Usage: tools.py URL KEY MODEL [tiny]
Each package asks plainly and with tools, streaming and not. Prints one line
"ok NAME" for each check and fails at the first that is wrong. What the model
behind loci does is scripted by the test that runs this; with tiny it is a real
one, too small to choose tools.
"""

import json
import sys

import ollama
import openai
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_ollama import ChatOllama
from langchain_openai import ChatOpenAI
from llama_index.core.llms import ChatMessage, MessageRole
from llama_index.core.tools import FunctionTool
from llama_index.llms.ollama import Ollama

URL, KEY, MODEL = sys.argv[1:4]
BEARER = {"Authorization": "Bearer " + KEY}


def get_weather(city: str) -> str:
    """Gives the weather in a city.

    Args:
        city: the name of the city
    """
    return {"Brno": "21 degrees", "Oslo": "5 degrees"}[city]


def read_file(path: str) -> str:
    """Reads a file on the phone.

    Args:
        path: where the file is on the phone
    """
    return f"{path} on the phone: call Anna"


OWN = {f.__name__: f for f in (get_weather, read_file)}


def schema(function):
    """The function as the OpenAI protocol describes it."""
    return ollama._utils.convert_function_to_tool(function).model_dump(exclude_none=True)


# Each client takes messages of its own kind. say gives the text, the calls as
# (id, name, arguments), and the reply as the message to send back.


class OpenAI:
    def __init__(self):
        self.client = openai.OpenAI(base_url=URL + "/v1", api_key=KEY, max_retries=0)

    def user(self, text):
        return {"role": "user", "content": text}

    def result(self, call, text):
        return {"role": "tool", "tool_call_id": call[0], "content": text}

    def say(self, messages, tools, stream):
        more = {"tools": [schema(t) for t in tools]} if tools else {}
        if stream:
            # The package's own putting together of the pieces.
            with self.client.chat.completions.stream(model=MODEL, messages=messages, **more) as pieces:
                for _ in pieces:
                    pass
                choice = pieces.get_final_completion().choices[0]
        else:
            choice = self.client.chat.completions.create(model=MODEL, messages=messages, **more).choices[0]
        calls = choice.message.tool_calls or []
        check("finish", choice.finish_reason, "tool_calls" if calls else "stop")
        reply = {"role": "assistant", "content": choice.message.content}
        if calls:
            reply["tool_calls"] = [
                {"id": c.id, "type": "function", "function": {"name": c.function.name, "arguments": c.function.arguments}}
                for c in calls
            ]
        return choice.message.content or "", [(c.id, c.function.name, json.loads(c.function.arguments)) for c in calls], reply


class OllamaPackage:
    def __init__(self):
        self.client = ollama.Client(host=URL, headers=BEARER)

    def user(self, text):
        return ollama.Message(role="user", content=text)

    def result(self, call, text):
        return ollama.Message(role="tool", tool_name=call[1], content=text)

    def say(self, messages, tools, stream):
        pieces = self.client.chat(MODEL, messages=messages, tools=tools or None, stream=stream)
        pieces = list(pieces) if stream else [pieces]
        check("done", (pieces[-1].done, pieces[-1].done_reason), (True, "stop"))
        text = "".join(p.message.content or "" for p in pieces)
        calls = [c for p in pieces for c in p.message.tool_calls or []]
        reply = ollama.Message(role="assistant", content=text, tool_calls=calls or None)
        return text, [(None, c.function.name, dict(c.function.arguments)) for c in calls], reply


class LangChain:
    def __init__(self, model):
        self.model = model

    def user(self, text):
        return HumanMessage(text)

    def result(self, call, text):
        return ToolMessage(text, tool_call_id=call[0])

    def say(self, messages, tools, stream):
        model = self.model.bind_tools(tools) if tools else self.model
        if stream:
            reply = None
            for piece in model.stream(messages):
                reply = piece if reply is None else reply + piece
        else:
            reply = model.invoke(messages)
        check("invalid calls", reply.invalid_tool_calls, [])
        return reply.text, [(c["id"], c["name"], c["args"]) for c in reply.tool_calls], reply


class LlamaIndex:
    def __init__(self):
        self.model = Ollama(model=MODEL, base_url=URL, headers=BEARER, request_timeout=60)
        check("window", self.model.metadata.context_window, 8192)

    def user(self, text):
        return ChatMessage(role=MessageRole.USER, content=text)

    def result(self, call, text):
        return ChatMessage(role=MessageRole.TOOL, content=text, additional_kwargs={"tool_call_id": call[0]})

    def say(self, messages, tools, stream):
        more = {}
        ask, ask_stream = self.model.chat, self.model.stream_chat
        if tools:
            tools = [FunctionTool.from_defaults(t) for t in tools]
            ask, ask_stream = self.model.chat_with_tools, self.model.stream_chat_with_tools
            more = {"tools": tools, "allow_parallel_tool_calls": True, "chat_history": list(messages)}
            messages = ()
        else:
            messages = (messages,)
        reply = list(ask_stream(*messages, **more))[-1] if stream else ask(*messages, **more)
        calls = self.model.get_tool_calls_from_response(reply, error_on_no_tool_call=False)
        return reply.message.content or "", [(c.tool_id, c.tool_name, c.tool_kwargs) for c in calls], reply.message


where = ""


def check(what, got, want):
    if got != want:
        sys.exit(f"{where}, {what}: got {got!r}, want {want!r}")


def converse(client, stream, question, want_calls, answer, tools=OWN.values(), then=None, answered=None):
    """Asks, runs the tools that are called, and asks again with their results.

    then is a second question in the same conversation, with its answer;
    answered is how many of the calls the client really runs.
    """
    tools = list(tools)
    messages = [client.user(question)]
    text, calls, reply = client.say(messages, tools, stream)
    check("calls", [c[1:] for c in calls], want_calls)
    if calls:
        messages.append(reply)
        messages += [client.result(c, OWN[c[1]](**c[2])) for c in calls[:answered]]
        text, calls, reply = client.say(messages, tools, stream)
        check("calls after the results", calls, [])
    check("answer", text, answer)
    if then:
        messages += [reply, client.user(then[0])]
        text, calls, reply = client.say(messages, tools, stream)
        check("second question", (text, calls), (then[1], []))


def another(number):
    """One of the many tools that some clients bring."""

    def tool(value: str) -> str:
        return value

    tool.__name__ = f"device_{number}"
    tool.__doc__ = f"Switches the lamp, the blind or the heater number {number} in the house to the value, which is on, off, up or down.\n\nArgs:\n    value: on, off, up or down\n"
    return tool


BRNO = ("get_weather", {"city": "Brno"})
OSLO = ("get_weather", {"city": "Oslo"})
PHONE = ("read_file", {"path": "todo.txt"})
MILK = ("What should I buy?", "You should buy milk.")
CASES = {
    "plain": dict(question=MILK[0], want_calls=[], answer=MILK[1], tools=()),
    "ours, though there are tools": dict(question=MILK[0], want_calls=[], answer=MILK[1]),
    "theirs": dict(question="What is the weather in Brno?", want_calls=[BRNO], answer="Brno: 21 degrees.", then=MILK),
    "theirs twice": dict(question="Compare the weather in Brno and Oslo!", want_calls=[BRNO, OSLO], answer="Brno: 21 degrees. Oslo: 5 degrees."),
    "theirs and ours": dict(question="The weather in Brno, and what should I buy?", want_calls=[BRNO], answer="Brno: 21 degrees. You should buy milk.", then=MILK),
    "a name like ours": dict(question="What is on my phone?", want_calls=[PHONE], answer="Your phone says: call Anna."),
    "one left unanswered": dict(question="Compare the weather in Brno and Oslo!", want_calls=[BRNO, OSLO], answer="Brno: 21 degrees.", answered=1),
    "36 tools": dict(question="What is the weather in Brno?", want_calls=[BRNO], answer="Brno: 21 degrees.", tools=[*map(another, range(35)), get_weather]),
}
SUM = ("What is 6 * 7?", "6 * 7 = 42")
TINY = {
    "theirs": dict(question="What is the weather in Brno?", want_calls=[BRNO], answer="21 degrees", then=SUM),
    "ours beside theirs": dict(question=SUM[0], want_calls=[], answer=SUM[1], then=("Thank you!", "You are welcome!")),
    "36 tools": dict(question="get the weather in Oslo", want_calls=[OSLO], answer="5 degrees", tools=[*map(another, range(35)), get_weather]),
}
CLIENTS = {
    "openai": OpenAI(),
    "ollama": OllamaPackage(),
    "langchain-openai": LangChain(ChatOpenAI(model=MODEL, base_url=URL + "/v1", api_key=KEY, max_retries=0)),
    "langchain-ollama": LangChain(
        ChatOllama(model=MODEL, base_url=URL, client_kwargs={"headers": BEARER}, validate_model_on_init=True)
    ),
    "llama-index-llms-ollama": LlamaIndex(),
}

for case, talk in (TINY if "tiny" in sys.argv[4:] else CASES).items():
    for package, client in CLIENTS.items():
        for stream in (False, True):
            where = f"{case}: {package}{', streamed' if stream else ''}"
            converse(client, stream, **talk)
            print("ok", where, flush=True)

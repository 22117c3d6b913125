"""Talks to loci through the official openai and ollama packages.

Usage: official.py URL KEY CHATURL MODEL EMBEDDER
URL is the server, CHATURL the address with the chat-only key in its path.
Prints one line "ok NAME" for each check and fails at the first that is wrong.
"""

import sys

import ollama
import openai

URL, KEY, CHATURL, MODEL, EMBEDDER = sys.argv[1:6]
ASK = [{"role": "user", "content": "What should I buy?"}]
ANSWER = "You should buy milk."


def check(name, got, want):
    if got != want:
        sys.exit(f"{name}: got {got!r}, want {want!r}")
    print("ok", name)


def contains(name, got, want):
    if want not in got:
        sys.exit(f"{name}: {want!r} is not in {got!r}")
    print("ok", name)


def through_openai(base, key, door):
    client = openai.OpenAI(base_url=base, api_key=key, max_retries=0)
    contains(door + " models", [m.id for m in client.models.list()], MODEL)

    reply = client.chat.completions.create(model=MODEL, messages=ASK)
    check(door + " chat", reply.choices[0].message.content, ANSWER)
    check(door + " finish", reply.choices[0].finish_reason, "stop")
    check(door + " no tool calls", reply.choices[0].message.tool_calls, None)
    check(door + " usage", reply.usage.total_tokens > 0, True)

    text, finish, usage = "", None, None
    for chunk in client.chat.completions.create(
        model=MODEL, messages=ASK, stream=True, stream_options={"include_usage": True}
    ):
        for choice in chunk.choices:
            if choice.delta.tool_calls:
                sys.exit("a tool call of loci reached the client")
            text += choice.delta.content or ""
            finish = choice.finish_reason or finish
        usage = chunk.usage or usage
    check(door + " stream", text, ANSWER)
    check(door + " stream finish", finish, "stop")
    check(door + " stream usage", usage.completion_tokens > 0, True)

    try:
        client.chat.completions.create(model="no-such-model", messages=ASK)
        sys.exit("an unknown model was accepted")
    except openai.NotFoundError as error:
        contains(door + " unknown model", str(error), "no-such-model")
    try:
        client.chat.completions.create(model=MODEL, messages=[{"role": "system", "content": "x"}])
        sys.exit("a request without a user message was accepted")
    except openai.BadRequestError as error:
        contains(door + " no user message", str(error), "user message")
    return client


def through_ollama(host, headers, door):
    client = ollama.Client(host=host, headers=headers)
    contains(door + " list", [m.model for m in client.list().models], MODEL)
    check(door + " show", "completion" in client.show(MODEL).capabilities, True)
    client.ps()

    reply = client.chat(MODEL, messages=ASK)
    check(door + " chat", reply.message.content, ANSWER)
    check(door + " done", (reply.done, reply.done_reason), (True, "stop"))
    check(door + " no tool calls", reply.message.tool_calls, None)

    pieces = list(client.chat(MODEL, messages=ASK, stream=True))
    check(door + " stream", "".join(p.message.content for p in pieces), ANSWER)
    check(door + " stream done", [p.done for p in pieces][-1], True)

    try:
        client.chat("no-such-model", messages=ASK)
        sys.exit("an unknown model was accepted")
    except ollama.ResponseError as error:
        check(door + " unknown model", (error.status_code, error.error), (404, "model 'no-such-model' not found"))
    return client


main = through_openai(URL + "/v1", KEY, "openai")
through_openai(CHATURL + "/v1", "anything", "openai, key in the path")
mine = through_ollama(URL, {"Authorization": "Bearer " + KEY}, "ollama")
through_ollama(CHATURL, {}, "ollama, key in the path")

check("openai completions", main.completions.create(model=MODEL, prompt="Once").choices[0].text != "", True)
vectors = main.embeddings.create(model=EMBEDDER, input=["a", "b"]).data
check("openai embeddings", [len(v.embedding) > 0 for v in vectors], [True, True])
check("ollama generate", mine.generate(MODEL, prompt="What should I buy?").response, ANSWER)
check("ollama generate, streamed", "".join(p.response for p in mine.generate(MODEL, prompt="What should I buy?", stream=True)), ANSWER)
check("ollama embed", [len(v) > 0 for v in mine.embed(EMBEDDER, input=["a", "b"]).embeddings], [True, True])

for bad in ("wrong", ""):
    try:
        openai.OpenAI(base_url=URL + "/v1", api_key=bad or "-", max_retries=0).models.list()
        sys.exit("a wrong key was accepted")
    except openai.AuthenticationError:
        print("ok wrong key", repr(bad))

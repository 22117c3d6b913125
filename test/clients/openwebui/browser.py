"""Uses loci through Open WebUI as a person does, in a headless browser.

Usage: browser.py URL FOLDER SCREENSHOTS [STEP...]
URL is Open WebUI with the connections "openai" and "ollama", both to loci;
FOLDER is the one that loci may work in. What the model behind loci says is
scripted by the test that runs this. Every step runs over both connections, in a
chat of its own, and leaves a picture. Without STEP, all of them run.
"""

import datetime
import os
import re
import sys
import time
import zoneinfo

from playwright.sync_api import expect, sync_playwright

URL, FOLDER, SHOTS = sys.argv[1:4]
CODE = re.compile(r"\(code ([2-9][A-Z][2-9])\)")
expect.set_options(timeout=20_000)


class Chat:
    """A new chat over one of the connections."""

    def __init__(self, page, connection, step):
        self.page, self.connection, self.name, self.shots = page, connection, f"{step}-{connection}", 0
        page.goto(f"{URL}/?models={connection}.fake", wait_until="domcontentloaded")
        expect(page.locator("#model-selector-model-button")).to_have_text(re.compile(rf"{connection}\.fake"))

    def shot(self):
        self.shots += 1
        self.page.screenshot(path=f"{SHOTS}/{self.name}-{self.shots}.png")

    def say(self, text):
        self.page.click("#chat-input")
        self.page.keyboard.type(text)
        self.page.keyboard.press("Enter")

    @property
    def reply(self):
        return self.page.locator(".chat-assistant").last

    def expect(self, text):
        """The newest reply is complete, and is just this (or matches it)."""
        expect(self.reply.locator("#response-content-container")).to_have_text(text)
        expect(self.page.get_by_role("button", name="Regenerate").last).to_be_visible()
        self.shot()

    def suggestions(self, *texts):
        """The replies that Open WebUI offers to click."""
        offered = self.page.locator("button[aria-label^='Follow up:']")
        expect(offered).to_have_text(list(texts))
        self.shot()
        return offered

    def question(self, file):
        """loci has asked about a file that is not written yet; gives the code."""
        expect(self.reply).to_contain_text(CODE)
        expect(self.reply).to_contain_text(file)
        expect(self.reply).to_contain_text("bread")  # what would be written
        code = CODE.search(self.reply.inner_text()).group(1)
        expect(self.page.get_by_role("button", name="Regenerate").last).to_be_visible()
        check(not os.path.exists(os.path.join(FOLDER, file)), f"{file} was written before the yes")
        self.shot()
        return code


def check(ok, message):
    if not ok:
        raise AssertionError(message)


def written(file):
    path = os.path.join(FOLDER, file)
    check(os.path.exists(path), f"{file} was not written")
    with open(path) as f:
        check(f.read() == "- milk\n- bread\n", f"{file} holds something else")


def date(chat):
    day = datetime.datetime.now(zoneinfo.ZoneInfo("Europe/Prague"))
    chat.say("What day is it today?")
    chat.expect(f"It is {day:%A}, {day.day} {day:%B %Y}.")
    # The job for a title is answered without the model: with one slot, a second
    # prompt would throw the conversation out of its cache.
    expect(chat.page).to_have_title(re.compile("^What day is it today"))
    chat.suggestions()


def file(chat):
    chat.say("What should I buy?")
    chat.expect(re.compile(r"You should buy milk and bread\.\s*$"))
    chat.reply.get_by_text("Thought for").click()  # what was done is folded away
    expect(chat.reply).to_contain_text("notes.md")
    chat.page.wait_for_timeout(500)  # it unfolds
    chat.shot()
    check("<tool" not in chat.reply.inner_text(), "markup of a tool call is shown")


def yes_by_button(chat):
    name = f"button-{chat.connection}.md"
    chat.say(f"Write a list to {name}")
    code = chat.question(name)
    chat.suggestions("no", f"yes {code}").last.click()
    chat.expect(re.compile("Done, I wrote the list"))
    written(name)


def yes_by_typing(chat):
    name = f"typed-{chat.connection}.md"
    chat.say(f"Write a list to {name}")
    chat.question(name)
    chat.say("yes")
    chat.expect(re.compile("Done, I wrote the list"))
    written(name)


def no_by_button(chat):
    name = f"refused-{chat.connection}.md"
    chat.say(f"Write a list to {name}")
    code = chat.question(name)
    chat.suggestions("no", f"yes {code}").first.click()
    chat.expect(re.compile("Then I leave it"))
    check(not os.path.exists(os.path.join(FOLDER, name)), f"{name} was written in spite of the no")


def stop(chat):
    chat.say("Tell me a long story.")
    expect(chat.reply).to_contain_text("Once")
    chat.page.get_by_role("button", name="Stop").click()
    chat.expect("Once")
    chat.say("What should I buy?")
    chat.expect(re.compile(r"You should buy milk and bread\.\s*$"))


def edit(chat):
    chat.say("My favourite colour is red.")
    chat.expect("I like red too.")
    chat.say("Give me a number.")
    chat.expect(re.compile(r"Number \d+\."))
    message = chat.page.locator(".user-message").first
    message.hover()
    message.get_by_role("button", name="Edit").click()
    box = chat.page.locator(".user-message textarea").first
    box.fill("My favourite colour is blue.")
    chat.shot()
    chat.page.get_by_role("button", name="Send").first.click()
    chat.expect("I like blue too.")
    expect(chat.page.locator(".chat-assistant")).to_have_count(1)
    chat.say("Give me a number.")
    chat.expect(re.compile(r"Number \d+\."))


def regenerate(chat):
    chat.say("Give me a number.")
    chat.expect(re.compile(r"Number \d+\."))
    first = chat.reply.locator("#response-content-container").inner_text()
    chat.page.get_by_role("button", name="Regenerate").click()
    chat.page.get_by_text("Try Again").click()
    expect(chat.reply.locator("#response-content-container")).not_to_have_text(first)
    chat.expect(re.compile(r"Number \d+\."))
    chat.say("My favourite colour is green.")
    chat.expect("I like green too.")


def their_tool(chat):
    """A tool of Open WebUI itself. As an OpenAI server loci asks it for none."""
    chat.say("Ask your own clock!")
    if chat.connection == "openai":
        chat.expect(re.compile("Then I leave it"))
        return
    chat.expect(re.compile(r"Your clock says \d{10}\."))
    clock = int(re.search(r"\d{10}", chat.reply.inner_text()).group())
    check(abs(clock - time.time()) < 120, f"{clock} is not the time")
    chat.say("What should I buy?")
    chat.expect(re.compile(r"You should buy milk and bread\.\s*$"))


STEPS = [date, file, their_tool, yes_by_button, yes_by_typing, no_by_button, stop, edit, regenerate]


def run(page):
    failed = []
    # The news of this version, which stand before everything the first time.
    page.add_locator_handler(page.get_by_role("button", name="Okay, Let's Go!"), lambda news: news.click())
    for step in STEPS:
        if sys.argv[4:] and step.__name__ not in sys.argv[4:]:
            continue
        for connection in ("openai", "ollama"):
            chat = None
            try:
                chat = Chat(page, connection, step.__name__)
                step(chat)
                print("ok", step.__name__, connection, flush=True)
            except AssertionError as error:
                failed.append(step.__name__)
                print("FAILED", step.__name__, connection, error, flush=True)
                page.screenshot(path=f"{SHOTS}/{step.__name__}-{connection}-failed.png")
    return failed


with sync_playwright() as p:
    browser = p.chromium.launch(executable_path=os.environ.get("LOCI_TEST_CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
    context = browser.new_context(viewport={"width": 1200, "height": 900}, locale="en-US")
    failed = run(context.new_page())
    browser.close()
sys.exit(1 if failed else 0)

// Package choretest has requests of chat UIs for what they want for themselves, in their
// form and in words of our own.
package choretest

// Talk is a conversation as Open WebUI pastes it.
const Talk = "USER: remove every *.tmp file in ~/work\nASSISTANT: Done, 4 files removed."

// Tasked is a request in the form of Open WebUI's templates.
func Tasked(what, form string) string {
	return "### Task:\n" + what + "\n\n### Guidelines:\n- Be brief.\n\n### Output:\nJSON format: " + form +
		"\n\n### Chat History:\n<chat_history>\n" + Talk + "\n</chat_history>"
}

// Heading is the request of a reported case.
const Heading = "Make a heading of at most five words for the talk below. Reply only with JSON like {\"title\":\"...\"}.\n<chat_history>\n" + Talk + "\n</chat_history>"

// Requests of clients, in their form and in words of our own.
var Autocompletion = "### Task:\nGo on with the text in `<text>`.\n1. If unsure: `{ \"text\": \"\" }`.\n#### Example:\n<type>General</type>\n<text>It was</text>\nOutput:\n{ \"text\": \"late\" }\n" +
	"### Context:\n<chat_history>\n" + Talk + "\n</chat_history>\n<type>General</type>\n<text>and then</text>\n#### Output:\n"

const (
	Feeling   = "Your task is to show the facial expression of the speaker by an emoji (e.g., 😊, 😢).\n\nMessage: ```Done at last```"
	Several   = "You have been provided with a set of responses from various models to the latest user query: \"Why?\"\n\nMake one of them.\n\nResponses from models: \"\"\"A\"\"\"\n\n\"\"\"B\"\"\""
	Compacted = "### Task:\nSummarize what will be left out.\n\n### Messages:\n" + Talk
)

package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"loci"
)

// echo answers with what it was told; to "wait" it says nothing more until it
// is stopped.
func echo(d *desk, message string) {
	switch message {
	case "wait":
		d.write("One")
		d.wait(func() bool { return d.over })
	case "write":
		report(writing(1, "report.md"))(d, message)
	case "fail":
		d.emit(loci.EventTurnFinished, loci.TurnFinished{State: loci.TurnFailed, Error: loci.Errorf(loci.Unreachable, "The model is gone.").WithHint("Start it.")})
	default:
		d.say("You said: " + message)
	}
}

const (
	greeting = "You talk with the default model. It may look into no folder. /help lists what\nyou can type, /quit leaves.\n"
	parting  = "To go on with this: loci chat --session ses_1\n"
)

func sent(d *desk) (messages []string) {
	for _, r := range d.requests {
		messages = append(messages, r.Session+" "+r.Message)
	}
	return messages
}

func TestChat(t *testing.T) {
	for name, tt := range map[string]struct {
		args  []string
		steps []step
		want  string
		sent  []string
		code  int
	}{
		"quit at once": {steps: []step{{"> ", types("/quit\n")}}, want: greeting + "> /quit\n"},
		"Ctrl-D":       {steps: []step{{"> ", leaves}}, want: greeting + "> \n"},
		"two messages": {
			steps: []step{{"> ", types("hi\n")}, {"> ", types("  again \n")}, {"> ", types("/q\n")}},
			want:  greeting + "> hi\n· qwen3:4b answers\nYou said: hi\n>   again \nYou said: again\n> /q\n" + parting,
			sent:  []string{" hi", "ses_1 again"},
		},
		"new session": {
			steps: []step{{"> ", types("hi\n")}, {"> ", types("/new\n")}, {"> ", types("hi\n")}, {"> ", types("/EXIT\n")}},
			want:  greeting + "> hi\n· qwen3:4b answers\nYou said: hi\n> /new\nA new conversation begins.\n> hi\nYou said: hi\n> /EXIT\n" + parting,
			sent:  []string{" hi", " hi"},
		},
		"help": {
			steps: []step{{"> ", types("/help\n")}, {"> ", leaves}},
			want:  greeting + "> /help\n" + chatHelp + "> \n",
		},
		"slashes": {
			steps: []step{{"> ", types("/hlep me\n")}, {"> ", types("//hlep\n")}, {"> ", types("/etc/hosts\n")}, {"> ", leaves}},
			want: greeting + "> /hlep me\nThere is no command /hlep, and nothing was sent. /help lists the commands; to\nsend it as a message, begin with two slashes.\n" +
				"> //hlep\n· qwen3:4b answers\nYou said: /hlep\n> /etc/hosts\nYou said: /etc/hosts\n> \n" + parting,
			sent: []string{" /hlep", "ses_1 /etc/hosts"},
		},
		"several lines": {
			steps: []step{{"> ", types("\n")}, {"> ", types("one \\\n")}, {"… ", types("two\n")}, {"> ", leaves}},
			want:  greeting + "> \n> one \\\n… two\n· qwen3:4b answers\nYou said: one \ntwo\n> \n" + parting,
			sent:  []string{" one \ntwo"},
		},
		"stopped": {
			steps: []step{{"> ", types("wait\n")}, {"One", presses}, {"> ", types("hi\n")}, {"> ", leaves}},
			want:  greeting + "> wait\n· qwen3:4b answers\nOne\n· stopped\n> hi\nYou said: hi\n> \n" + parting,
			sent:  []string{" wait", "ses_1 hi"},
		},
		"stopped at a question": {
			steps: []step{{"> ", types("write\n")}, {"no: ", presses}, {"> ", leaves}},
			want:  greeting + "> write\n· qwen3:4b answers\n" + asked + "\r\x1b[K· stopped\n> \n" + parting,
			sent:  []string{" write"},
		},
		"a question": {
			steps: []step{{"> ", types("write\n")}, {"no: ", leaves}, {"> ", types("hi\n")}, {"> ", leaves}},
			want:  greeting + "> write\n· qwen3:4b answers\n" + asked + "\nThat is all.\n> hi\nYou said: hi\n> \n" + parting,
			sent:  []string{" write", "ses_1 hi"},
		},
		"Ctrl-C": {
			steps: []step{{"> ", presses}, {"> ", types("/help\n")}, {"> ", presses}, {"> ", presses}},
			want: greeting + "> \nPress Ctrl-C once more to leave, or type /quit.\n> /help\n" + chatHelp +
				"> \nPress Ctrl-C once more to leave, or type /quit.\n> \n",
			code: loci.ExitInterrupted,
		},
		"a failure": {
			steps: []step{{"> ", types("fail\n")}, {"> ", types("hi\n")}, {"> ", leaves}},
			want:  greeting + "> fail\n· qwen3:4b answers\nloci: The model is gone.\n      Start it.\n> hi\nYou said: hi\n> \n" + parting,
			sent:  []string{" fail", "ses_1 hi"},
		},
		"a known session": {
			args:  []string{"--session", "ses_1"},
			steps: []step{{"> ", types("hi\n")}, {"> ", leaves}},
			want: "You talk with qwen3:4b. It may look into no folder. /help lists what you can\ntype, /quit leaves.\n" +
				"> hi\nYou said: hi\n> \n" + parting,
			sent: []string{"ses_1 hi"},
		},
		"a session that would be another address": {
			args:  []string{"--session", "a/b?c%"},
			steps: []step{{"> ", leaves}},
			want: "You talk with qwen3:4b. It may look into no folder. /help lists what you can\ntype, /quit leaves.\n" +
				"> \nTo go on with this: loci chat --session a/b?c%\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t, nowhere)
			d := newDesk(t, p, echo)
			code, seen := p.act(nil, append([]string{"chat"}, tt.args...), tt.steps...)
			if diff := cmp.Diff(tt.want, seen); diff != "" || code != tt.code {
				t.Errorf("exit code %d\n%s", code, diff)
			}
			if diff := cmp.Diff(tt.sent, sent(d)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Off a terminal the lines of the input are the messages.
func TestChatPiped(t *testing.T) {
	for in, want := range map[string]struct {
		out, err string
		code     int
	}{
		"hi\nwhat day is it":      {out: "You said: hi\nYou said: what day is it\n"},
		"hi\n\n/quit\nnever\n":    {out: "You said: hi\n"},
		"one\\\ntwo\n":            {out: "You said: one\ntwo\n"},
		"one\\":                   {out: "You said: one\n"},
		"":                        {},
		"/nothing\nhi\n":          {out: "You said: hi\n", err: "There is no command /nothing"},
		"fail\nhi\n":              {err: "loci: The model is gone.", code: loci.ExitUnreachable},
		"hi\nwrite\nyes\nnever\n": {out: "You said: hi\n", err: "To answer: loci approvals yes 7F1", code: loci.ExitDenied},
	} {
		p := newPerson(t, nowhere)
		p.terminal = false
		newDesk(t, p, echo)
		if code := p.run(in, "chat"); code != want.code || p.out.String() != want.out {
			t.Errorf("%q: exit code %d\n%s%s", in, code, &p.out, &p.err)
		}
		if got := p.err.String(); !strings.Contains(got, want.err) || want.err == "" && got != "" {
			t.Errorf("%q: it says %s", in, got)
		}
	}
}

// Where no loci runs, the conversation has one of its own, as long as it lasts.
func TestChatInside(t *testing.T) {
	m := yes()
	p := newPerson(t, m.Ollama(t))
	code, seen := p.act(nil, []string{"chat", "--model", "fake"}, step{"> ", types("hello\n")}, step{"> ", types("again\n")}, step{"> ", leaves})
	if code != 0 || strings.Count(seen, "Yes.\n") != 2 || !strings.HasPrefix(seen, "You talk with fake.") || !strings.Contains(told(m), "hello\n") || !strings.Contains(told(m), "again\n") {
		t.Errorf("exit code %d\n%s\n%s", code, seen, told(m))
	}
}

// At a terminal that tells each key, lines can be edited, and pasted.
func TestChatKeys(t *testing.T) {
	const up, left, pasted, pastedEnd = "\x1b[A", "\x1b[D", "\x1b[200~", "\x1b[201~"
	for name, tt := range map[string]struct {
		steps []step
		sent  []string
		code  int
	}{
		"edited":      {steps: []step{{"> ", types("h" + left + "oh \r")}, {"> ", types("\x04")}}, sent: []string{" oh h"}},
		"again":       {steps: []step{{"> ", types("hi\r")}, {"> ", types(up + "!\r")}, {"> ", types("\x04")}}, sent: []string{" hi", "ses_1 hi!"}},
		"typed ahead": {steps: []step{{"> ", types("hi\rho\r/quit\r")}}, sent: []string{" hi", "ses_1 ho"}},
		"pasted":      {steps: []step{{"> ", types(pasted + "a\r\tb\\\rc" + pastedEnd + "d\r")}, {"> ", types("\x04")}}, sent: []string{" a\n\tb\\\ncd"}},
		"a block":     {steps: []step{{"> ", types(pasted + "/quit\ra\r" + pastedEnd)}, {"… ", types("\r")}, {"> ", types("\x04")}}, sent: []string{" /quit\na"}},
		"goes on":     {steps: []step{{"> ", types("a\\\r")}, {"… ", types("b\r")}, {"> ", types("\x04")}}, sent: []string{" a\nb"}},
		"dropped":     {steps: []step{{"> ", types("never")}, {"never", types("\x03")}, {"> ", types("hi\r")}, {"> ", types(up + "\r")}, {"> ", types("\x04")}}, sent: []string{" hi", "ses_1 hi"}},
		"Ctrl-C":      {steps: []step{{"> ", types("\x03")}, {"once more", types("\x03")}}, code: loci.ExitInterrupted},
		"a signal":    {steps: []step{{"> ", presses}, {"once more", presses}}, code: loci.ExitInterrupted},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPerson(t, nowhere)
			d := newDesk(t, p, echo)
			raw := 0
			code, seen := p.act(func(w *World) {
				w.Raw = func() (int, func(), error) { raw++; return 80, func() { raw-- }, nil }
			}, []string{"chat"}, tt.steps...)
			if code != tt.code || raw != 0 || strings.Count(seen, pasteOn) != strings.Count(seen, pasteOff) {
				t.Errorf("exit code %d, raw %d\n%q", code, raw, seen)
			}
			if diff := cmp.Diff(tt.sent, sent(d)); diff != "" {
				t.Errorf("%s\n%q", diff, seen)
			}
		})
	}
}

// The greeting names the model that will answer, once loci knows it.
func TestChatNamesTheModel(t *testing.T) {
	p := newPerson(t, yes().Ollama(t))
	running(t, p)
	if code := p.run("", "ask", "hello"); code != 0 {
		t.Fatal(p.err.String())
	}
	code, seen := p.act(nil, []string{"chat"}, step{"> ", types("hello\n")}, step{"Yes.", func(*screen) {}}, step{"> ", leaves})
	if code != 0 || !strings.Contains(seen, "You talk with fake. ") || strings.Contains(seen, "fake answers") {
		t.Errorf("exit code %d, %s", code, seen)
	}
}

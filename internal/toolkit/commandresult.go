package toolkit

import (
	"fmt"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"loci/internal/confine"
	"loci/internal/lang"
	"loci/internal/text"
)

const (
	outputBytes = 8_000 // of an output that a model is given
	errorBytes  = 3_000 // of the error output beside it
	outputShown = 3_000 // characters of an output that a person is shown
)

// ran is what run_command returns.
type ran struct {
	Command   string  `json:"command"`
	End       string  `json:"end"`                 // exited, signalled, timeout, memory, processes, disk
	Exit      *int    `json:"exit_code,omitempty"` // of one that exited
	Signal    string  `json:"signal,omitempty"`
	Seconds   float64 `json:"seconds"`
	Truncated bool    `json:"truncated,omitempty"` // a part of an output is left out
	Note      string  `json:"note,omitempty"`
	Stdout    string  `json:"stdout"`
	Stderr    string  `json:"stderr,omitempty"`

	limit time.Duration
	from  string // where from outside it may have read
}

// Origin is where from outside the output may come: a command tells nobody what it
// reads.
func (r ran) Origin() string { return r.from }

// outside is where from outside a command could read.
func (c command) outside() string {
	switch {
	case c.network:
		return "a command with network: " + text.Title(wordsShown(c.argv), 60)
	case len(c.reach.Outside) > 0:
		return strings.Join(c.reach.Outside, "; ")
	}
	return ""
}

// report is what came of the command.
func (c command) report(r confine.Result) ran {
	out := ran{Command: wordsShown(c.argv), End: string(r.End), Signal: r.Signal, Seconds: tenth(r.Took.Seconds()), limit: c.limit, from: c.outside()}
	if c.script != "" {
		out.Command = oneLine(c.script)
	}
	out.Command = text.Title(out.Command, 200)
	if r.End == confine.Exited {
		out.Exit = &r.Exit
	}
	room := outputBytes
	if r.Stdout.Size() == 0 { // then the errors are all there is
		room = 0
	}
	var cut [2]int64
	out.Stdout, cut[0] = shortened(r.Stdout, room)
	out.Stderr, cut[1] = shortened(r.Stderr, errorBytes+outputBytes-room)
	out.Truncated = cut[0]+cut[1] > 0
	var notes []string
	for i, name := range []string{"stdout", "stderr"} {
		if cut[i] > 0 {
			notes = append(notes, fmt.Sprintf("%d bytes in the middle of %s are left out.", cut[i], name))
		}
	}
	if r.Left {
		notes = append(notes, "Programs that it had left in the background were stopped.")
	}
	if r.End == confine.Exited && r.Exit != 0 && deniedForm.MatchString(out.Stderr) {
		notes = append(notes, "It can only use the allowed folders and programs of the system"+map[bool]string{true: ".", false: ", and has no network."}[c.network])
	}
	out.Note = strings.Join(notes, " ")
	return out
}

// deniedForm is how programs tell that the sandbox did not let them; of /etc, most is
// not there for them.
var deniedForm = regexp.MustCompile(`(?i)/etc/\S+?['"’]?: no such file|permission denied|operation not permitted|read-only file system|could not resolve|name resolution|network is unreachable`)

// shortened is an output as text of at most so many bytes, the beginning and the end of
// a longer one, and how many bytes are left out between them.
func shortened(o confine.Output, room int) (string, int64) {
	raw := append(o.Head[:len(o.Head):len(o.Head)], o.Tail...)
	if o.Missing == 0 && len(raw) <= room {
		return plainText(string(raw)), 0
	}
	head := string(raw[:min(len(o.Head), room*5/8)])
	for i := 0; i < 3 && head != "" && !lastWhole(head); i++ { // a character that was cut
		head = head[:len(head)-1]
	}
	tail := string(raw[max(len(head), len(raw)-room*3/8):])
	for i := 0; i < 3 && tail != "" && !utf8.RuneStart(tail[0]); i++ {
		tail = tail[1:]
	}
	left := o.Size() - int64(len(head)) - int64(len(tail))
	if left <= 0 {
		return plainText(head + tail), 0
	}
	return fmt.Sprintf("%s\n… %d bytes left out …\n%s", plainText(head), left, plainText(tail)), left
}

// lastWhole tells whether a text ends with a whole character.
func lastWhole(s string) bool {
	r, n := utf8.DecodeLastRuneInString(s)
	return r != utf8.RuneError || n > 1
}

// control is what programs write to move about on a screen or to colour it.
var control = regexp.MustCompile("\x1b(?:\\[[0-?]*[ -/]*[@-~]|[\\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\\\)?|[ -/]*[0-~])")

// overwritten is what stood on a line before it was written again, as progress bars do.
var overwritten = regexp.MustCompile(`[^\n]*\r([^\r\n])`)

// plainText is an output as it would be read: valid, without what steers a screen,
// and with everything that hides written so that it can be seen.
func plainText(s string) string {
	s = control.ReplaceAllString(unixEnds(s), "")
	s = strings.TrimRight(overwritten.ReplaceAllString(s, "$1"), "\r")
	return visible(strings.ToValidUTF8(s, "\ufffd"))
}

// The first lines of what a person is told.
var (
	ranWell   = lang.Words{EN: "Ran %s (%s s).", ZH: "已运行 %s（%s 秒）。", CS: "Proběhlo %s (%s s)."}
	ranBadly  = lang.Words{EN: "%s ended with the code %d (%s s).", ZH: "%s 以代码 %d 结束（%s 秒）。", CS: "%s skončilo s kódem %d (%s s)."}
	wasKilled = lang.Words{EN: "%s was ended by the signal %s (%s s).", ZH: "%s 被信号 %s 终止（%s 秒）。", CS: "%s bylo ukončeno signálem %s (%s s)."}
	ranOut    = map[string]lang.Words{
		string(confine.Timeout):   {EN: "%s took longer than %d s and was stopped.", ZH: "%s 运行超过 %d 秒，已被停止。", CS: "%s trvalo déle než %d s a bylo zastaveno."},
		string(confine.Memory):    {EN: "%s used too much memory and was stopped.", ZH: "%s 占用内存过多，已被停止。", CS: "%s spotřebovalo příliš paměti a bylo zastaveno."},
		string(confine.Processes): {EN: "%s started too many processes and was stopped.", ZH: "%s 启动的进程过多，已被停止。", CS: "%s spustilo příliš mnoho procesů a bylo zastaveno."},
		string(confine.Disk):      {EN: "%s wrote too much to the disk and was stopped.", ZH: "%s 写入磁盘的数据过多，已被停止。", CS: "%s zapsalo na disk příliš mnoho a bylo zastaveno."},
	}
	noOutput   = lang.Words{EN: "It printed nothing.", ZH: "没有任何输出。", CS: "Nic nevypsalo."}
	errorHead  = lang.Words{EN: "Errors:", ZH: "错误输出：", CS: "Chyby:"}
	moreOutput = lang.Words{EN: "… (%s left out)", ZH: "……（省略 %s）", CS: "… (vynecháno: %s)"}
)

// renderRan says what came of a command.
func renderRan(language string, r ran) string {
	took := fmt.Sprintf("%.1f", r.Seconds)
	var head string
	switch words, stopped := ranOut[r.End]; {
	case r.End == string(confine.Timeout):
		head = words.In(language, r.Command, int(r.limit/time.Second))
	case stopped:
		head = words.In(language, r.Command)
	case r.Exit == nil:
		head = wasKilled.In(language, r.Command, r.Signal, took)
	case *r.Exit != 0:
		head = ranBadly.In(language, r.Command, *r.Exit, took)
	default:
		head = ranWell.In(language, r.Command, took)
	}
	parts := []string{head}
	if out := strings.TrimRight(r.Stdout, "\n"); out != "" {
		parts = append(parts, clipOutput(language, out))
	}
	if errs := strings.TrimRight(r.Stderr, "\n"); errs != "" {
		parts = append(parts, errorHead.In(language), clipOutput(language, errs))
	}
	if len(parts) == 1 {
		parts = append(parts, noOutput.In(language))
	}
	return strings.Join(parts, "\n")
}

// clipOutput is the beginning of an output, and how much more there is.
func clipOutput(language, out string) string {
	shown := text.First(out, outputShown)
	if rest := utf8.RuneCountInString(out[len(shown):]); rest > 0 {
		return shown + "\n" + moreOutput.In(language, letters.In(language, rest))
	}
	return shown
}

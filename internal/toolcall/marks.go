package toolcall

import (
	"slices"
	"strings"
	"sync"
)

// mark is a text that makes the reader change its mode: an opening tag, or a
// closing tag that has lost its opening. The person never sees one.
type mark struct {
	text string
	line bool // only at the beginning of a line
	keep bool // text is left for the next mode
	// judge tells by what follows whether the mark is one, or a word of the prose.
	// Nil means that it always is, and so does not knowing when no more comes.
	judge func(r *Reader, rest string, final bool) verdict
	then  func(r *Reader)
}

// The marks that do not depend on what is offered: of thoughts, and of calls.
var (
	thoughtMarks = markThoughts()
	callMarks    = markCalls()
)

// markThoughts makes the marks of thoughts. One begins at the beginning of a line: in
// the middle of a sentence the tag is what the sentence is about.
//
//   - <think> is DeepSeek's and Qwen's, [THINK] Magistral's, START_THINKING Command
//     A's and <|channel>thought Gemma's.
//   - The channels are those of Harmony (gpt-oss): analysis is thought, commentary
//     without a recipient and final are for the person.
func markThoughts() (marks []mark) {
	think := func(open string, ends ...string) mark {
		return mark{text: open, line: true, then: func(r *Reader) { r.mode, r.thought.until = (*Reader).think, ends }}
	}
	for _, t := range [][2]string{{"<think>", "</think>"}, {"<thinking>", "</thinking>"}, {"[THINK]", "[/THINK]"}, {"<seed:think>", "</seed:think>"},
		{"<|START_THINKING|>", "<|END_THINKING|>"}, {"<|channel>thought", "<channel|>"}} {
		ends := t[1:]
		if strings.HasPrefix(t[0], "<think") {
			ends = []string{"</think>", "</thinking>"}
		}
		marks = append(marks, think(t[0], ends...), mark{text: t[1], judge: (*Reader).endsThought, then: (*Reader).wasThought})
	}
	for _, tag := range []string{"thought", "thoughts", "reasoning", "reflection", "scratchpad"} {
		marks = append(marks, mark{text: "<" + tag + ">", line: true, keep: true, then: func(r *Reader) {
			r.mode, r.thought.until = (*Reader).musing, []string{"</" + tag + ">"}
		}})
	}
	ends := []string{"<|end|>", "<|return|>", "<|start|>", "<|channel|>"} // of what is said in a channel
	inChannels := func(r *Reader, _ string, _ bool) verdict { return markupIf(r.thought.channel) }
	speaks := func(r *Reader) { r.thought.channel = true; r.resume() }
	return append(marks,
		mark{text: "<|channel|>analysis<|message|>", line: true, then: func(r *Reader) {
			r.thought.channel, r.mode, r.thought.until = true, (*Reader).think, ends
		}},
		mark{text: "<|channel|>commentary<|message|>", line: true, then: speaks},
		mark{text: "<|channel|>final<|message|>", line: true, then: speaks},
		mark{text: "<|start|>assistant<|channel|>analysis<|message|>", judge: inChannels, then: func(r *Reader) {
			r.mode, r.thought.until = (*Reader).think, ends
		}},
		mark{text: "<|start|>assistant<|channel|>commentary<|message|>", judge: inChannels, then: speaks},
		mark{text: "<|start|>assistant<|channel|>final<|message|>", judge: inChannels, then: speaks},
	)
}

// markCalls makes the marks of calls and of what is left over from them.
func markCalls() (marks []mark) {
	leftover := func(r *Reader, _ string, _ bool) verdict {
		return markupIf(r.page.behind || r.found.fault != nil || r.thought.channel)
	}
	drop := func(r *Reader) { r.place.blank = true }
	for _, d := range dialects() {
		marks = append(marks, mark{d.open, d.line, true, d.judge, func(r *Reader) { r.capture(d) }})
	}
	for _, tag := range []string{outputTag, "<tool_response>"} {
		marks = append(marks, mark{text: tag, judge: (*Reader).isOutput, then: (*Reader).invented})
	}
	for _, end := range slices.Concat(closings, []string{outputEnd, "</tool_response>", "<|/tool_call|>"}) {
		marks = append(marks, mark{text: end, judge: leftover, then: drop})
	}
	goesOn := func(r *Reader, _ string, _ bool) verdict {
		return markupIf(len(r.found.calls) > 0 || r.found.fault != nil)
	}
	for _, turn := range []string{"<|im_start|>", "<|start_header_id|>", "<start_of_turn>", "[INST]"} {
		marks = append(marks, mark{text: turn, judge: goesOn, then: (*Reader).invented})
	}
	for _, tag := range []string{"</parameter>", "</function>"} {
		tagged := func(r *Reader, _ string, _ bool) verdict { return markupIf(r.found.tagged) }
		marks = append(marks, mark{text: tag, judge: tagged, then: (*Reader).ambiguous})
	}
	return marks
}

// toolMarks are the marks that have a tool's name in them. There is a reader for each
// reply that is under way, and they offer the same tools: so the marks are kept, but not
// those of ever new names.
var toolMarks struct {
	sync.Mutex
	kept map[string][]mark
}

// maxKept bounds the names whose marks are kept.
const maxKept = 1000

// marksOf gives the marks of a tool.
func marksOf(name string) []mark {
	toolMarks.Lock()
	defer toolMarks.Unlock()
	if marks, ok := toolMarks.kept[name]; ok {
		return marks
	}
	marks := markTool(name)
	if toolMarks.kept == nil {
		toolMarks.kept = make(map[string][]mark)
	}
	if len(toolMarks.kept) < maxKept {
		toolMarks.kept[name] = marks
	}
	return marks
}

// markTool makes the marks that have the name of an offered tool in them.
func markTool(name string) []mark {
	leftover := func(r *Reader, _ string, _ bool) verdict { return markupIf(r.page.behind) }
	var marks []mark
	for _, s := range spellings(name) {
		marks = append(marks, mark{text: "</" + s + ">", judge: leftover, then: func(*Reader) {}})
	}
	for _, d := range toolDialects(name) {
		marks = append(marks, mark{d.open, d.line, true, d.judge, func(r *Reader) { r.capture(d) }})
	}
	return marks
}

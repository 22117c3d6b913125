package toolkit

import (
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"loci"
	"loci/internal/lang"
	"loci/internal/sandbox"
	"loci/internal/text"
	"loci/internal/tool"
)

// writeArgs is what write_file takes.
type writeArgs struct {
	Path    string `json:"path" jsonschema:"file"`
	Content string `json:"content" jsonschema:"all of it"`
}

// written is what write_file returns.
type written struct {
	Path     string `json:"path"` // absolute, without links
	Created  bool   `json:"created"`
	Bytes    int    `json:"bytes"`
	Lines    int    `json:"lines"`
	Verified bool   `json:"verified"` // read back and compared
	Note     string `json:"note,omitempty"`

	shown string
	made
}

// writeFile is the tool that writes a whole text file.
func writeFile(j *sandbox.Journal) tool.Tool {
	write := func(ctx context.Context, env tool.Env, args writeArgs) (written, error) {
		return write(ctx, env, args, j)
	}
	return tool.WithPreview(tool.Define(loci.ToolSpec{
		Name: "write_file",
		Description: `Writes a whole text file, new or over an old one. Does not append. ` +
			`Example: {"path": "notes.md", "content": "# Notes\n"}`,
		SideEffects: loci.EffectWrite,
		Core:        true,
		Dangerous:   true,
		Files:       true,
		Examples: []string{
			"Write this into report.md.",
			"Save the list as shopping.txt.",
			"Create a file hello.txt that says hello.",
			"Make a new file todo.md with these points.",
			"Put the result into summary.md.",
			"Overwrite config.yaml with this text.",
			"把这些内容写入 report.md。",
			"新建一个文件 todo.txt，内容是：你好。",
			"Zapiš to do souboru zpráva.md.",
			"Vytvoř soubor nákup.txt s tímto seznamem.",
		},
	}, write, renderWritten), previewWrite)
}

// draft is what a file is to become.
type draft struct {
	spot   *sandbox.Spot
	path   string        // as it was asked for
	state  sandbox.State // what the draft starts from
	form   form          // how the text is written down
	old    string        // the text that is there
	text   string        // the text that is to be there
	data   []byte        // the same as it is written down
	lost   bool          // characters of the new text were lost before it came here
	evened bool          // lines that stay get other ends
	change change        // of an edit
	basis  string        // of the preview
}

// onDraft makes the draft of a file, with others kept from changing the file
// until use is done.
func onDraft[R any](ctx context.Context, env tool.Env, path string, prepare func(context.Context, *draft) error, use func(*draft) (R, error)) (R, error) {
	return atSpot(ctx, env, path, sandbox.Follow, func(spot *sandbox.Spot) (R, error) {
		return alone(ctx, func() (r R, err error) {
			d := &draft{spot: spot, path: path}
			if err = prepare(ctx, d); err != nil {
				return r, err
			}
			d.basis = string(d.state) + namesOf(spot)
			if err = env.Still(d.basis); err != nil {
				return r, err
			}
			return use(d)
		}, spot)
	})
}

// begin fills in what is there, in the order that notices every change: first
// the state, then the text.
func (d *draft) begin(ctx context.Context) (err error) {
	info := d.spot.Info()
	if info == nil || info.Mode().IsRegular() { // of others, reading tells what is wrong
		if d.state, err = d.spot.State(ctx); err != nil || info == nil {
			return err
		}
	}
	raw, err := d.spot.Read(ctx)
	if err != nil {
		return err
	}
	d.old, d.form, err = readText(raw, d.spot.Info())
	if e, ok := errors.AsType[*loci.ToolError](err); ok {
		return advise("If it is to be replaced, move it away first.", "%s Only text files are changed.", e.Message)
	}
	return err
}

// become takes the text that is to be there, of which a part was given in the call.
func (d *draft) become(given, content string) (err error) {
	if strings.ContainsRune(given, 0) {
		return fail("Leave the NUL out; only text can be written.", "The new text has a NUL character in it, which no text file has.")
	}
	d.text, d.lost = content, strings.ContainsRune(given, utf8.RuneError)
	if d.data, err = d.form.write(content); err == nil && len(d.data) > sandbox.MaxText {
		err = errTooLong(oneLine(text.Clip(d.path, 200)))
	}
	return err
}

// remark is what a difference does not show by itself.
func (d *draft) remark(language string) string {
	var parts []string
	if d.evened {
		parts = append(parts, lang.Words{EN: "All line ends become %s.", ZH: "所有换行符都变为 %s。", CS: "Všechny konce řádků budou %s."}.In(language, endNames[d.form.ends]))
	}
	if d.lost {
		parts = append(parts, lang.Words{EN: "It has � where characters were lost.", ZH: "其中的 � 是丢失的字符。", CS: "Na místě ztracených znaků je �."}.In(language))
	}
	return strings.Join(parts, "\n")
}

// draftOf makes the draft of a write. What the old file was like stays: its line
// ends, its encoding, its mark.
func draftOf(args writeArgs) func(context.Context, *draft) error {
	return func(ctx context.Context, d *draft) error {
		if len(args.Content) > sandbox.MaxText {
			return fail("Write less, or several files.", "The content is too long: %d bytes, at most %d are possible.", len(args.Content), sandbox.MaxText)
		}
		if err := d.begin(ctx); err != nil {
			return err
		}
		content := args.Content
		if d.spot.Info() != nil {
			content = d.form.like(content)
			d.evened = d.form.mixed && strings.Contains(content, "\n")
		}
		if err := d.form.fits(args.Path, content); err != nil {
			return err
		}
		return d.become(args.Content, content)
	}
}

// write does what write_file promises.
func write(ctx context.Context, env tool.Env, args writeArgs, j *sandbox.Journal) (written, error) {
	return onDraft(ctx, env, args.Path, draftOf(args), func(d *draft) (written, error) {
		created := d.spot.Info() == nil
		who := by(env, "write_file")
		who.Anew = true
		done, err := j.Write(ctx, d.spot, d.data, d.state, who)
		if err != nil {
			return written{}, err
		}
		w := written{
			Path: d.spot.Path(), Created: created, Bytes: len(d.data), Lines: countLines(d.text), Verified: true,
			shown: oneLine(args.Path), made: made{done.ID},
		}
		if string(d.data) != args.Content && !d.evened {
			w.Note = "The line ends and the encoding of the old file were kept."
		}
		w.Note = strings.TrimSpace(w.Note + "\n" + d.remark(lang.English))
		return w, nil
	})
}

// previewWrite shows what a write would change.
func previewWrite(ctx context.Context, env tool.Env, args writeArgs) (tool.Preview, error) {
	return onDraft(ctx, env, args.Path, draftOf(args), func(d *draft) (tool.Preview, error) {
		p := tool.Preview{Text: newFile(env.Scope.Lang, d), Basis: d.basis, Touches: []string{d.spot.Path()}}
		if d.spot.Info() != nil {
			p = d.preview(env.Scope.Lang, replaces)
		}
		return p.Lasting(d.spot.Path(), string(d.data)), nil // what it replaces does not count
	})
}

// The first lines of previews.
var (
	creates  = lang.Words{EN: "New file %s (%s, %s):", ZH: "新文件 %s（%s，%s）：", CS: "Nový soubor %s (%s, %s):"}
	replaces = lang.Words{EN: "New content of %s:", ZH: "%s 的新内容：", CS: "Nový obsah souboru %s:"}
	changes  = lang.Words{EN: "Change of %s:", ZH: "对 %s 的更改：", CS: "Změna souboru %s:"}
)

// newFile shows the beginning of a new file.
func newFile(language string, d *draft) string {
	head := creates.In(language, oneLine(d.spot.Path()), lineCount.In(language, countLines(d.text)), lang.Size(language, int64(len(d.data))))
	shown := text.First(d.text, previewRunes)
	rest := utf8.RuneCountInString(d.text[len(shown):])
	out := head + "\n" + strings.TrimRight(visible(unixEnds(shown)), "\n")
	if rest > 0 {
		out += "\n" + moreLines.In(language, letters.In(language, rest))
	}
	if remark := d.remark(language); remark != "" {
		out += "\n" + remark
	}
	return out
}

// letters is a number of characters in words.
var letters = lang.Counted{One: "character", Many: "characters", ZH: "个字符", CSOne: "znak", CSFew: "znaky", CSAll: "znaků"}

// preview shows the difference between what is there and what would be.
func (d *draft) preview(language string, head lang.Words) tool.Preview {
	parts := []string{head.In(language, oneLine(d.spot.Path()))}
	lines := unified(unixEnds(d.old), unixEnds(d.text), previewRunes)
	switch {
	case lines.all > 0:
		parts = append(parts, excerptLines(language, lines))
	case d.old == d.text:
		parts = append(parts, lang.Words{EN: "Nothing changes.", ZH: "没有变化。", CS: "Nic se nemění."}.In(language))
	case !d.evened:
		parts = append(parts, lang.Words{EN: "Only line ends change.", ZH: "只有换行符改变。", CS: "Mění se jen konce řádků."}.In(language))
	}
	if remark := d.remark(language); remark != "" && d.old != d.text {
		parts = append(parts, remark)
	}
	return tool.Preview{
		Text: strings.Join(parts, "\n"), Basis: d.basis, Touches: []string{d.spot.Path()},
		Warning: warnNames(language, d.path, d.spot.Names(), othersOld),
	}
}

// renderWritten says what was written.
func renderWritten(language string, w written) string {
	form := lang.Words{EN: "Wrote %s: %s, %s.", ZH: "已写入 %s：%s，%s。", CS: "Zapsáno do %s: %s, %s."}
	return form.In(language, w.shown, lineCount.In(language, w.Lines), lang.Size(language, int64(w.Bytes)))
}

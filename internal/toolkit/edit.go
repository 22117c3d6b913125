package toolkit

import (
	"context"
	"strings"

	"loci"
	"loci/internal/lang"
	"loci/internal/sandbox"
	"loci/internal/text"
	"loci/internal/tool"
)

// editCall is what edit_file takes: exact texts, or an instruction of which such
// texts are made before anybody is asked (see instruct.go).
type editCall struct {
	Path        string  `json:"path" jsonschema:"text file"`
	Old         *string `json:"old_text,omitempty" jsonschema:"exact"`
	New         *string `json:"new_text,omitempty" jsonschema:"instead"`
	Replace     bool    `json:"replace_all,omitempty" jsonschema:"every place"`
	Instruction string  `json:"instruction,omitempty" jsonschema:"or what to change, in words"`
}

// editArgs is an edit as it is made.
type editArgs struct {
	Path    string `json:"path"`
	Old     string `json:"old_text"`
	New     string `json:"new_text"`
	Replace bool   `json:"replace_all,omitempty"`
}

// exact gives the edit that a call tells.
func (c editCall) exact() (editArgs, error) {
	switch {
	case c.Instruction != "" && (c.Old != nil || c.New != nil):
		return editArgs{}, errBoth
	case c.Old == nil || c.New == nil:
		return editArgs{}, &loci.ToolError{
			Message:    "old_text or new_text is missing. Nothing was changed.",
			CanRetry:   true,
			Suggestion: "Give both, copied exactly; an empty new_text removes the old one. Or give an instruction instead of both.",
		}
	}
	return editArgs{c.Path, *c.Old, *c.New, c.Replace}, nil
}

var errBoth = &loci.ToolError{
	Message:    "There are an instruction and exact texts. Nothing was changed.",
	CanRetry:   true,
	Suggestion: "Give either instruction, or old_text and new_text.",
}

// edited is what edit_file returns.
type edited struct {
	Path     string `json:"path"` // absolute, without links
	Replaced int    `json:"replaced"`
	Bytes    int    `json:"bytes"`    // of the whole file
	Verified bool   `json:"verified"` // read back and compared
	Lines    []int  `json:"lines"`    // where the new text begins; the first 10
	Note     string `json:"note,omitempty"`

	shown string
	made
}

// editFile is the tool that replaces text in a file.
func editFile(j *sandbox.Journal, w Writer) tool.Tool {
	handle := func(ctx context.Context, env tool.Env, c editCall) (edited, error) {
		args, err := c.exact()
		if err != nil {
			return edited{}, err
		}
		return edit(ctx, env, args, j)
	}
	t := tool.WithPreview(tool.Define(loci.ToolSpec{
		Name: "edit_file",
		Description: `Replaces old_text, which must be there exactly and once, in a file; or follows an instruction. Does not guess. ` +
			`Example: {"path": "a.md", "old_text": "1 egg", "new_text": "2 eggs"}`,
		SideEffects: loci.EffectWrite,
		Core:        true,
		Dangerous:   true,
		Files:       true,
		Examples: []string{
			"Change the port to 8080 in config.yaml.",
			"In notes.md replace milk by bread.",
			"Fix the typo recieve in letter.txt.",
			"Add a line to the end of todo.md.",
			"Replace every colour by color in paper.txt.",
			"Remove the second line of list.txt.",
			"把 config.yaml 里的 80 改成 8080。",
			"在 notes.md 中把“牛奶”替换为“面包”。",
			"Změň v souboru config.yaml port na 8080.",
			"Nahraď v poznámky.md mléko chlebem.",
		},
	}, handle, renderEdited), previewEdit)
	t.Prepare = instructed(w)
	return t
}

// editDraft makes the draft of an edit.
func editDraft(args editArgs) func(context.Context, *draft) error {
	return func(ctx context.Context, d *draft) error {
		if err := d.begin(ctx); err != nil {
			return err
		}
		if d.spot.Info() == nil {
			return d.spot.Missing(ctx)
		}
		err := d.form.fits(args.Path, args.Old, args.New)
		if err == nil {
			d.change, err = replace(ctx, d.old, d.form, args)
		}
		if err != nil { // which may quote what is there
			d.spot.Told()
		}
		if n := d.spot.Names(); err != nil && n > 1 { // the error may quote what nobody has agreed to show
			return advise("Read it first; that has to be agreed to.", "%s has %d names (hard links), and the edit does not fit what is in it.", oneLine(text.Clip(args.Path, 200)), n)
		}
		if err != nil {
			return err
		}
		return d.become(args.New, d.change.text)
	}
}

// edit does what edit_file promises.
func edit(ctx context.Context, env tool.Env, args editArgs, j *sandbox.Journal) (edited, error) {
	return onDraft(ctx, env, args.Path, editDraft(args), func(d *draft) (edited, error) {
		done, err := j.Write(ctx, d.spot, d.data, d.state, by(env, "edit_file"))
		if err != nil {
			return edited{}, err
		}
		return edited{
			Path: d.spot.Path(), Replaced: d.change.count, Bytes: len(d.data), Verified: true, Lines: d.change.lines,
			Note: d.remark(lang.English), shown: oneLine(args.Path), made: made{done.ID},
		}, nil
	})
}

// previewEdit shows what an edit would change.
func previewEdit(ctx context.Context, env tool.Env, c editCall) (tool.Preview, error) {
	args, err := c.exact()
	if err != nil {
		return tool.Preview{}, err
	}
	return onDraft(ctx, env, args.Path, editDraft(args), func(d *draft) (tool.Preview, error) {
		p := d.preview(env.Scope.Lang, changes)
		return p.Lasting(d.spot.Path(), p.Basis, string(d.data)), nil
	})
}

// renderEdited says what was replaced, and where.
func renderEdited(language string, e edited) string {
	places := lang.Counted{One: "place", Many: "places", ZH: "处", CSOne: "místo", CSFew: "místa", CSAll: "míst"}.In(language, e.Replaced)
	form := lang.Words{EN: "Changed %s: %s (line %s).", ZH: "已修改 %s：%s（第 %s 行）。", CS: "Změněno v %s: %s (řádek %s)."}
	if len(e.Lines) > 1 {
		form = lang.Words{EN: "Changed %s: %s (lines %s).", ZH: "已修改 %s：%s（第 %s 行）。", CS: "Změněno v %s: %s (řádky %s)."}
	}
	numbers := numberList(e.Lines)
	if e.Replaced > len(e.Lines) {
		numbers += " …"
	}
	return form.In(language, e.shown, places, strings.TrimSpace(numbers))
}

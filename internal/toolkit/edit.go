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

// editArgs is what edit_file takes.
type editArgs struct {
	Path    string `json:"path" jsonschema:"text file"`
	Old     string `json:"old_text" jsonschema:"exact"`
	New     string `json:"new_text" jsonschema:"instead"`
	Replace bool   `json:"replace_all,omitempty" jsonschema:"every place"`
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
func editFile(j *sandbox.Journal) tool.Tool {
	edit := func(ctx context.Context, env tool.Env, args editArgs) (edited, error) { return edit(ctx, env, args, j) }
	return tool.WithPreview(tool.Define(loci.ToolSpec{
		Name: "edit_file",
		Description: `Replaces old_text, which must be there exactly and once, in a file. Does not guess. ` +
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
	}, edit, renderEdited), previewEdit)
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
func previewEdit(ctx context.Context, env tool.Env, args editArgs) (tool.Preview, error) {
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

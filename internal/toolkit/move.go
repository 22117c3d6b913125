package toolkit

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"loci"
	"loci/internal/lang"
	"loci/internal/sandbox"
	"loci/internal/tool"
)

// moveArgs is what move_file takes.
type moveArgs struct {
	Source      string `json:"source" jsonschema:"file or folder"`
	Destination string `json:"destination" jsonschema:"with the name"`
}

// moved is what move_file returns.
type moved struct {
	Source      string `json:"source"` // absolute, without links
	Destination string `json:"destination"`
	Kind        string `json:"kind"`     // file or folder
	Verified    bool   `json:"verified"` // found at the new place, and not at the old one

	from, to string
	made
}

// moveFile is the tool that moves and renames.
func moveFile(j *sandbox.Journal) tool.Tool {
	move := func(ctx context.Context, env tool.Env, args moveArgs) (moved, error) { return move(ctx, env, args, j) }
	return tool.WithPreview(tool.Define(loci.ToolSpec{
		Name: "move_file",
		Description: `Moves or renames a file or folder to a free path; never overwrites. ` +
			`Example: {"source": "a.md", "destination": "old/a.md"}`,
		SideEffects: loci.EffectWrite,
		Dangerous:   true,
		Files:       true,
		Examples: []string{
			"Rename draft.md to final.md.",
			"Move report.pdf into the folder archive.",
			"Put photo.jpg into pictures.",
			"Call the folder old from now on backup.",
			"Move everything from inbox/a.txt to done/a.txt.",
			"Give notes.txt the name notes-2026.txt.",
			"把 draft.md 重命名为 final.md。",
			"把 report.pdf 移到 archive 文件夹。",
			"Přejmenuj návrh.md na hotovo.md.",
			"Přesuň zprávu.pdf do složky archiv.",
		},
	}, move, renderMoved), previewMove)
}

// onMove opens both ends of a move, with others kept away from them.
func onMove[R any](ctx context.Context, env tool.Env, args moveArgs, use func(from, to *sandbox.Spot, was, free sandbox.State) (R, error)) (R, error) {
	return atSpot(ctx, env, args.Source, sandbox.Keep, func(from *sandbox.Spot) (r R, err error) {
		if from.Info() == nil {
			return r, from.Missing(ctx)
		}
		last := args.Destination[max(len(args.Destination)-1, 0):]
		if env.Files.IsDir(args.Destination) || last != "" && os.IsPathSeparator(last[0]) && !from.Info().IsDir() {
			name := filepath.Join(args.Destination, filepath.Base(from.Path()))
			advice := fmt.Sprintf("To move it in there, give the whole new path: %s.", name)
			return r, advise(advice, "%s is a folder.", oneLine(args.Destination))
		}
		return atSpot(ctx, env, args.Destination, sandbox.Keep, func(to *sandbox.Spot) (R, error) {
			return alone(ctx, func() (R, error) { return moving(ctx, env, from, to, use) }, from, to)
		})
	})
}

// moving looks at both ends of a move before use.
func moving[R any](ctx context.Context, env tool.Env, from, to *sandbox.Spot, use func(from, to *sandbox.Spot, was, free sandbox.State) (R, error)) (r R, err error) {
	if err := from.CanMove(ctx, to); err != nil {
		return r, err
	}
	was, err := from.State(ctx)
	if err != nil {
		return r, err
	}
	free, err := to.State(ctx)
	if err == nil {
		err = env.Still(moveBasis(was, free, from))
	}
	if err != nil {
		return r, err
	}
	return use(from, to, was, free)
}

// moveBasis is what a move starts from: what is moved, and that its destination is
// free.
func moveBasis(was, free sandbox.State, from *sandbox.Spot) string {
	return string(was+"\n"+free) + namesOf(from)
}

// move does what move_file promises.
func move(ctx context.Context, env tool.Env, args moveArgs, j *sandbox.Journal) (moved, error) {
	return onMove(ctx, env, args, func(from, to *sandbox.Spot, was, free sandbox.State) (moved, error) {
		kind := kindOf(from.Info())
		done, err := j.Move(ctx, from, to, was, free, by(env, "move_file"))
		if err != nil {
			return moved{}, err
		}
		return moved{
			Source: from.Path(), Destination: to.Path(), Kind: kind, Verified: true,
			from: oneLine(args.Source), to: oneLine(args.Destination), made: made{done.ID},
		}, nil
	})
}

// previewMove shows what would be moved where.
func previewMove(ctx context.Context, env tool.Env, args moveArgs) (tool.Preview, error) {
	return onMove(ctx, env, args, func(from, to *sandbox.Spot, was, free sandbox.State) (tool.Preview, error) {
		form := lang.Words{EN: "Move: %s\n→ %s\n%s", ZH: "移动：%s\n→ %s\n%s", CS: "Přesun: %s\n→ %s\n%s"}
		text := form.In(env.Scope.Lang, oneLine(from.Path()), oneLine(to.Path()), inventory(env, from))
		p := tool.Preview{
			Text: text, Basis: moveBasis(was, free, from), Touches: []string{from.Path(), to.Path()},
			Warning: warnNames(env.Scope.Lang, args.Source, from.Names(), othersStay),
		}
		return p.Lasting(from.Path()+" → "+to.Path(), p.Basis), nil
	})
}

// renderMoved says what was moved where.
func renderMoved(language string, m moved) string {
	return lang.Words{EN: "Moved %s to %s.", ZH: "已将 %s 移到 %s。", CS: "Přesunuto: %s do %s."}.In(language, m.from, m.to)
}

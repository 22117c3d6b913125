package toolkit

import (
	"context"
	"path/filepath"
	"time"

	"loci"
	"loci/internal/lang"
	"loci/internal/sandbox"
	"loci/internal/tool"
)

// deleteArgs is what delete_file takes.
type deleteArgs struct {
	Path string `json:"path" jsonschema:"file or folder"`
}

// deleted is what delete_file returns.
type deleted struct {
	Path     string `json:"path"`      // absolute, the last link not followed
	Kind     string `json:"kind"`      // file, folder or link
	Bytes    int64  `json:"bytes"`     // with all that was in it
	Things   int    `json:"things"`    // files and folders in it
	KeptDays int    `json:"kept_days"` // for how long it can be had back
	Verified bool   `json:"verified"`  // found in the trash, and not at its old place
	Trash    string `json:"trash"`     // where it is

	shown string
	made
}

// keptDays is for how many days the trash keeps things.
const keptDays = int(sandbox.Kept / (24 * time.Hour))

// deleteFile is the tool that puts things into the trash.
func deleteFile(j *sandbox.Journal) tool.Tool {
	remove := func(ctx context.Context, env tool.Env, args deleteArgs) (deleted, error) {
		return remove(ctx, env, args, j)
	}
	return tool.WithPreview(tool.Define(loci.ToolSpec{
		Name: "delete_file",
		Description: `Puts a file or folder into the trash for 30 days, not away for good. ` +
			`Example: {"path": "old.md"}`,
		SideEffects: loci.EffectWrite,
		Dangerous:   true,
		Files:       true,
		Examples: []string{
			"Delete old.txt.",
			"Remove the folder tmp.",
			"Throw away draft-1.md.",
			"Get rid of the file test.log.",
			"Please delete ~/notes/old list.txt.",
			"Trash the backup folder.",
			"删除 old.txt。",
			"把 tmp 文件夹删掉。",
			"Smaž soubor starý.txt.",
			"Vyhoď složku tmp do koše.",
		},
	}, remove, renderDeleted), previewDelete)
}

// onDelete opens what is to be deleted, with others kept away from it.
func onDelete[R any](ctx context.Context, env tool.Env, path string, use func(s *sandbox.Spot, was sandbox.State) (R, error)) (R, error) {
	return atSpot(ctx, env, path, sandbox.Keep, func(spot *sandbox.Spot) (R, error) {
		return alone(ctx, func() (r R, err error) {
			if err := spot.CanDelete(ctx); err != nil {
				return r, err
			}
			was, err := spot.State(ctx)
			if err == nil {
				err = env.Still(string(was) + namesOf(spot))
			}
			if err != nil {
				return r, err
			}
			return use(spot, was)
		}, spot)
	})
}

// remove does what delete_file promises.
func remove(ctx context.Context, env tool.Env, args deleteArgs, j *sandbox.Journal) (deleted, error) {
	if j.Dir == "" {
		return deleted{}, fail("Tell the person that nothing can be deleted here.", "There is no trash to put things into.")
	}
	return onDelete(ctx, env, args.Path, func(s *sandbox.Spot, was sandbox.State) (deleted, error) {
		c, err := j.Delete(ctx, s, was, by(env, "delete_file"))
		if err != nil {
			return deleted{}, err
		}
		return deleted{
			Path: c.Path, Kind: c.Thing, Bytes: c.Bytes, Things: c.Things, KeptDays: keptDays, Verified: true,
			Trash: filepath.Join(j.Dir, c.ID, filepath.Base(c.Path)), shown: oneLine(args.Path), made: made{c.ID},
		}, nil
	})
}

// previewDelete shows what would be deleted.
func previewDelete(ctx context.Context, env tool.Env, args deleteArgs) (tool.Preview, error) {
	return onDelete(ctx, env, args.Path, func(s *sandbox.Spot, was sandbox.State) (tool.Preview, error) {
		form := lang.Words{EN: "Into the trash, for %d days: %s\n%s", ZH: "移入回收站，保留 %d 天：%s\n%s", CS: "Do koše, na %d dní: %s\n%s"}
		p := tool.Preview{
			Text: form.In(env.Scope.Lang, keptDays, oneLine(s.Path()), inventory(env, s)), Basis: string(was) + namesOf(s), Touches: []string{s.Path()},
			Warning: warnNames(env.Scope.Lang, args.Path, s.Names(), othersStay),
		}
		return p.Lasting(s.Path(), p.Basis), nil
	})
}

// inventory tells what there is at a spot whose state was looked at, for a person to
// recognise it.
func inventory(env tool.Env, s *sandbox.Spot) string {
	language, info := env.Scope.Lang, s.Info()
	date := info.ModTime().In(env.Now.Location()).Format("2006-01-02 15:04")
	if !info.IsDir() {
		if info.Mode().IsRegular() {
			return lang.Words{EN: "a file, %s, from %s", ZH: "文件，%s，%s", CS: "soubor, %s, z %s"}.In(language, lang.Size(language, info.Size()), date)
		}
		return lang.Words{EN: "a link, from %s; what it leads to stays", ZH: "链接，%s；它指向的内容不受影响", CS: "odkaz, z %s; to, kam vede, zůstane"}.In(language, date)
	}
	tree := s.Contents()
	form := lang.Words{EN: "a folder with %s and %s in it, %s, from %s", ZH: "文件夹，含 %s、%s，%s，%s", CS: "složka, v ní %s a %s, %s, z %s"}
	return form.In(language, fileWord.In(language, tree.Files), folderWord.In(language, tree.Folders), lang.Size(language, tree.Bytes), date)
}

// renderDeleted says what was deleted, and for how long it can be had back.
func renderDeleted(language string, d deleted) string {
	form := lang.Words{EN: "Deleted %s. For %d days it is in the trash: %s", ZH: "已删除 %s。它在回收站保留 %d 天：%s", CS: "Smazáno: %s. %d dní zůstane v koši: %s"}
	return form.In(language, d.shown, d.KeptDays, oneLine(d.Trash))
}

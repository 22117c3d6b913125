package toolkit

import (
	"cmp"
	"context"
	"io/fs"
	"path/filepath"

	"loci"
	"loci/internal/lang"
	"loci/internal/sandbox"
	"loci/internal/tool"
)

// The bounds of one page of a listing.
const (
	listEntries = 200
	listBytes   = 14 << 10 // of JSON, so that a page fits the usual limit of results
	entryBytes  = 90       // JSON of an entry without its name
)

// listArgs is what list_dir takes.
type listArgs struct {
	Path string `json:"path,omitempty" jsonschema:"working folder if left out"`
	Page int    `json:"page,omitempty" jsonschema:"from 1"`
}

// listing is what list_dir returns: one page of a folder.
type listing struct {
	Path    string      `json:"path"` // absolute
	Total   int         `json:"total"`
	Page    int         `json:"page"`
	Pages   int         `json:"pages"`
	Note    string      `json:"note,omitempty"`
	Entries []listEntry `json:"entries"`
}

// listEntry is one line of a listing.
type listEntry struct {
	Name     string    `json:"name"`
	Type     string    `json:"type"` // file, folder, link (one that leads nowhere allowed), other
	Link     bool      `json:"link,omitempty"`
	Size     *int64    `json:"size,omitempty"` // bytes; files only
	Modified loci.Time `json:"modified,omitzero"`
}

// listDir is the tool that lists a folder.
func listDir() tool.Tool {
	return tool.Define(loci.ToolSpec{
		Name: "list_dir",
		Description: `Lists a folder: name, type, size, time. Does not look into sub-folders or files. ` +
			`Paths: relative, absolute or ~/x. ` +
			`Example: {"path": "notes"}`,
		SideEffects: loci.EffectRead,
		Core:        true,
		Files:       true,
		Examples: []string{
			"Which files are in my notes folder?",
			"List the files here.",
			"What is in /home/me/projects?",
			"Show me the contents of the folder reports.",
			"Is there a file called todo.txt in this folder?",
			"What do I have in Documents?",
			"How big are the files in this directory?",
			"这个文件夹里有哪些文件？",
			"列出 notes 目录的内容。",
			"Jaké soubory jsou ve složce poznámky?",
			"Vypiš obsah této složky.",
		},
	}, list, renderListing)
}

// list does what list_dir promises.
func list(ctx context.Context, env tool.Env, args listArgs) (listing, error) {
	path := cmp.Or(args.Path, ".")
	loc, err := env.Files.Resolve(path)
	if err != nil {
		return listing{}, err
	}
	entries, more, err := env.Files.ReadDir(ctx, path)
	if err != nil {
		return listing{}, err
	}
	starts := pageStarts(entries)
	page := max(args.Page, 1)
	if page > len(starts) {
		return listing{}, advise("Ask for a page that exists.", "This list has only %d pages.", len(starts))
	}
	end := len(entries)
	if page < len(starts) {
		end = starts[page]
	}
	result := listing{
		Path: loc.Path(), Total: len(entries), Page: page, Pages: len(starts),
		Entries: make([]listEntry, 0, end-starts[page-1]),
	}
	switch {
	case more:
		result.Note = "The folder has more entries than are listed; use search_files to find one."
	case len(starts) > 1:
		result.Note = "There are more pages."
	}
	for _, e := range entries[starts[page-1]:end] {
		if err := ctx.Err(); err != nil {
			return listing{}, err
		}
		e.Told()
		result.Entries = append(result.Entries, describe(e))
	}
	return result, nil
}

// pageStarts is where each page begins. It depends on the names alone, so that
// only the entries of the page that is shown have to be looked up.
func pageStarts(entries []sandbox.Entry) []int {
	starts := []int{0}
	count, bytes := 0, 0
	for i, e := range entries {
		need := len(e.Name) + entryBytes
		if count == listEntries || bytes+need > listBytes {
			starts = append(starts, i)
			count, bytes = 0, 0
		}
		count++
		bytes += need
	}
	return starts
}

// describe looks up what one entry is. An entry that is gone by now, or a link
// that leads outside, keeps what its name says.
func describe(e sandbox.Entry) listEntry {
	entry := listEntry{Name: e.Name, Type: "other", Link: e.Link}
	look := e.Info
	if e.Link {
		entry.Type, look = "link", e.Target
	}
	info, err := look()
	if err != nil {
		return entry
	}
	entry.Modified = loci.Time{Time: info.ModTime()}
	entry.Type = kindOf(info)
	if entry.Type == "file" {
		entry.Size = new(info.Size())
	}
	return entry
}

// kindOf names what a file is in the words of the tools.
func kindOf(info fs.FileInfo) string {
	switch {
	case info.IsDir():
		return "folder"
	case info.Mode().IsRegular():
		return "file"
	}
	return "other"
}

// renderListing writes the names in one sentence, folders with a slash and files
// with their size.
func renderListing(language string, l listing) string {
	if l.Total == 0 {
		return lang.Words{EN: "%s is empty.", ZH: "%s 是空的。", CS: "Složka %s je prázdná."}.In(language, l.Path)
	}
	parts := make([]string, len(l.Entries))
	for i, e := range l.Entries {
		parts[i] = e.Name
		switch {
		case e.Type == "folder":
			parts[i] += string(filepath.Separator)
		case e.Size != nil:
			parts[i] += " (" + lang.Size(language, *e.Size) + ")"
		}
	}
	text := lang.Words{EN: "Files in %s: %s", ZH: "文件位于 %s：%s", CS: "Soubory ve složce %s: %s"}.In(language, l.Path, some(language, parts, 60))
	if l.Pages > 1 {
		text += lang.Words{EN: " (page %d of %d, %d entries)", ZH: "（第 %d 页，共 %d 页，%d 项）", CS: " (strana %d z %d, položek: %d)"}.In(language, l.Page, l.Pages, l.Total)
	}
	return text
}

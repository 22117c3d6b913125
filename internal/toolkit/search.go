package toolkit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/lang"
	"loci/internal/sandbox"
	"loci/internal/text"
	"loci/internal/tool"
)

const (
	searchFilesMax = 20_000
	searchBytesMax = 1 << 30
	searchTime     = 20 * time.Second
	searchLimit    = 50 // results shown unless told otherwise
	searchLimitMax = 200
	fileHits       = 20 // lines shown of one file
	allHits        = 60 // lines shown in all
)

// searchArgs is what search_files takes; all conditions must hold.
type searchArgs struct {
	Path           string `json:"path,omitempty" jsonschema:"folder or file"`
	Name           string `json:"name,omitempty" jsonschema:"part of it, or *.md"`
	Content        string `json:"content,omitempty" jsonschema:"text in a line"`
	Regexp         bool   `json:"regexp,omitempty" jsonschema:"content is a regexp"`
	GroupBy        string `json:"group_by,omitempty" jsonschema:"regexp with one (group)"`
	Count          bool   `json:"count,omitempty" jsonschema:"only count"`
	Case           bool   `json:"case,omitempty" jsonschema:"match case always"`
	ModifiedAfter  string `json:"modified_after,omitempty" jsonschema:"2026-11-30, today, yesterday"`
	ModifiedBefore string `json:"modified_before,omitempty" jsonschema:"likewise"`
	Type           string `json:"type,omitempty" jsonschema:"file, folder, image, audio, video, document, archive, code, or an ending"`
	Sort           string `json:"sort,omitempty" enum:"name,newest,oldest,largest"`
	Limit          int    `json:"limit,omitempty" jsonschema:"of results"`
}

// found is what search_files returns.
type found struct {
	Files   int     `json:"files"`           // files that match
	Folders int     `json:"folders"`         // folders that match
	Lines   *int    `json:"lines,omitempty"` // lines that match; where content was searched
	Times   int     `json:"times,omitempty"` // how often content occurs in them; where they are only counted
	Note    string  `json:"note,omitempty"`
	Groups  []group `json:"groups,omitempty"`
	Matches []match `json:"matches,omitempty"`

	args  searchArgs
	asked int    // the limit that the caller gave; 0: none
	only  string // the one file whose text was searched, if it was one
	skip  skipped
	zone  *time.Location
}

// group is one captured text of group_by.
type group struct {
	Value string `json:"value"`
	Lines int    `json:"lines"`
}

// match is one file or folder that fits.
type match struct {
	Path     string    `json:"path"`
	Type     string    `json:"type"`
	Size     int64     `json:"size"` // bytes
	Modified loci.Time `json:"modified"`
	Lines    int       `json:"lines,omitempty"` // lines that match
	Hits     []hit     `json:"hits,omitempty"`

	entry sandbox.Entry
}

// hit is one line that fits.
type hit struct {
	Line int    `json:"line"` // from 1
	Text string `json:"text"` // the line, or 200 characters of it around the match
}

// searchFiles is the tool that finds files, and lines in them.
func searchFiles(c Config) tool.Tool {
	c.SearchFiles = cmp.Or(c.SearchFiles, searchFilesMax)
	c.SearchBytes = cmp.Or(c.SearchBytes, searchBytesMax)
	c.SearchTime = cmp.Or(c.SearchTime, searchTime)
	return tool.Define(loci.ToolSpec{
		Name: "search_files",
		Description: `Finds files by name, text, date or type, and counts lines. With group_by it counts them for each value of its (group). ` +
			`Does not look into binaries, .git or links. ` +
			`Paths: relative, absolute or ~/x. ` +
			`Example: {"path": "app.log", "content": "ERROR", "count": true}`,
		SideEffects: loci.EffectRead,
		Core:        true,
		Files:       true,
		Examples: []string{
			"How many ERROR lines are in app.log?",
			"Find all PDF files.",
			"Which files mention the word invoice?",
			"Where is the file budget.xlsx?",
			"What is the newest file?",
			"Which files did I change today?",
			"How many times does TODO occur in my notes?",
			"Which address appears most often in access.log?",
			"What are the largest files here?",
			"app.log 里有多少行 ERROR？",
			"哪些文件提到了发票？",
			"Kolik řádků s chybou je v app.log?",
			"Najdi všechny obrázky.",
		},
	}, func(ctx context.Context, env tool.Env, args searchArgs) (found, error) {
		return search(ctx, c, env, args)
	}, renderFound)
}

// searching says what a search looks for. A regular expression would say nothing to
// most people.
func searching(a searchArgs) string {
	words := "looking through the files"
	if a.Content != "" && !a.Regexp {
		words = fmt.Sprintf("searching for %q", a.Content)
	} else if a.Name != "" {
		words = "looking for files named " + a.Name
	}
	if a.Path != "" {
		words += " in " + a.Path
	}
	return words
}

// search runs in two steps: the walk collects what fits by name, type and
// date; then, in the order asked for, the files are read if their text counts.
func search(ctx context.Context, c Config, env tool.Env, args searchArgs) (found, error) {
	asked := args.Limit
	splitName(&args)
	args.Limit = min(max(cmp.Or(args.Limit, searchLimit), 1), searchLimitMax)
	f, err := newFilter(args, env.Now)
	if err != nil {
		return found{}, err
	}
	lines, err := newLines(args)
	if err != nil {
		return found{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, c.SearchTime)
	defer cancel()
	var skip skipped
	matches, err := collect(ctx, env.Files, args, f, c.SearchFiles, &skip)
	if err != nil {
		return found{}, err
	}
	sortMatches(matches, args.Sort)
	result := found{args: args, asked: asked, zone: env.Now.Location()}
	if lines != nil {
		if len(matches) == 1 {
			result.only = matches[0].Path
		}
		lines.left = c.SearchBytes
		matches = lines.search(ctx, matches, &skip)
		result.Lines, result.Groups, result.Times = &lines.total, lines.groups(args.Limit, &skip), lines.times
	}
	for i, m := range matches {
		if lines != nil || i < args.Limit { // what is in it counts, or else its name
			m.entry.Told()
		}
		if m.Type == "folder" {
			result.Folders++
		} else {
			result.Files++
		}
	}
	if len(matches) == 0 && f.isEnding() {
		skip.note(skippedType, text.Clip(f.kind, 40))
	}
	if len(matches) > args.Limit {
		skip.note(skippedResults, args.Limit, len(matches))
		matches = matches[:args.Limit]
	}
	result.Matches, result.Note, result.skip = matches, skip.In(lang.English), skip
	return result, nil
}

// collect walks and keeps what the filter lets through.
func collect(ctx context.Context, files *sandbox.Folders, args searchArgs, f filter, limit int, skip *skipped) ([]match, error) {
	starts := []string{args.Path}
	if args.Path == "" {
		starts = files.Outermost()
	}
	if len(starts) == 0 {
		starts = []string{"."} // fails with the reason
	}
	limits := sandbox.Limits{Entries: limit, Skip: func(name string) bool {
		return sandbox.Cluttered(name) && !strings.Contains(args.Name, name)
	}}
	var matches []match
	for _, start := range starts {
		for e, err := range files.Walk(ctx, start, limits) {
			switch {
			case errors.Is(err, sandbox.ErrLimit):
				skip.note(skippedFiles, limit)
			case errors.Is(err, context.DeadlineExceeded):
				skip.note(skippedTime)
			case err != nil && e.Name == "":
				return nil, err
			case err != nil:
				skip.unreadable++
			case e.Link:
				skip.links++
			default:
				if m, ok := f.match(e); ok {
					matches = append(matches, m)
				}
			}
		}
	}
	return matches, nil
}

// splitName makes a folder and a pattern of a name that is a whole path, as
// /srv/*.txt, which no name matches.
func splitName(args *searchArgs) {
	dir, name := filepath.Split(args.Name)
	if args.Path == "" && name != "" && (filepath.IsAbs(dir) || strings.HasPrefix(dir, "~")) && !strings.ContainsAny(dir, "*?[") {
		args.Path, args.Name = filepath.Clean(dir), name
	}
}

// sortMatches puts the matches in the order asked for.
func sortMatches(matches []match, order string) {
	slices.SortStableFunc(matches, func(a, b match) int {
		switch order {
		case "newest":
			return b.Modified.Compare(a.Modified.Time)
		case "oldest":
			return a.Modified.Compare(b.Modified.Time)
		case "largest":
			return cmp.Compare(b.Size, a.Size)
		}
		return 0 // the walk goes by name
	})
}

// skipped keeps account of what a search left out.
type skipped struct {
	notes                     []note
	unreadable, binary, links int
}

// note is one sentence about something left out, in words of any language.
type note struct {
	words lang.Words
	args  []any
}

// note adds a sentence; one of each kind is enough.
func (s *skipped) note(words lang.Words, args ...any) {
	if !slices.ContainsFunc(s.notes, func(n note) bool { return n.words == words }) {
		s.notes = append(s.notes, note{words, args})
	}
}

// drop takes the sentences of a kind out again.
func (s *skipped) drop(words lang.Words) {
	s.notes = slices.DeleteFunc(slices.Clone(s.notes), func(n note) bool { return n.words == words })
}

// In is the honest note about all that was left out.
func (s *skipped) In(language string) string {
	notes := s.notes
	for _, n := range []note{{skippedBinary, []any{s.binary}}, {skippedUnreadable, []any{s.unreadable}}, {skippedLinks, []any{s.links}}} {
		if n.args[0] != 0 {
			notes = append(notes, n)
		}
	}
	texts := make([]string, len(notes))
	for i, n := range notes {
		texts[i] = n.words.In(language, n.args...)
	}
	return strings.Join(texts, " ")
}

// filter decides by name, type and date.
type filter struct {
	name          func(path, name string) bool
	kind          string
	after, before time.Time
	filesOnly     bool
}

// endings are the words for types that people use.
var endings = map[string][]string{
	"image":    {"png", "jpg", "jpeg", "gif", "webp", "bmp", "tif", "tiff", "svg", "heic", "ico"},
	"audio":    {"mp3", "wav", "flac", "ogg", "m4a", "aac", "opus"},
	"video":    {"mp4", "mkv", "avi", "mov", "webm", "wmv", "m4v"},
	"document": {"pdf", "doc", "docx", "odt", "rtf", "txt", "md", "xls", "xlsx", "ods", "csv", "ppt", "pptx", "odp", "html", "epub"},
	"archive":  {"zip", "tar", "gz", "tgz", "bz2", "xz", "zst", "7z", "rar"},
	"code":     {"go", "py", "js", "ts", "tsx", "java", "c", "h", "cpp", "hpp", "rs", "rb", "php", "sh", "sql", "css", "html", "swift", "kt", "cs"},
}

// newFilter reads the conditions that need no look into files.
func newFilter(args searchArgs, now time.Time) (filter, error) {
	f := filter{
		kind:      strings.TrimPrefix(strings.ToLower(args.Type), "."),
		filesOnly: args.Content != "" || args.GroupBy != "",
	}
	var err error
	if f.name, err = nameMatcher(args.Name); err != nil {
		return f, err
	}
	if f.after, err = parseDay(args.ModifiedAfter, now); err != nil {
		return f, err
	}
	f.before, err = parseDay(args.ModifiedBefore, now)
	return f, err
}

// match describes an entry if it fits.
func (f filter) match(e sandbox.Entry) (match, bool) {
	if f.filesOnly && e.Dir || !f.name(e.Shown, e.Name) || !f.hasKind(e) {
		return match{}, false
	}
	info, err := e.Info()
	if err != nil { // gone since the walk saw it
		return match{}, false
	}
	t := info.ModTime()
	if !f.after.IsZero() && t.Before(f.after) || !f.before.IsZero() && !t.Before(f.before) {
		return match{}, false
	}
	m := match{Path: e.Shown, Type: kindOf(info), Modified: loci.Time{Time: t}, entry: e}
	if m.Type == "file" {
		m.Size = info.Size()
	}
	return m, true
}

// hasKind reports whether an entry is of the type asked for.
func (f filter) hasKind(e sandbox.Entry) bool {
	switch f.kind {
	case "":
		return true
	case "file":
		return !e.Dir
	case "folder", "directory":
		return e.Dir
	}
	ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(e.Name)), ".")
	return !e.Dir && (ext == f.kind || slices.Contains(endings[strings.TrimSuffix(f.kind, "s")], ext))
}

// isEnding reports whether the type asked for is none of the words but an ending
// of names.
func (f filter) isEnding() bool {
	_, word := endings[strings.TrimSuffix(f.kind, "s")]
	return f.kind != "" && !word && !slices.Contains([]string{"file", "folder", "directory"}, f.kind)
}

// nameMatcher reads a name: a pattern if it has * ? or [ in it, otherwise a
// part of the name; a slash makes it look at the path. Case and Unicode form
// do not count.
func nameMatcher(name string) (func(path, name string) bool, error) {
	name = fold(strings.TrimPrefix(name, "**/"))
	whole := strings.Contains(name, "/")
	pick := func(path, base string) string {
		if whole {
			return fold(filepath.ToSlash(path))
		}
		return fold(base)
	}
	if !strings.ContainsAny(name, "*?[") {
		return func(path, base string) bool { return strings.Contains(pick(path, base), name) }, nil
	}
	if _, err := filepath.Match(name, ""); err != nil {
		return nil, advise("Use * for any characters and ? for one, such as *.md.", "The name pattern %q cannot be read.", text.Clip(name, 100))
	}
	return func(path, base string) bool {
		ok, err := filepath.Match(name, pick(path, base))
		return ok && err == nil
	}, nil
}

// parseDay reads a date or time in the person's zone; empty is the zero time.
func parseDay(s string, now time.Time) (time.Time, error) {
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "":
		return time.Time{}, nil
	case "now":
		return now, nil
	case "today":
		return midnight, nil
	case "yesterday":
		return midnight.AddDate(0, 0, -1), nil
	case "tomorrow":
		return midnight.AddDate(0, 0, 1), nil
	}
	for _, layout := range []string{time.DateOnly, time.RFC3339, time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04", "2006-01-02T15:04"} {
		if t, err := time.ParseInLocation(layout, strings.TrimSpace(s), now.Location()); err == nil {
			return t, nil
		}
	}
	return time.Time{}, advise("Write it like 2026-11-30 or 2026-11-30 08:15, or today or yesterday.", "The date %q cannot be read.", text.Clip(s, 100))
}

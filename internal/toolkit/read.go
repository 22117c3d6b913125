package toolkit

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"loci"
	"loci/internal/lang"
	"loci/internal/sandbox"
	"loci/internal/text"
	"loci/internal/tool"
)

const (
	pageRunes = 5_000 // characters on a page of read_file, where the model's window has room for them,
	leastPage = 500   // and on any

	// A character takes 6 bytes of JSON at most (\u0001), so a page of any text
	// fits here whole, and following the pages misses nothing.
	readMaxResult = 6*pageRunes + 4<<10

	// othersTime bounds the look for other files of the same name.
	othersTime = 20 * time.Millisecond

	// countBytes is how large a file may be for its pages to be counted.
	countBytes = 64 << 20
)

// readArgs is what read_file takes.
type readArgs struct {
	Path string `json:"path" jsonschema:"text file"`
	Page int    `json:"page,omitempty" jsonschema:"from 1"`
}

// filePage is what read_file returns: one page of a text.
type filePage struct {
	Path  string `json:"path"` // absolute
	Size  int64  `json:"size"` // bytes
	Page  int    `json:"page"`
	Pages int    `json:"pages,omitempty"` // 0 where the file is too large to count
	Line  int    `json:"line"`            // number of the line that the page begins in, from 1
	Next  int    `json:"next_page,omitempty"`
	Note  string `json:"note,omitempty"`
	Text  string `json:"text"`

	runes int      // characters on a page
	shown string   // the path as it was asked for
	other []string // files of the same name elsewhere
}

// readFile is the tool that reads a text file. Pages count characters and not
// lines, because a file may be one single line of any length.
func readFile() tool.Tool {
	t := tool.WithPreview(tool.Define(loci.ToolSpec{
		Name: "read_file",
		Description: `Reads a text file by pages. Does not read folders or binary files. ` +
			`Paths: relative, absolute or ~/x. ` +
			`Example: {"path": "notes.md", "page": 2}`,
		SideEffects: loci.EffectRead,
		Core:        true,
		Files:       true,
		Examples: []string{
			"What does notes.md say?",
			"Read the file todo.txt.",
			"Show me what is in config.yaml.",
			"Open ~/letters/to mum.txt",
			"What is written in readme.md?",
			"Print the next page of the report.",
			"Summarise report.txt for me.",
			"读一下 notes.md 的内容。",
			"打开 readme.txt 给我看看。",
			"Co je napsáno v souboru poznámky.md?",
			"Přečti mi soubor todo.txt.",
		},
	}, read, renderPage), previewRead)
	t.MaxResult = readMaxResult
	return t
}

// read does what read_file promises.
func read(ctx context.Context, env tool.Env, args readArgs) (filePage, error) {
	loc, err := env.Files.Resolve(args.Path)
	if err != nil {
		return filePage{}, err
	}
	file, info, err := openAgreed(ctx, env, args.Path)
	if err != nil {
		return filePage{}, err
	}
	defer file.Close() // opened for reading: closing loses nothing
	r, err := openText(file, info)
	if err != nil {
		return filePage{}, err
	}
	result := filePage{Path: loc.Path(), Size: info.Size(), Page: max(args.Page, 1), runes: pageOf(env), shown: args.Path}
	if err := result.fill(ctx, r, info); err != nil {
		return filePage{}, err
	}
	if !strings.ContainsAny(args.Path, `/\~`) {
		result.other = others(ctx, env.Files, args.Path, env.Files.Show(loc))
	}
	if len(result.other) > 0 {
		result.Note = strings.TrimSpace(result.Note + " Other files have this name too: " + strings.Join(result.other, ", ") + ".")
	}
	return result, nil
}

// pageOf is how many characters a page has, which is the same all through a
// conversation.
func pageOf(env tool.Env) int {
	if env.Scope.Page <= 0 {
		return pageRunes
	}
	return min(pageRunes, max(leastPage, env.Scope.Page))
}

// previewRead warns of a file with several names. Any other is read without a
// question, and what is wrong with it reading tells.
func previewRead(_ context.Context, env tool.Env, args readArgs) (tool.Preview, error) {
	n, was := env.Files.Names(args.Path)
	if n <= 1 {
		return tool.Preview{}, nil
	}
	loc, err := env.Files.Resolve(args.Path)
	return tool.Preview{Text: oneLine(loc.Path()), Basis: string(was), Warning: warnNames(env.Scope.Lang, args.Path, n, lang.Words{})}, err
}

// openAgreed opens a file, one with several names only if a person agreed to that
// file as it is now.
func openAgreed(ctx context.Context, env tool.Env, path string) (*os.File, fs.FileInfo, error) {
	if env.Basis == "" {
		return env.Files.Open(ctx, path)
	}
	file, info, was, err := env.Files.OpenNamed(ctx, path)
	if err != nil {
		return nil, nil, err
	}
	if err := env.Still(string(was)); err != nil {
		return nil, nil, errors.Join(err, file.Close())
	}
	return file, info, nil
}

// others are the files of the same name besides the one that was read, as far
// as they are found at once: models confuse them, but not telling is better than
// making each reading slow.
func others(ctx context.Context, files *sandbox.Folders, name, shown string) []string {
	ctx, cancel := context.WithTimeout(ctx, othersTime)
	defer cancel()
	return slices.DeleteFunc(files.Namesakes(ctx, name), func(p string) bool { return p == shown })
}

// fill reads on to the page, keeps it, and counts the pages behind it. It
// holds one page in memory, whatever the size of the file.
func (p *filePage) fill(ctx context.Context, r *bufio.Reader, info fs.FileInfo) error {
	before, err := p.skip(ctx, r)
	if err != nil {
		return err
	}
	page, bad, err := p.take(r)
	if err != nil {
		return err
	}
	switch end, err := r.Peek(1); {
	case len(end) > 0:
		p.Next = p.Page + 1
	case !errors.Is(err, io.EOF):
		return p.broken()
	}
	runes := before + utf8.RuneCountInString(page)
	if p.Next > 0 && info.Size() <= countBytes {
		rest, err := countRunes(ctx, r)
		if err != nil {
			return cmp.Or(ctx.Err(), p.broken())
		}
		runes += rest
	}
	if p.Next == 0 || info.Size() <= countBytes {
		p.Pages = max(1, (runes+p.runes-1)/p.runes)
		if p.Page > p.Pages {
			return advise("Ask for a page that exists.", "%s has only %d pages.", text.Clip(p.shown, 200), p.Pages)
		}
	}
	return p.done(page, bad)
}

// skip reads the pages before the one asked for, and counts the lines.
func (p *filePage) skip(ctx context.Context, r *bufio.Reader) (runes int, err error) {
	p.Line = 1
	for runes < (p.Page-1)*p.runes {
		if runes%p.runes == 0 && ctx.Err() != nil {
			return runes, ctx.Err()
		}
		c, _, err := r.ReadRune()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return runes, p.broken()
		}
		if c == '\n' {
			p.Line++
		}
		runes++
	}
	return runes, nil
}

// take reads one page. Bytes that are not UTF-8 become U+FFFD and are counted.
func (p *filePage) take(r *bufio.Reader) (text string, bad int, err error) {
	var b strings.Builder
	for range p.runes {
		c, n, err := r.ReadRune()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", 0, p.broken()
		}
		if c == utf8.RuneError && n == 1 {
			bad++
		}
		b.WriteRune(c)
	}
	return b.String(), bad, nil
}

// countRunes counts what is left, ten times as fast as reading rune by rune.
func countRunes(ctx context.Context, r io.Reader) (n int, err error) {
	buf := make([]byte, 64<<10)
	kept := 0 // bytes at the start of buf that begin a character
	for ctx.Err() == nil {
		m, err := r.Read(buf[kept:])
		whole := kept + m
		for cut := whole - 1; err == nil && cut >= 0 && cut > whole-utf8.UTFMax; cut-- {
			if utf8.RuneStart(buf[cut]) {
				if !utf8.FullRune(buf[cut:whole]) {
					whole = cut
				}
				break
			}
		}
		n += utf8.RuneCount(buf[:whole])
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		kept = copy(buf, buf[whole:kept+m])
	}
	return n, ctx.Err()
}

// broken is the error for a file that stops being readable half-way.
func (p *filePage) broken() error {
	return fail("Tell the person that the file cannot be read.", "%s broke off while it was read.", text.Clip(p.shown, 200))
}

// done takes the text of the page.
func (p *filePage) done(page string, bad int) error {
	if strings.ContainsRune(page, 0) {
		return fail("Tell the person that it is not a text file.", "%s turns into binary data on page %d.", text.Clip(p.shown, 200), p.Page)
	}
	if bad > 0 {
		p.Note = "The file is not UTF-8: unreadable characters are shown as �."
	}
	p.Text = page
	return nil
}

// renderPage writes the text as it is, with the name of the file above it.
func renderPage(language string, p filePage) string {
	head := p.shown
	switch {
	case p.Pages > 1:
		head += lang.Words{EN: " (page %d of %d)", ZH: "（第 %d 页，共 %d 页）", CS: " (strana %d z %d)"}.In(language, p.Page, p.Pages)
	case p.Pages == 0:
		head += lang.Words{EN: " (page %d)", ZH: "（第 %d 页）", CS: " (strana %d)"}.In(language, p.Page)
	}
	body := p.Text
	if body == "" {
		body = lang.Words{EN: "(The file is empty.)", ZH: "（文件是空的。）", CS: "(Soubor je prázdný.)"}.In(language)
	}
	text := head + ":\n" + body
	if len(p.other) > 0 {
		text = strings.TrimRight(text, "\n") + lang.Words{
			EN: "\n\nOther files have this name too: %s.",
			ZH: "\n\n还有同名文件：%s。",
			CS: "\n\nStejně se jmenuje i: %s.",
		}.In(language, some(language, p.other, 5))
	}
	return text
}

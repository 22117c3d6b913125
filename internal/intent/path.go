package intent

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"loci"
	"loci/internal/lang"
)

var (
	// fileExtension is the end of a file's name. Endings that are sites and
	// abbreviations are taken out by isFile.
	fileExtension = regexp.MustCompile(`(?i)[^\s./\\]\.(?:[a-z][a-z0-9]{0,9}|7z|3gp)$`)
	rootedPath    = regexp.MustCompile(`^(?:~(?:$|[/\\])|\.{1,2}(?:$|[/\\])|/|[A-Za-z]:[/\\])`)
	slashedPath   = regexp.MustCompile(`^[^\s/\\]+(?:[/\\][^\s/\\]+)*[/\\]?$`)
	webAddress    = regexp.MustCompile(`(?i)^(?:[a-z]+://|www\.|mailto:)|@[^\s/]+\.|^[a-z0-9.-]+\.(?:com|org|net|edu|gov|info)(?:/|$)`)
	// extensionless are files that have no extension by custom.
	// A licence in small letters is mostly that of a driver.
	extensionless = regexp.MustCompile(`^(?:(?i:makefile|dockerfile|readme|changelog)|(?:L|[a-z]\S*/l)icen[cs]e|LICEN[CS]E|\.[A-Za-z][\w.-]*)$`)
	// slashWords are words with a slash that are no paths.
	slashWords = regexp.MustCompile(`(?i)^(?:and/or|he/she|she/he|his/her|n/a|w/o|either/or|yes/no|i/o|tcp/ip|km/h|m/s|a/c|\d+/\d+)$`)
)

// quotedText is text between any quotation marks.
var quotedText = regexp.MustCompile("^(?:\"([^\"]+)\"|'([^']+)'|`([^`]+)`|“([^”]+)”|„([^“”]+)[“”]|‘([^’]+)’|«([^»]+)»|「([^」]+)」|『([^』]+)』|《([^》]+)》)$")

// unquote takes quotation marks off, and tells whether there were any.
func unquote(s string) (string, bool) {
	s = strings.TrimSpace(s)
	m := quotedText.FindStringSubmatch(s)
	for _, inner := range m[min(1, len(m)):] {
		if inner != "" {
			return strings.TrimSpace(inner), true
		}
	}
	return s, false
}

// isPath tells whether words look like the path of something. Spaces are allowed
// after a root or before an extension only: otherwise any words with a slash
// among them would do.
func isPath(s string) bool {
	switch {
	case s == "" || len(s) > 300 || webAddress.MatchString(s):
		return false
	case rootedPath.MatchString(s):
		return true
	}
	return hasSeparator(s) && slashedPath.MatchString(s) && !slashWords.MatchString(s) || isFile(s)
}

// isFile tells whether words look like the name of a file: they end in an
// extension, or custom says so.
func isFile(s string) bool {
	if webAddress.MatchString(s) || strings.HasSuffix(s, "/") || slashWords.MatchString(s) {
		return false
	}
	base := s[strings.LastIndexAny(s, `/\`)+1:]
	return fileExtension.MatchString(base) || extensionless.MatchString(base)
}

// hasSeparator tells whether a path has more than one part, on any system.
func hasSeparator(s string) bool { return strings.ContainsAny(s, `/\`) }

// Words around the name of a file, which are not part of it.
var (
	fileWords = newPattern(`^(?:(?:the|my|our|this|that|a|whole|entire|me|mi|můj|obsah) )*(?:(?:contents? of|text of|text from|from|text) (?:(?:the|my) )*)?(?:(?:text )?(?:file|document|note|soubor|souboru|dokument|dokumentu) )?(?:(?:named|called|with the name|který se jmenuje|s názvem) )?(?P<rest>\S.*)$`)
	fileTail  = newPattern(`^(?P<rest>.*\S) (?:file|document|to me|aloud|out loud|nahlas)$`)
	fileZH    = newPattern(`^(?:这个|那个|我的|一下|一个|文件|文档|名为|叫)*(?P<rest>\S.*?)(?:这个|这份|的)?(?:文件|文档|里面|里|中|内容|的内容)*$`)
	saysFile  = newPattern(`(?:^| )(?:file|document|soubor\w*|dokument\w*)(?: |$)|文件|文档`)
)

// file reads the name of a file out of words such as the file "my notes.md".
// Nothing is looked up on the disk: what is not there, the tool will tell.
// Bare words count only when they are called a file, are in quotes, or were
// listed before.
func (u *utterance) file(words string) (string, bool) {
	named := saysFile.has(words)
	name, inQuotes := unquote(strip(words, fileWords, fileTail, fileZH))
	switch {
	case strings.HasPrefix(name, "about "), !inQuotes && strings.ContainsAny(name, "?!"): // a subject to read about, or two sentences
		return "", false
	case isPath(name):
		return name, true
	case inQuotes && named:
		return name, true
	}
	if path, ok := u.listedFile(name); ok {
		return path, true
	}
	return name, named && name != "" && !vagueWord.has(name) && !strings.Contains(name, " ")
}

// vagueWord is a word that stands for something instead of naming it.
var vagueWord = newPattern(`^(?:it|this|that|them|these|those|one|ones|other|the other|something|anything|everything|file|files|folder|what|format|formats|system|types?|soubory?|to|ten|nějaký)$`)

// strip applies patterns that take words off, each once, unless quotation marks
// show where the name is.
func strip(s string, patterns ...pattern) string {
	for _, p := range patterns {
		if _, ok := unquote(s); ok {
			break
		}
		if m, ok := p.match(s); ok {
			s = m["rest"]
		}
	}
	return s
}

// Words around the name of a folder, and words that stand for one.
var (
	folderWords = newPattern(`^(?:(?:the|my|our|a|that|this|mé|mojí|můj) )*(?:(?:folder|directory|dir|složka|složce|složky|složku|adresář|adresáři|adresáře) )?(?:(?:named|called) )?(?P<rest>\S.*)$`)
	folderTail  = newPattern(`^(?P<rest>.*\S) (?:folder|directory|dir)$`)
	folderZH    = newPattern(`^(?:我的|文件夹|目录)*(?P<rest>\S.*?)(?:这个)?(?:文件夹|目录|里面|里|中|下面|下|的)*$`)
	saysFolder  = newPattern(`(?:^| )(?:folder|directory|dir|složk\w*|složc\w*|adresář\w*)(?: |$)|文件夹|目录`)
	homeFolder  = newPattern(`^(?:documents?|downloads?|desktop|pictures|photos|music|videos|dokumenty|stažené|plocha|obrázky|文档|下载|桌面|图片)$`)
	thisFolder  = newPattern(`^(?:(?:in |at )?(?:here|there|it|this|this one|(?:this|the|that|my)? ?(?:current|working|same|present|this)? ?(?:folder|directory|dir)|current|\.|tady|tu|zde|(?:v )?(?:této|téhle|aktuální|pracovní) (?:složce|složky|adresáři)|složk[ay]|adresář)|(?:这里?|那里?|这儿|这个|当前|该|本|此|我的|工作|现在的?)*(?:的)?(?:文件夹|目录)?)$`)
)

// folder reads a folder out of words. The empty path is the working folder.
// Bare words count only if sure says that nothing but a folder can be meant, or
// if they are called one.
func (u *utterance) folder(words string, sure bool) (path string, ok bool) {
	if words == "" || thisFolder.has(words) {
		return "", true
	}
	named := saysFolder.has(words)
	name, inQuotes := unquote(strip(words, folderWords, folderTail, folderZH))
	// An allowed folder may be meant by its name from wherever the person is.
	for _, f := range u.Folders {
		if strings.EqualFold(filepath.Base(f), name) {
			return f, true
		}
	}
	if vagueWord.has(name) || thisFolder.has(name) {
		return "", named
	}
	return name, isPath(name) || sure || inQuotes || named || homeFolder.has(name)
}

// What a listing looks like that was shown to the person, in any language: a
// folder by its absolute path, then files with their sizes. The words of the
// conversation are all there is: the turn that listed them is over, and nothing
// is kept between turns.
var (
	shownFile   = regexp.MustCompile(`([^,:：\n]+?) \(` + lang.SizeForm + `[,)]`)
	shownFolder = regexp.MustCompile(`(?m)^[^/\\:：\n]*? (/.+?|[A-Za-z]:[/\\].+?)(?:: |：)`)
)

// listed are the paths of the files in the newest listing of the conversation,
// in the order they were shown.
func (u *utterance) listed() []string {
	for _, m := range slices.Backward(u.History) {
		shown := shownFile.FindAllStringSubmatch(m.Content, 200)
		if m.Role != loci.Assistant || len(shown) == 0 {
			continue
		}
		folder := ""
		if in := shownFolder.FindStringSubmatch(m.Content); in != nil {
			folder = in[1]
		}
		paths := make([]string, len(shown))
		for i, file := range shown {
			paths[i] = strings.TrimSpace(file[1])
			if folder != "" && !filepath.IsAbs(paths[i]) {
				paths[i] = filepath.Join(folder, paths[i])
			}
		}
		return paths
	}
	return nil
}

// listedFile finds a file of the newest listing by its name, with or without
// the extension.
func (u *utterance) listedFile(name string) (string, bool) {
	if name == "" {
		return "", false
	}
	for _, p := range u.listed() {
		base := filepath.Base(p)
		if strings.EqualFold(base, name) || strings.EqualFold(strings.TrimSuffix(base, filepath.Ext(base)), name) {
			return p, true
		}
	}
	return "", false
}

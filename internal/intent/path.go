package intent

import (
	"path/filepath"
	"regexp"
	"strings"
)

var (
	// extension is the end of a file's name. Endings that are sites and
	// abbreviations are taken out by isFile.
	extension = regexp.MustCompile(`(?i)[^\s./\\]\.(?:[a-z][a-z0-9]{0,9}|7z|3gp)$`)
	rooted    = regexp.MustCompile(`^(?:~(?:$|[/\\])|\.{1,2}(?:$|[/\\])|/|[A-Za-z]:[/\\])`)
	slashed   = regexp.MustCompile(`^[^\s/\\]+(?:[/\\][^\s/\\]+)*[/\\]?$`)
	site      = regexp.MustCompile(`(?i)^(?:[a-z]+://|www\.|mailto:)|@[^\s/]+\.|^[a-z0-9.-]+\.(?:com|org|net|edu|gov|info)(?:/|$)`)
	// bare are files that have no extension by custom.
	bare = regexp.MustCompile(`(?i)^(?:makefile|dockerfile|readme|license|licence|changelog|\.[a-z][\w.-]*)$`)
	// either are words with a slash that are no paths.
	either = regexp.MustCompile(`(?i)^(?:and/or|he/she|she/he|his/her|n/a|w/o|either/or|yes/no|i/o|tcp/ip|km/h|m/s|a/c|\d+/\d+)$`)
)

// quoted is text between any quotation marks.
var quoted = regexp.MustCompile("^(?:\"([^\"]+)\"|'([^']+)'|`([^`]+)`|“([^”]+)”|„([^“”]+)[“”]|‘([^’]+)’|«([^»]+)»|「([^」]+)」|『([^』]+)』|《([^》]+)》)$")

// unquote takes quotation marks off, and tells whether there were any.
func unquote(s string) (string, bool) {
	s = strings.TrimSpace(s)
	m := quoted.FindStringSubmatch(s)
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
	case s == "" || len(s) > 300 || site.MatchString(s):
		return false
	case rooted.MatchString(s):
		return true
	}
	return hasSeparator(s) && slashed.MatchString(s) && !either.MatchString(s) || isFile(s)
}

// isFile tells whether words look like the name of a file: they end in an
// extension, or custom says so.
func isFile(s string) bool {
	if site.MatchString(s) || strings.HasSuffix(s, "/") || either.MatchString(s) {
		return false
	}
	base := s[strings.LastIndexAny(s, `/\`)+1:]
	return extension.MatchString(base) || bare.MatchString(base)
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
	case strings.HasPrefix(name, "about "): // a subject to read about
		return "", false
	case isPath(name):
		return name, true
	case inQuotes && named:
		return name, true
	}
	if path, ok := u.listedFile(name); ok {
		return path, true
	}
	return name, named && name != "" && !vague.has(name) && !strings.Contains(name, " ")
}

// vague are words that stand for something instead of naming it.
var vague = newPattern(`^(?:it|this|that|them|these|those|one|ones|other|the other|something|anything|everything|file|files|folder|what|format|formats|system|types?|soubory?|to|ten|nějaký)$`)

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
	folderWords = newPattern(`^(?:(?:the|my|our|a|mé|mojí|můj) )*(?:(?:folder|directory|dir|složka|složce|složky|složku|adresář|adresáři|adresáře) )?(?:(?:named|called) )?(?P<rest>\S.*)$`)
	folderTail  = newPattern(`^(?P<rest>.*\S) (?:folder|directory|dir)$`)
	folderZH    = newPattern(`^(?:我的|文件夹|目录)*(?P<rest>\S.*?)(?:这个)?(?:文件夹|目录|里面|里|中|下面|下|的)*$`)
	saysFolder  = newPattern(`(?:^| )(?:folder|directory|dir|složk\w*|složc\w*|adresář\w*)(?: |$)|文件夹|目录`)
	homeFolder  = newPattern(`^(?:documents?|downloads?|desktop|pictures|photos|music|videos|dokumenty|stažené|plocha|obrázky|文档|下载|桌面|图片)$`)
	here        = newPattern(`^(?:(?:in |at )?(?:here|there|it|this|this one|(?:this|the|that|my)? ?(?:current|working|same|present|this)? ?(?:folder|directory|dir)|current|\.|tady|tu|zde|(?:v )?(?:této|téhle|aktuální|pracovní) (?:složce|složky|adresáři)|složk[ay]|adresář)|(?:这里|这儿|这个|当前|该|本|此|我的|工作|现在的?)*(?:的)?(?:文件夹|目录)?)$`)
)

// folder reads a folder out of words. The empty path is the working folder.
// Bare words count only if sure says that nothing but a folder can be meant, or
// if they are called one.
func (u *utterance) folder(words string, sure bool) (path string, ok bool) {
	if words == "" || here.has(words) {
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
	if vague.has(name) || here.has(name) {
		return "", named
	}
	return name, isPath(name) || sure || inQuotes || named || homeFolder.has(name)
}

// shownFile is a file with its size in a listing that was shown to the person.
// The words of the conversation are all there is: the turn that listed them
// is over, and nothing is kept between turns.
var shownFile = regexp.MustCompile(`([^,:：\n]+?) \(\d[\d.,]* ?(?:[KMGTP]iB|bytes?|bajt\S*|字节)`)

// shownFolder is the folder of such a listing.
var shownFolder = regexp.MustCompile(`(?m)^(?:Files in (.+?): |Soubory ve složce (.+?): |(.+?) 中的文件：)`)

// listed are the paths of the files in the newest listing of the conversation,
// in the order they were shown.
func (u *utterance) listed() []string {
	for i := len(u.History) - 1; i >= 0; i-- {
		text := u.History[i].Content
		found := shownFile.FindAllStringSubmatch(text, 200)
		if u.History[i].Role != "assistant" || len(found) == 0 {
			continue
		}
		folder := ""
		for _, f := range shownFolder.FindStringSubmatch(text) {
			folder = f // the last group that is not empty, or the whole if none is
			if f != "" && !strings.HasSuffix(f, ": ") && !strings.HasSuffix(f, "：") {
				break
			}
		}
		paths := make([]string, len(found))
		for j, f := range found {
			paths[j] = strings.TrimSpace(f[1])
			if folder != "" && !filepath.IsAbs(paths[j]) {
				paths[j] = filepath.Join(folder, paths[j])
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

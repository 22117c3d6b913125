package argv

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"loci/internal/lang"
	"loci/internal/text"
	"loci/internal/where"
)

const (
	maxWords = 100     // of a command that runs unasked
	maxBytes = 8 << 10 // of all its words
)

// Rules are the prefixes of commands that a person decided about once and for all,
// each as words with blanks between them, such as "git log". Deny wins.
type Rules struct {
	Allow []string // may run unasked, as far as is known that they only read
	Deny  []string // never run
}

// Place is where a command is to run.
type Place struct {
	Path    []string // folders that programs are looked for in; none of them may be written by a model
	Folders []string // the allowed folders, absolute and without links
	Dir     string   // where it starts, absolute
}

// Reason says why a command asks, in words for a person.
type Reason struct {
	words lang.Words
	args  []any
}

// In writes the reason in a language.
func (r Reason) In(language string) string { return r.words.In(language, r.args...) }

// because makes a reason; texts in it are cut short.
func because(words lang.Words, args ...string) *Reason {
	r := &Reason{words: words}
	for _, a := range args {
		r.args = append(r.args, text.Clip(a, 60))
	}
	return r
}

// The reasons.
var (
	notListed  = lang.Words{EN: "It is not among the commands that run unasked.", ZH: "它不在可不经询问运行的命令之列。", CS: "Není mezi příkazy, které se spouštějí bez ptaní."}
	denied     = lang.Words{EN: "The rule %q forbids it.", ZH: "规则 %q 禁止它。", CS: "Zakazuje jej pravidlo %q."}
	tooLong    = lang.Words{EN: "The command is too long to be judged.", ZH: "命令太长，无法判断。", CS: "Příkaz je na posouzení příliš dlouhý."}
	oddLetters = lang.Words{EN: "It has characters that cannot be seen, or a program's name with other letters than a to z.", ZH: "其中含有不可见的字符，或程序名含有 a 到 z 以外的字母。", CS: "Obsahuje neviditelné znaky nebo jméno programu s jinými písmeny než a až z."}
	runsOthers = lang.Words{EN: "%s runs other programs.", ZH: "%s 会运行其他程序。", CS: "%s spouští jiné programy."}
	noProgram  = lang.Words{EN: "There is no program %s of the system.", ZH: "系统中没有程序 %s。", CS: "V systému není program %s."}
	notOwn     = lang.Words{EN: "%s can be changed by others than the system.", ZH: "%s 可被系统以外的人更改。", CS: "%s může měnit i někdo jiný než systém."}
	notKnown   = lang.Words{EN: "It is not known what %s does with more words than the rule has.", ZH: "不清楚 %s 带有规则以外的词时会做什么。", CS: "Není známo, co %s udělá s dalšími slovy, než má pravidlo."}
	badOption  = lang.Words{EN: "It is not known that the option %s only reads.", ZH: "无法确定选项 %s 只读取内容。", CS: "Není známo, že volba %s jen čte."}
	badWord    = lang.Words{EN: "The word %s could do more than read.", ZH: "词 %s 可能不只是读取。", CS: "Slovo %s by mohlo udělat víc než číst."}
	outside    = lang.Words{EN: "%s is not in an allowed folder.", ZH: "%s 不在允许的文件夹中。", CS: "%s není v povolené složce."}
)

// Unasked tells whether a command may run without a question: nil if so, otherwise
// why not.
func (r Rules) Unasked(argv []string, at Place) *Reason {
	if why := sane(argv); why != nil {
		return why
	}
	if prefix, is := r.Denies(argv); is {
		return because(denied, prefix)
	}
	name := argv[0]
	if Interpreter(name) || Wrapper(name) {
		return because(runsOthers, name)
	}
	prefix := r.listed(argv)
	if prefix == nil {
		return because(notListed)
	}
	program, err := Find(name, at.Path)
	if err != nil {
		return because(noProgram, name)
	}
	if !systems(program, at) {
		return because(notOwn, program)
	}
	p, rest := profileOf(argv)
	if p == nil && len(argv) == len(prefix) {
		return nil // the person listed this very command
	}
	if p == nil {
		return because(notKnown, name)
	}
	return p.check(rest, &at)
}

// Reads tells whether it is known that a command only reads. It can run with
// everything read-only, whoever agreed to it.
func Reads(argv []string) bool {
	if sane(argv) != nil {
		return false
	}
	p, rest := profileOf(argv)
	return p != nil && p.check(rest, nil) == nil
}

// sane finds what makes a command one that nobody can judge.
func sane(argv []string) *Reason {
	size := 0
	for _, word := range argv {
		size += len(word)
		if !utf8.ValidString(word) || strings.ContainsFunc(word, text.Hidden) {
			return because(oddLetters)
		}
	}
	if len(argv) == 0 || len(argv) > maxWords || size > maxBytes {
		return because(tooLong)
	}
	if strings.Trim(argv[0], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+.") != "" || strings.Trim(argv[0], ".") == "" {
		return because(oddLetters) // also a path: only names are looked for among the system's programs
	}
	return nil
}

// listed is the longest listed prefix of a command: word by word, and nothing else.
func (r Rules) listed(argv []string) (best []string) {
	for _, rule := range r.Allow {
		words := strings.Fields(rule)
		if len(words) > len(best) && len(words) <= len(argv) && slices.Equal(argv[:len(words)], words) {
			best = words
		}
	}
	return best
}

// Denies tells whether a rule forbids a command. The name of a program counts
// without its folder, and in any case; behind a program that runs others, the
// forbidden words count wherever they stand.
func (r Rules) Denies(argv []string) (rule string, is bool) {
	if len(argv) == 0 {
		return "", false
	}
	from := 1
	if name := filepath.Base(argv[0]); Wrapper(name) || Interpreter(name) {
		from = len(argv)
	}
	for _, rule := range r.Deny {
		words := strings.Fields(rule)
		for i := 0; len(words) > 0 && i < from && i+len(words) <= len(argv); i++ {
			if strings.EqualFold(filepath.Base(argv[i]), words[0]) && slices.Equal(argv[i+1:i+len(words)], words[1:]) {
				return rule, true
			}
		}
		if from > 1 && slices.ContainsFunc(argv[1:], func(arg string) bool { return strings.ContainsAny(arg, " \t\n;") && mentions(arg, words) }) {
			return rule, true
		}
	}
	return "", false
}

// DeniesScript tells whether the words of a rule stand anywhere in a script, however
// many commands it has.
func (r Rules) DeniesScript(script string) (rule string, is bool) {
	for _, rule := range r.Deny {
		if mentions(script, strings.Fields(rule)) {
			return rule, true
		}
	}
	return "", false
}

// mentions tells whether words follow each other in a script, quotes and backslashes
// taken off.
func mentions(script string, words []string) bool {
	if len(words) == 0 {
		return false
	}
	script = strings.NewReplacer(`"`, "", "'", "", "\\\n", "", `\`, "").Replace(script)
	all := strings.FieldsFunc(script, func(r rune) bool { return strings.ContainsRune(" \t\r\n;|&<>(){}`$=", r) })
	for i := range all {
		if i+len(words) <= len(all) && strings.EqualFold(filepath.Base(all[i]), words[0]) && slices.Equal(all[i+1:i+len(words)], words[1:]) {
			return true
		}
	}
	return false
}

// Find finds the program of a plain name in folders: its absolute path, links not
// followed.
func Find(name string, path []string) (string, error) {
	if name == "" || strings.ContainsRune(name, filepath.Separator) {
		return "", fs.ErrNotExist
	}
	err := fs.ErrNotExist
	for _, dir := range path {
		program := filepath.Join(dir, name)
		info, e := os.Stat(program)
		if e == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return program, nil
		}
		if e == nil || errors.Is(e, fs.ErrPermission) {
			err = fs.ErrPermission
		}
	}
	return "", err
}

// systems tells whether a program is the system's: not in an allowed folder, and
// not to be changed by everybody or a group.
func systems(program string, at Place) bool {
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return false
	}
	for _, path := range []string{program, real} {
		if slices.ContainsFunc(at.Folders, func(f string) bool { return where.In(path, f) }) {
			return false
		}
	}
	for _, path := range []string{real, filepath.Dir(real), filepath.Dir(program)} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
			return false
		}
	}
	return true
}

// stays tells whether a path, as a command would take it, stays in the allowed
// folders as far as its text says.
func (at Place) stays(path string) bool {
	switch {
	case path == "" || path[0] == '~':
		return false
	case filepath.IsAbs(path):
		return slices.ContainsFunc(at.Folders, func(f string) bool { return where.In(path, f) })
	case filepath.IsLocal(path):
		return true // it starts in an allowed folder
	}
	path = filepath.Join(at.Dir, path)
	return slices.ContainsFunc(at.Folders, func(f string) bool { return where.In(path, f) })
}

// Unwise says why a prefix should not be a rule that allows: it would permit nothing,
// or what it permits is decided by files that a model may change. nil: it is fine.
func Unwise(prefix string) *Reason {
	words := strings.Fields(prefix)
	switch {
	case len(words) == 0 || sane(words) != nil:
		return because(oddLetters)
	case Wrapper(words[0]) || Interpreter(words[0]):
		return because(runsOthers, words[0])
	case Builds(words[0]):
		return because(lang.Words{
			EN: "What %s does is written in files that a model may change.",
			ZH: "%s 的行为由模型可能更改的文件决定。",
			CS: "Co %s udělá, stojí v souborech, které může model změnit.",
		}, words[0])
	}
	return nil
}

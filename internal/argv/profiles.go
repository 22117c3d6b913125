package argv

import (
	"strings"
)

// operands says what the words of a command are that are no options.
type operands int

// The kinds of operands.
const (
	paths     operands = iota // files and folders
	texts                     // anything: they are not opened
	thenPaths                 // one text, then paths; all paths if an option had the text
	none                      // there are none
	onePath                   // at most one path: a second would be written to
	aFormat                   // those that begin with a +, as of date: others set the clock
)

// profile is what a program may be told without more than reading. The options are
// written as for getopt: in short, a colon after a letter says that it takes a value,
// two that it may have one in the same word, and # that numbers are options; in
// long, name= takes a value, in the same word or the next, and name? may have one in
// the same word. An option that is not here, or only by its beginning, is not known.
type profile struct {
	short, long string
	words       operands
	text        string // options that give the text of thenPaths
	special     func(args []string, at *Place) *Reason
}

// profileOf is the profile of a command, nil if there is none, and the words that it
// is for.
func profileOf(argv []string) (*profile, []string) {
	name, rest := argv[0], argv[1:]
	if name == "git" {
		if len(rest) == 0 || strings.HasPrefix(rest[0], "-") { // options before the command can set anything
			return nil, nil
		}
		name, rest = "git "+rest[0], rest[1:]
	}
	return profiles[name], rest
}

// check finds the first word that is not known to be harmless. Without a place, the
// paths are not looked at.
func (p *profile) check(args []string, at *Place) *Reason {
	if p.special != nil {
		return p.special(args, at)
	}
	s := scan{profile: p, at: at, rest: args}
	for len(s.rest) > 0 {
		word := s.rest[0]
		s.rest = s.rest[1:]
		var why *Reason
		switch {
		case s.ended || word == "-" || len(word) < 2 || word[0] != '-':
			why = s.operand(word)
		case word == "--":
			s.ended = true
		case strings.HasPrefix(word, "--"):
			why = s.longOption(word)
		default:
			why = s.shortOptions(word)
		}
		if why != nil {
			return why
		}
	}
	return nil
}

// scan goes through the words of a command.
type scan struct {
	*profile
	at       *Place
	rest     []string
	ended    bool // after --
	operands int
	given    bool // an option gave the text
}

// operand judges a word that is no option.
func (s *scan) operand(word string) *Reason {
	s.operands++
	switch kind := s.words; {
	case kind == texts, kind == thenPaths && s.operands == 1 && !s.given, word == "-":
		return nil
	case kind == none, kind == onePath && s.operands > 1, kind == aFormat && !strings.HasPrefix(word, "+"):
		return because(badWord, word)
	case kind == aFormat, s.at == nil || s.at.stays(word):
		return nil
	}
	return because(outside, word)
}

// longOption judges one that begins with two dashes.
func (s *scan) longOption(word string) *Reason {
	name, value, has := strings.Cut(word[2:], "=")
	for known := range strings.FieldsSeq(s.long) {
		bare := strings.TrimRight(known, "=?")
		if bare != name || name == "" {
			continue
		}
		switch {
		case strings.HasSuffix(known, "=") && !has:
			return s.value(name)
		case known == bare && has:
			return because(badOption, word)
		}
		return s.harmless(name, value)
	}
	return because(badOption, "--"+name)
}

// shortOptions judges letters behind one dash.
func (s *scan) shortOptions(word string) *Reason {
	if strings.Contains(s.short, "#") && strings.Trim(word[1:], "0123456789") == "" {
		return nil
	}
	for i := 1; i < len(word); i++ {
		letter := word[i : i+1]
		at := strings.Index(s.short, letter)
		if at < 0 || letter == ":" || letter == "#" {
			return because(badOption, "-"+letter)
		}
		if after := s.short[at+1:]; strings.HasPrefix(after, ":") {
			switch {
			case i+1 < len(word):
				return s.harmless(letter, word[i+1:])
			case !strings.HasPrefix(after, "::"):
				return s.value(letter)
			}
		} else if strings.Contains(" "+s.text+" ", " "+letter+" ") {
			s.given = true
		}
	}
	return nil
}

// value judges the next word as the value of an option.
func (s *scan) value(option string) *Reason {
	if len(s.rest) == 0 {
		return because(badOption, option) // the program will say what is wrong
	}
	value := s.rest[0]
	s.rest = s.rest[1:]
	return s.harmless(option, value)
}

// harmless judges a value. Of those that are texts, the format of git can have a
// signature checked, for which the folder's settings name the program.
func (s *scan) harmless(option, value string) *Reason {
	if strings.Contains(" "+s.text+" ", " "+option+" ") {
		s.given = true
	}
	if strings.Contains(value, "%G") && (option == "format" || option == "pretty") {
		return because(badWord, value)
	}
	return nil
}

// Options that several commands share.
const (
	sums    = "binary check ignore-missing quiet status strict tag text warn zero"
	gitDiff = "patch no-patch raw unified= patience histogram minimal anchored= diff-algorithm= color? no-color word-diff? word-diff-regex= color-words? color-moved? no-color-moved stat? shortstat numstat dirstat? summary compact-summary " +
		"name-only name-status ignore-all-space ignore-space-change ignore-space-at-eol ignore-cr-at-eol ignore-blank-lines text binary full-index abbrev? find-renames? find-copies? find-copies-harder no-renames diff-filter= " +
		"pickaxe-all pickaxe-regex relative? no-relative function-context inter-hunk-context= exit-code quiet check no-ext-diff no-textconv src-prefix= dst-prefix= no-prefix default-prefix line-prefix= ignore-submodules? submodule? " +
		"irreversible-delete break-rewrites? rename-empty no-rename-empty no-indent-heuristic indent-heuristic ws-error-highlight= patch-with-stat patch-with-raw cc dd combined-all-paths root"
	gitLog = " oneline graph no-graph decorate? no-decorate decorate-refs= decorate-refs-exclude= all branches? tags? remotes? glob= exclude= max-count= skip= since= after= until= before= author= committer= grep= grep-reflog= all-match invert-grep " +
		"regexp-ignore-case basic-regexp extended-regexp fixed-strings perl-regexp merges no-merges min-parents= max-parents= no-min-parents no-max-parents first-parent not reflog walk-reflogs boundary left-right left-only right-only cherry cherry-mark cherry-pick " +
		"simplify-by-decoration full-history dense sparse simplify-merges ancestry-path? date-order author-date-order topo-order reverse no-walk? do-walk pretty? format= abbrev-commit no-abbrev-commit no-abbrev date= relative-date parents children " +
		"log-size follow full-diff source notes? no-notes no-mailmap mailmap use-mailmap encoding= expand-tabs? no-expand-tabs show-pulls clear-decorations"
	gitShort = "puU:M::C::B::DRabwzWS:G:sX::t#"
)

// profiles are the programs that people list.
var profiles = map[string]*profile{
	"ls": {short: "1aAbBcCdDfFgGhHikI:lLmnNopqQrRsStT:uUvw:xXZ", long: "all almost-all author escape block-size= ignore-backups classify? color? directory dired file-type format= full-time group-directories-first human-readable si dereference dereference-command-line " +
		"dereference-command-line-symlink-to-dir hide= hyperlink? indicator-style= inode ignore= kibibytes literal numeric-uid-gid no-group quote-name quoting-style= recursive reverse show-control-chars hide-control-chars size sort= time= time-style= tabsize= width= context zero help version"},
	"cat":       {short: "AbeEnstTuv", long: "show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting help version"},
	"tac":       {short: "brs:", long: "before regex separator= help version"},
	"head":      {short: "c:n:qvz#", long: "bytes= lines= quiet silent verbose zero-terminated help version"},
	"tail":      {short: "c:n:qvz#", long: "bytes= lines= quiet silent verbose zero-terminated help version"}, // not -f, which never ends
	"wc":        {short: "clmLw", long: "bytes chars lines max-line-length words total= help version"},
	"nl":        {short: "b:d:f:h:i:l:n:ps:v:w:", long: "body-numbering= section-delimiter= line-increment= join-blank-lines= number-format= no-renumber number-separator= starting-line-number= number-width= help version"},
	"grep":      grep,
	"egrep":     grep,
	"fgrep":     grep,
	"sort":      {short: "bcCdfghik:mMnRrst:uVz", long: "ignore-leading-blanks check? dictionary-order debug ignore-case general-numeric-sort human-numeric-sort ignore-nonprinting key= merge month-sort numeric-sort random-sort reverse sort= stable field-separator= unique version-sort zero-terminated help version"},
	"uniq":      {short: "cdDf:is:uw:z", long: "count repeated all-repeated? skip-fields= group? ignore-case skip-chars= unique zero-terminated check-chars= help version", words: onePath},
	"cut":       {short: "b:c:d:f:nsz", long: "bytes= characters= delimiter= fields= complement only-delimited output-delimiter= zero-terminated help version"},
	"tr":        {short: "cCdst", long: "complement delete squeeze-repeats truncate-set1 help version", words: texts},
	"rev":       {},
	"fold":      {short: "bsw:", long: "bytes spaces width= help version"},
	"paste":     {short: "d:sz", long: "delimiters= serial zero-terminated help version"},
	"comm":      {short: "123z", long: "check-order nocheck-order output-delimiter= total zero-terminated help version"},
	"diff":      {short: "abBcC:dEeiI:nNpqrstTuU:wW:x:yZ", long: "normal brief report-identical-files context? unified? ed rcs side-by-side width= left-column suppress-common-lines show-c-function show-function-line= label= expand-tabs initial-tab tabsize= suppress-blank-empty recursive no-dereference new-file unidirectional-new-file ignore-file-name-case exclude= ignore-case ignore-tab-expansion ignore-trailing-space ignore-space-change ignore-all-space ignore-blank-lines ignore-matching-lines= text strip-trailing-cr minimal speed-large-files color? help version"},
	"cmp":       {short: "bi:ln:s", long: "print-bytes ignore-initial= verbose bytes= quiet silent help version"},
	"find":      {special: find},
	"date":      {short: "d:I::Ru", long: "date= debug iso-8601? resolution rfc-email rfc-3339= utc universal help version", words: aFormat},
	"pwd":       {short: "LP", long: "logical physical help version", words: none},
	"echo":      {short: "neE", words: texts, special: func([]string, *Place) *Reason { return nil }},
	"printf":    {words: texts},
	"true":      {words: texts},
	"false":     {words: texts},
	"df":        {short: "aB:hHiklPt:Tx:", long: "all block-size= human-readable si inodes local portability output? print-type total type= exclude-type= help version"},
	"du":        {short: "0abB:cd:DhHklLmPsSt:x", long: "null all apparent-size block-size= bytes total dereference-args max-depth= human-readable inodes dereference no-dereference separate-dirs si summarize threshold= time? time-style= exclude= one-file-system help version"},
	"uname":     {short: "amnprsvio", long: "all kernel-name nodename kernel-release kernel-version machine processor hardware-platform operating-system help version", words: none},
	"stat":      {short: "c:fLt", long: "dereference file-system cached= format= printf= terse help version"},
	"file":      {short: "0behikLNr", long: "brief mime mime-type mime-encoding dereference no-dereference keep-going no-pad print0 raw extension help version"},
	"basename":  {short: "as:z", long: "multiple suffix= zero help version", words: texts},
	"dirname":   {short: "z", long: "zero help version", words: texts},
	"realpath":  {short: "eLmPqsz", long: "canonicalize-existing canonicalize-missing logical physical quiet strip no-symlinks zero help version"},
	"readlink":  {short: "efmnqsvz", long: "canonicalize canonicalize-existing canonicalize-missing no-newline quiet silent verbose zero help version"},
	"whoami":    {long: "help version", words: none},
	"id":        {short: "agGnruz", long: "context group groups name real user zero help version", words: none},
	"groups":    {words: none},
	"hostname":  {words: none},
	"uptime":    {short: "ps", long: "pretty since help version", words: none},
	"nproc":     {long: "all ignore= help version", words: none},
	"arch":      {words: none},
	"free":      {short: "bghklmtvw", long: "bytes kilo mega giga kibi mebi gibi human lohi total wide help version", words: none},
	"cal":       {short: "13ymjn:", words: texts},
	"seq":       {short: "f:s:w", long: "format= separator= equal-width help version", words: texts},
	"which":     {short: "a", words: texts},
	"md5sum":    {short: "bctwz", long: sums},
	"sha1sum":   {short: "bctwz", long: sums},
	"sha224sum": {short: "bctwz", long: sums},
	"sha256sum": {short: "bctwz", long: sums},
	"sha384sum": {short: "bctwz", long: sums},
	"sha512sum": {short: "bctwz", long: sums},
	"cksum":     {short: "a:ctwz", long: "algorithm= base64 check length= raw tag untagged zero help version"},
	"od":        {short: "A:abcdfij:lN:oS::st:vw::x", long: "address-radix= endian= skip-bytes= read-bytes= strings? format= output-duplicates width? help version"},
	"hexdump":   {short: "bcCde:n:os:vx"},
	"tree":      {short: "aCdDfFghiI:lL:nNpP:qQrsStuUvx", long: "noreport dirsfirst prune du si help version"},
	"jq":        {short: "acCeMnrsSj", long: "ascii-output compact-output color-output exit-status monochrome-output null-input raw-output slurp sort-keys join-output tab help version", words: thenPaths},

	"git status":     {short: "bsu::vz", long: "short branch show-stash porcelain? long verbose untracked-files? ignore-submodules? ignored? null column? no-column ahead-behind no-ahead-behind renames no-renames find-renames?"},
	"git log":        {short: gitShort + "n:iEFPgc", long: gitDiff + gitLog},
	"git show":       {short: gitShort + "c", long: gitDiff + gitLog},
	"git diff":       {short: gitShort, long: gitDiff + " cached staged merge-base ours theirs base"},
	"git branch":     {short: "arv", long: "all remotes verbose show-current color? no-color column? no-column sort= format= ignore-case abbrev? no-abbrev", words: none},
	"git tag":        {short: "l", long: "list sort= column? no-column ignore-case", words: none},
	"git remote":     {short: "v", long: "verbose", words: none},
	"git ls-files":   {short: "cdkmostuvz", long: "cached deleted killed modified others stage unmerged ignored exclude-standard full-name abbrev? deduplicate directory no-empty-directory eol"},
	"git rev-parse":  {long: "verify quiet short? abbrev-ref? symbolic symbolic-full-name show-toplevel show-prefix show-cdup git-dir absolute-git-dir is-inside-work-tree is-inside-git-dir is-bare-repository all branches? tags? remotes? default="},
	"git describe":   {long: "all tags contains abbrev= candidates= exact-match long match= exclude= always first-parent dirty?"},
	"git rev-list":   {short: "n:", long: "count all max-count= skip= since= after= until= before= author= merges no-merges first-parent reverse abbrev-commit branches? tags? remotes?"},
	"git shortlog":   {short: "ens", long: "numbered summary email since= until= no-merges"},
	"git merge-base": {short: "a", long: "all octopus independent is-ancestor"},
}

// grep is the profile of grep and its two old names. Not -f, which reads a file.
var grep = &profile{
	short: "abcEFGhHiIlLnoPqrRsTuUvVwxyzZe:A:B:C:D:d:m:#",
	long: "extended-regexp fixed-strings basic-regexp perl-regexp regexp= ignore-case no-ignore-case invert-match word-regexp line-regexp count color? colour? files-with-matches files-without-match max-count= only-matching quiet silent no-messages " +
		"byte-offset with-filename no-filename label= line-number initial-tab null null-data after-context= before-context= context= text binary binary-files= devices= directories= exclude= exclude-dir= include= recursive dereference-recursive line-buffered help version",
	words: thenPaths,
	text:  "e regexp",
}

// Tests and actions of find that only read: those without and with a value.
var (
	findAlone = words("-print -print0 -empty -depth -d -mount -xdev -follow -prune -not -a -and -o -or -true -false -readable -writable -executable -nouser -nogroup -daystart -noleaf -warn -nowarn -ignore_readdir_race -noignore_readdir_race -ls -quit ( ) ! , -help -version")
	findValue = words("-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -lname -ilname -type -xtype -maxdepth -mindepth -size -mtime -atime -ctime -mmin -amin -cmin -perm -user -group -uid -gid -inum -links -used -fstype -printf -context")
	findPath  = words("-newer -anewer -cnewer -samefile")
)

// words is a set of words.
func words(list string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(list) {
		set[word] = true
	}
	return set
}

// find judges the words of find, which has a language of its own.
func find(args []string, at *Place) *Reason {
	starts := true // the folders to look in come first
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		switch {
		case starts && (word == "-H" || word == "-L" || word == "-P"):
			continue
		case starts && !strings.HasPrefix(word, "-") && word != "(" && word != "!":
			if at != nil && !at.stays(word) {
				return because(outside, word)
			}
			continue
		case findAlone[word]:
		case findValue[word] && len(args) > 0:
			args = args[1:]
		case findPath[word] && len(args) > 0:
			if at != nil && !at.stays(args[0]) {
				return because(outside, args[0])
			}
			args = args[1:]
		default:
			return because(badOption, word)
		}
		starts = false
	}
	return nil
}

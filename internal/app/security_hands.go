package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"loci"
	"loci/internal/argv"
	"loci/internal/config"
	"loci/internal/sandbox"
	"loci/internal/store"
	"loci/internal/where"
)

// checkTaint looks at what a conversation that has read from outside may do.
func checkTaint(_ context.Context, p posture) []Check {
	if p.Config.Taint == "relaxed" {
		return []Check{{"outside", Warn, "after reading from outside, what goes where your own words name is not asked about again", "Set taint: strict."}}
	}
	return []Check{ok("outside", "after reading from outside, whatever leaves this machine or runs a program is asked about again")}
}

// checkCommands looks at the commands that run without a question.
func checkCommands(_ context.Context, p posture) (found []Check) {
	var run []string
	for _, prefix := range p.Config.UnaskedCommands {
		if why := argv.Unwise(prefix); why != nil {
			found = append(found, Check{"commands", Warn, "the rule to run " + prefix + " unasked permits nothing, or too much: " + why.In("en"), "Remove it from unasked_commands, and answer when it asks."})
			continue
		}
		run = append(run, prefix)
	}
	if len(run) > 0 {
		found = append(found, ok("commands", "run unasked where they only read: %s", strings.Join(run, ", ")))
	}
	if denied := p.Config.DeniedCommands; len(denied) > 0 {
		found = append(found, ok("commands", "never run: %s", strings.Join(denied, ", ")))
	}
	return orFine(found, "commands", "no command runs unasked")
}

// checkConfined looks at what keeps commands in the allowed folders, if any can run.
func checkConfined(_ context.Context, p posture) []Check {
	usable := len(rights(p.Config, loci.Principal{ID: loci.OwnerKey, Owner: true})) > 0
	for _, r := range p.Config.Principals {
		usable = usable || len(r.Folders) > 0
	}
	if !usable {
		return []Check{ok("sandbox", "no folder is allowed, so no command can run")}
	}
	level := p.probe()
	c := checkSandbox(level)
	if level.None() {
		c.Status = Fail
	}
	return []Check{c}
}

// largeFolder is how many files and folders make a folder one that nobody has in mind
// as a whole.
const largeFolder = 10_000

// checkFree looks at each folder in which files may be changed unasked.
func checkFree(ctx context.Context, p posture) (found []Check) {
	home, _ := config.Expand("~", "", p.Getenv)
	free := map[string]string{} // folder → by whose models
	add := func(whose string, rules sandbox.Rules) {
		for _, r := range rules {
			if r.Access == sandbox.Free {
				free[r.Path] = whose
			}
		}
	}
	own := rulesOf(p.Config.Folders)
	for who, r := range p.Config.Principals {
		add(who+"'s", rulesOf(r.Folders).Under(own))
	}
	add("your", own)
	const less = "Set access: ask for it, or access: write only for a folder in it."
	for _, folder := range sortedKeys(free) {
		say := func(status Status, what string) {
			found = append(found, Check{"unasked", status, free[folder] + " conversations change files in " + folder + " unasked" + what, less})
		}
		size, runs := survey(ctx, folder)
		switch {
		case home != "" && where.In(where.Real(home), where.Real(folder)):
			say(Fail, ", which has your whole home folder in it")
		case runs != "":
			say(Warn, ", which has "+runs+" in it: what is beside that may be built or run later (the folder itself is never changed)")
		case size >= largeFolder:
			say(Warn, fmt.Sprintf(", with %d files and folders or more in it", largeFolder))
		default:
			found = append(found, ok("unasked", "%s conversations change files in %s unasked, and loci undo takes that back", free[folder], folder))
		}
	}
	return orFine(found, "unasked", "no file is changed unasked")
}

// survey counts what is in a folder, up to largeFolder, and finds a place in it at
// which programs are run from it.
func survey(ctx context.Context, folder string) (size int, runs string) {
	// Folders that cannot be read are as good as not there.
	_ = filepath.WalkDir(where.Real(folder), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fs.SkipDir
		}
		if size++; ctx.Err() != nil || size > largeFolder {
			return fs.SkipAll
		}
		switch d.Name() {
		case ".git", ".githooks", ".husky", ".vscode", ".idea", ".envrc":
			if runs == "" {
				runs, _ = filepath.Rel(where.Real(folder), path)
			}
			if d.IsDir() {
				return fs.SkipDir
			}
		}
		return nil
	})
	return size, runs
}

// checkDesktop looks at the applications and databases that tools can reach.
func checkDesktop(_ context.Context, p posture) (found []Check) {
	for _, name := range sortedKeys(p.Config.Apps) {
		if p.Config.Apps[name].URLs {
			found = append(found, Check{"apps", Warn, "web addresses can be opened with " + name + " after your yes, and an address can carry what was said", "Set urls: false for it unless you need that."})
		}
	}
	for _, name := range sortedKeys(p.Config.Databases) {
		if p.Config.Databases[name].Writable {
			found = append(found, Check{"databases", Warn, "rows of " + name + " can be changed after your yes, and that cannot be undone", "Set writable: false for it, or give it a user of the database with few rights."})
		}
	}
	return orFine(found, "reach", "no web addresses are opened, and no database server is changed")
}

// checkPasswords looks for passwords of databases in the text of the configuration.
func checkPasswords(_ context.Context, p posture) (found []Check) {
	for _, name := range sortedKeys(p.file.Databases) {
		address := string(p.file.Databases[name].URL)
		u, err := url.Parse(address)
		if err != nil || u.User == nil {
			continue
		}
		if _, has := u.User.Password(); has && plainText(p.file.Databases[name].URL) {
			found = append(found, Check{"secrets", Warn, "config.yaml has the password of the database " + name + " in plain text", "Store its address with loci secret set NAME, and write secret:NAME in its place."})
		}
	}
	return found
}

// checkAudit looks whether the audit log could tell that its end is gone. What is in it
// takes longer to look at.
func checkAudit(_ context.Context, p posture) (found []Check) {
	if _, err := os.Stat(p.Paths.DB); err != nil {
		return []Check{ok("audit", "the audit log begins with the first start")}
	}
	for _, e := range []struct{ path, what string }{
		{p.Paths.AuditKey, "the key of the audit log is missing, so nobody can say whether it was changed"},
		{p.Paths.AuditHead, "the anchor of the audit log is missing, so nobody can say whether rows are gone from its end"},
	} {
		if _, err := os.Stat(e.path); errors.Is(err, fs.ErrNotExist) {
			found = append(found, Check{"audit", Fail, e.what + ": " + e.path, "Put it back from a backup, or start loci, which notes this in the log; then run loci audit verify."})
		}
	}
	return orFine(found, "audit", "the audit log has its key and its anchor; look through it with loci audit verify")
}

// manyGrants is how many yeses that hold on are more than anybody remembers.
const manyGrants = 20

// checkGrants counts the yeses that hold for good.
func checkGrants(ctx context.Context, p posture) []Check {
	grants, err := p.grants(ctx)
	if err != nil {
		return []Check{{"grants", Warn, "the yeses that hold on could not be read", "Start loci, then look again."}}
	}
	always := 0
	for _, g := range grants {
		if g.Span == loci.GrantAlways {
			always++
		}
	}
	c := ok("grants", "no yes of yours holds for good")
	if always > 0 {
		c.Text = "what you have said yes to for good: " + counted(always, "thing")
	}
	if always > manyGrants {
		c.Status, c.Hint = Warn, "Look at them with loci approvals grants, and take back what you do not need: loci approvals revoke ID."
	}
	return []Check{c}
}

// grants asks the loci that runs for those of the owner and of keys, or looks into its database.
func (p posture) grants(ctx context.Context) (grants []loci.Grant, err error) {
	if p.run != nil {
		err = askRunning(ctx, *p.run, "/api/agent/grants", &grants)
		return grants, err
	}
	err = p.look(ctx, func(db *store.DB) (err error) {
		grants, err = db.Grants(ctx, loci.OwnerKey, keyPrefix)
		return err
	})
	return grants, err
}

// errUnclean says that a database was not closed properly; see checkDatabase.
var errUnclean = errors.New("the database was not closed properly")

// look looks into the database of a loci that does not run; if there is none yet, there
// is nothing in it. It is the last to be done, since it also puts right what others may
// with that file.
func (p posture) look(ctx context.Context, read func(*store.DB) error) error {
	if _, err := os.Stat(p.Paths.DB); err != nil {
		return nil
	}
	if log, err := os.Stat(p.Paths.DB + "-wal"); err == nil && log.Size() > 0 {
		return errUnclean
	}
	db, err := store.Open(ctx, p.Paths.DB, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	return errors.Join(read(db), db.Close())
}

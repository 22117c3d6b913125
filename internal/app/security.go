package app

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/config"
	"loci/internal/model/server"
	"loci/internal/store"
	"loci/internal/where"
)

// posture is what the security checks look at.
type posture struct {
	Options
	file config.Config // what config.yaml alone says
	run  *config.Run   // the loci that runs; nil: none does
}

// securityCheck looks at settings of one kind and gives a line for each that weakens
// what loci does by itself, or one line that all is well.
type securityCheck func(context.Context, posture) []Check

// securityChecks are all of them, in the order in which they are shown.
var securityChecks = []securityCheck{
	checkDoors, checkNames, checkServers, checkPlainKeys, checkPasswords, checkModes, checkOpenFolders, checkFree, checkTaint, checkCommands, checkConfined,
	checkDesktop, checkAudit, checkLog, checkKeys, checkGrants,
}

// Security says which settings weaken what loci does by itself, and how to mend that.
// It changes nothing but what [Doctor] does.
func Security(ctx context.Context, o Options, wrong error) []Check {
	p := posture{Options: o.withDefaults()}
	checks := []Check{}
	if wrong != nil {
		checks = append(checks, bad("config", Fail, wrong))
	}
	if run, running, err := config.ReadRun(p.Paths); err == nil && running {
		p.run = &run
	}
	// What was wrong with the file is told above.
	p.file, _, _ = config.Load(config.Sources{File: p.Paths.Config, Env: func(name string) string {
		return map[bool]string{true: p.Getenv(name)}[name == "HOME" || name == "USERPROFILE"]
	}})
	for _, check := range securityChecks {
		checks = append(checks, check(ctx, p)...)
	}
	return checks
}

// keys asks the loci that runs, or looks into its database.
func (p posture) keys(ctx context.Context) (keys []loci.Key, err error) {
	if p.run != nil {
		err = askRunning(ctx, *p.run, "/api/agent/keys", &keys)
		return keys, err
	}
	err = p.look(ctx, func(db *store.DB) (err error) {
		keys, err = db.Keys(ctx)
		return err
	})
	return keys, err
}

// askRunning gets what the loci that runs says.
func askRunning(ctx context.Context, run config.Run, path string, to any) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, run.URL+path, nil)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+string(run.Key))
	res, err := run.Client().Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", path, res.Status)
	}
	return json.NewDecoder(res.Body).Decode(to)
}

// orFine is the line that all is well, where there is no other.
func orFine(found []Check, name, format string, args ...any) []Check {
	if len(found) == 0 {
		return []Check{ok(name, format, args...)}
	}
	return found
}

// checkDoors looks at where loci listens, and how.
func checkDoors(_ context.Context, p posture) []Check {
	address, encrypted := p.Config.Listen, p.Config.TLS.On()
	if p.run != nil { // a flag may have said otherwise
		scheme, at, _ := strings.Cut(p.run.URL, "://")
		address, encrypted = cmp.Or(p.run.Listen, at), scheme == "https"
	}
	host, _, _ := net.SplitHostPort(address) // it was checked with the configuration
	switch here := where.Here(host); {
	case here && p.Config.Insecure:
		return []Check{{"listen", Warn, "insecure is set, although only this machine can reach " + address, "Remove insecure, so that another listen is not open by mistake."}}
	case here:
		return []Check{ok("listen", "only this machine can reach %s", address)}
	case encrypted:
		return []Check{{"listen", Warn, "other machines can reach " + address + ", encrypted", "If none has to, set listen: 127.0.0.1:5624."}}
	case p.Config.Insecure || p.run != nil:
		return []Check{{"listen", Fail, "other machines can reach " + address + ", and everything goes there unencrypted, the keys too", "Set tls: self and remove insecure, or set listen: 127.0.0.1:5624."}}
	}
	return []Check{{"listen", Fail, "loci will not start: other machines could reach " + address + " unencrypted", "Set tls: self, or listen: 127.0.0.1:5624."}}
}

// checkNames looks at the doors that are open to names and pages.
func checkNames(_ context.Context, p posture) (found []Check) {
	for _, h := range p.Config.AllowedHosts {
		found = append(found, Check{"hosts", Warn, "loci also answers to the name " + h, "Remove it from allowed_hosts if nobody uses it: who owns that name can have web pages talk to loci in their visitors' browsers, though not without a key."})
	}
	for _, o := range p.Config.AllowedOrigins {
		c := Check{"pages", Warn, "web pages of " + o + " may call loci", "Remove it from allowed_origins if you do not use that page."}
		if host, open := strings.CutPrefix(o, "http://"); open && !where.Here(hostOf(host)) {
			c.Status, c.Text = Fail, c.Text+", and whoever is on the way to it can put words into them"
			c.Hint = "Use its https address."
		}
		found = append(found, c)
	}
	return orFine(found, "names", "no other host names, and no pages of others")
}

// hostOf takes the port off.
func hostOf(s string) string {
	if host, _, err := net.SplitHostPort(s); err == nil {
		return host
	}
	return strings.Trim(s, "[]")
}

// checkServers looks for model servers to which everything goes unencrypted.
func checkServers(_ context.Context, p posture) (found []Check) {
	for _, entry := range p.Config.Backends {
		b, err := server.ParseBackend(entry.URL)
		if err != nil || inPlain(b) == nil {
			continue
		}
		c := Check{"backends", Fail, "everything said goes unencrypted to " + b.URL, "Give that server TLS and use its https address, then remove insecure."}
		if !entry.Insecure {
			c.Text = "loci will not start: everything said would go unencrypted to " + b.URL
		}
		found = append(found, c)
	}
	return orFine(found, "backends", "nothing goes to another machine unencrypted")
}

// checkPlainKeys looks for secrets in the text of the configuration, which people copy
// and show.
func checkPlainKeys(_ context.Context, p posture) (found []Check) {
	if plainText(p.file.Key) {
		found = append(found, Check{"secrets", Warn, "config.yaml has the owner's key in plain text", "Remove key there: loci keeps one in a file of its own, " + p.Paths.Key + "."})
	}
	for _, b := range p.file.Backends {
		if plainText(b.Key) {
			found = append(found, Check{"secrets", Warn, "config.yaml has the key of " + b.URL + " in plain text", "Say where it is instead: env:NAME, or file:PATH."})
		}
	}
	return orFine(found, "secrets", "config.yaml has no key in it")
}

// plainText tells that a setting is a secret itself, and does not only say where one
// is.
func plainText(s config.Secret) bool {
	scheme, _, refers := strings.Cut(string(s), ":")
	return s != "" && (!refers || !slices.Contains([]string{"env", "file", "cmd", "secret"}, scheme))
}

// checkModes looks for files of loci's that others on this machine can read or change.
func checkModes(_ context.Context, p posture) (found []Check) {
	if runtime.GOOS == "windows" {
		return []Check{ok("modes", "the files are in your own folders")}
	}
	folder := filepath.Dir(p.Paths.Config)
	for _, e := range []struct {
		path string
		bits fs.FileMode
		why  string
	}{
		{p.Paths.Config, 0o022, "others on this machine can change"},
		{p.Paths.Key, 0o077, "others on this machine can read"},
		{p.Paths.ChatKey, 0o077, "others on this machine can read"},
		{p.Paths.AuditKey, 0o077, "others on this machine can read"},
		{p.Paths.DB, 0o077, "others on this machine can read"},
		{p.Paths.RunFile, 0o077, "others on this machine can read"},
		{folder, 0o022, "others on this machine can put files into"},
		{p.Paths.Data, 0o022, "others on this machine can put files into"},
		{p.Paths.State, 0o022, "others on this machine can put files into"},
	} {
		info, err := os.Stat(e.path)
		if err == nil && info.Mode().Perm()&e.bits != 0 {
			found = append(found, Check{"modes", Fail, e.why + " " + e.path, fmt.Sprintf("Close it: chmod go-rwx %q", e.path)})
		}
	}
	if info, err := os.Stat(p.Paths.Config); err == nil && info.Mode().Perm()&0o077 != 0 && len(found) == 0 && p.file.Key != "" {
		found = append(found, Check{"modes", Fail, "others on this machine can read the key in " + p.Paths.Config, fmt.Sprintf("Close it: chmod 600 %q", p.Paths.Config)})
	}
	return orFine(found, "modes", "nobody else on this machine can read keys and conversations")
}

// checkOpenFolders looks for allowed folders that have more in them than was meant.
func checkOpenFolders(_ context.Context, p posture) (found []Check) {
	home, _ := config.Expand("~", "", p.Getenv)
	own := []string{filepath.Dir(p.Paths.Config), p.Paths.Data, p.Paths.State}
	all := map[string]string{} // folder → whose
	for _, f := range p.Config.Folders {
		all[f.Path] = "your"
	}
	for who, r := range p.Config.Principals {
		for _, f := range r.Folders {
			all[f.Path] = who + "'s"
		}
	}
	for _, folder := range sortedKeys(all) {
		real := where.Real(folder)
		say := func(status Status, what, hint string) {
			found = append(found, Check{"folders", status, all[folder] + " conversations can look into " + folder + what, hint})
		}
		switch {
		case real == filepath.Dir(real):
			say(Fail, ", which is the whole machine", "Allow the folders you work in instead.")
		case home != "" && where.In(where.Real(home), real):
			say(Fail, ", which has your home folder in it, with keys of other programs", "Allow the folders below it that you work in instead.")
		case slices.ContainsFunc(own, func(o string) bool { return where.In(real, where.Real(o)) }):
			say(Fail, ", which is loci's own", "Move LOCI_HOME, or remove it from folders. (loci keeps it closed to tools all the same.)")
		case slices.ContainsFunc(own, func(o string) bool { return where.In(where.Real(o), real) }):
			say(Warn, ", which has loci's own files in it", "Move them out with LOCI_HOME, data_path or state_path. (loci keeps them closed to tools all the same.)")
		}
	}
	return orFine(found, "folders", "no allowed folder has your home folder or loci's own files in it")
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// forgotten is after how long a key that may much and is not used is told.
const forgotten = 90 * 24 * time.Hour

// checkKeys looks for keys that may more than their use asks for.
func checkKeys(ctx context.Context, p posture) (found []Check) {
	keys, err := p.keys(ctx)
	if err != nil {
		return []Check{{"keys", Warn, "the keys could not be read", "Start loci, then look again."}}
	}
	made := 0
	for _, k := range keys {
		if k.Own() {
			continue
		}
		made++
		revoke := "If nothing uses it: loci keys revoke " + k.Name
		switch since := k.Created; {
		case k.Used != nil && time.Since(k.Used.Time) > forgotten:
			found = append(found, Check{"keys", Warn, "the key " + k.Name + " was last used on " + k.Used.Format(time.DateOnly), revoke})
		case k.Used == nil && time.Since(since.Time) > time.Hour && (k.May(loci.RightApprove) || k.May(loci.RightAdmin) || k.May(loci.RightWriteTools)):
			found = append(found, Check{"keys", Warn, "the key " + k.Name + " may much and was never used", revoke})
		case k.May(loci.RightWriteTools) && k.May(loci.RightApprove):
			found = append(found, Check{"keys", Warn, "the key " + k.Name + " can both ask for changes and allow them", "Make one without approve for it, unless a person holds it."})
		}
	}
	return orFine(found, "keys", "%s besides yours and the chat key", counted(made, "key"))
}

// checkLog looks for conversations in a log.
func checkLog(_ context.Context, p posture) []Check {
	if p.Config.Log.Level == "debug" {
		return []Check{{"log", Warn, "what is said is logged", "Set log.level: info when you have found what you look for."}}
	}
	return []Check{ok("log", "nothing that is said is logged")}
}

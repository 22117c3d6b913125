package app

import (
	"cmp"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"loci"
	"loci/internal/agent"
	"loci/internal/config"
	"loci/internal/prompt"
	"loci/internal/sandbox"
)

// settings turns the configuration into the engine's choices.
func settings(c config.Config, getenv func(string) string) agent.Settings {
	s := agent.Settings{
		User:          c.UserName,
		Zone:          zoneName(c.TimeZone, getenv),
		Purpose:       c.SessionPurpose,
		Texts:         prompt.Default(),
		FamilyTexts:   make(map[string]prompt.Texts, len(c.PromptTexts)),
		ReplaceClient: c.ClientSystem == "replace",
		MaxSteps:      c.MaxSteps,
		AskFor:        c.Timeouts.Answer,
		KeptRounds:    c.KeptRounds,
		UsableShare:   c.UsableShare,
		LongResults:   agent.LongResults(c.LongResults),
		DigestFor:     c.Timeouts.Digest,
		Working:       c.WorkingFolder,
	}
	if style, ok := prompt.Profile(c.PromptProfile); ok {
		s.Texts.Style = style
	}
	for family, texts := range c.PromptTexts {
		s.FamilyTexts[family] = prompt.Texts(texts)
	}
	if s.User == "" {
		s.User = account()
	}
	if own := paths(c.Folders); s.Working == "" && len(own) > 0 {
		s.Working = own[0]
	}
	return s
}

// InForce fills in what a configuration leaves to the machine, for a person who
// asks what holds. What depends on the model servers stays empty.
func InForce(o Options) config.Config {
	o = o.withDefaults()
	c := o.Config
	s := settings(c, o.Getenv)
	c.UserName, c.TimeZone, c.WorkingFolder = s.User, s.Zone, s.Working
	c.DataPath, c.StatePath = o.Paths.Data, o.Paths.State
	return c
}

// rights gives the folders that a principal may look into: the configured ones
// to the owner, to others what the configuration grants to their id, or else to
// their e-mail address. One entry counts, so that a person can be given less
// than their address would.
func rights(c config.Config, p loci.Principal) []string {
	return paths(slices.DeleteFunc(slices.Clone(folders(c, p)), config.Folder.Closed))
}

// folders gives the entries of the configuration about a principal's folders.
func folders(c config.Config, p loci.Principal) []config.Folder {
	if p.Owner {
		return c.Folders
	}
	id, _ := strings.CutPrefix(p.ID, "user:")
	r, ok := c.Principals[id]
	made := strings.HasPrefix(id, "key:")
	if made && !p.May(loci.RightReadTools) { // its turns have no tools that look at anything
		return nil
	}
	if !ok && !made { // a made key can forward whatever address it likes
		r = c.Principals[strings.ToLower(p.Email)]
	}
	return r.Folders
}

// rules gives what may be done where for a principal. The owner's rules bind everybody.
func rules(c config.Config, p loci.Principal) sandbox.Rules {
	if p.Owner {
		return rulesOf(c.Folders)
	}
	return rulesOf(folders(c, p)).Under(rulesOf(c.Folders))
}

func rulesOf(folders []config.Folder) (found sandbox.Rules) {
	for _, f := range folders {
		found = append(found, sandbox.Rule{Path: f.Path, Access: sandbox.Access(cmp.Or(f.Access, string(sandbox.AskFirst))), Outside: f.Outside})
	}
	return found
}

func paths(folders []config.Folder) []string {
	all := make([]string, len(folders))
	for i, f := range folders {
		all[i] = f.Path
	}
	return all
}

// account is how the person is called on this machine; empty where the account is
// nobody's in particular.
func account() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return called(*u)
}

// technical are accounts that images of systems, containers and clouds come with: their
// names say nothing about who sits there.
var technical = []string{
	"root", "toor", "admin", "administrator", "system", "user", "guest", "nobody", "default", "service", "daemon",
	"ubuntu", "debian", "fedora", "centos", "rocky", "almalinux", "arch", "alpine", "opensuse", "pi", "core", "cloud", "cloud-user", "cloud user",
	"ec2-user", "ec2 default user", "azureuser", "opc", "vagrant", "docker", "container", "app", "dev", "vscode", "codespace", "gitpod",
	"runner", "build", "builder", "ci", "jenkins", "node", "jovyan", "appuser", "nonroot", "www-data",
}

// called picks the name of an account that is a person's: the full one, or else the
// one to log in with.
func called(u user.User) string {
	isTechnical := func(name string) bool { return slices.Contains(technical, strings.ToLower(strings.TrimSpace(name))) }
	_, login, domain := strings.Cut(u.Username, `\`) // on Windows
	if !domain {
		login = u.Username
	}
	switch {
	case u.Uid == "0" || isTechnical(login):
		return ""
	case strings.TrimSpace(u.Name) == "" || isTechnical(u.Name):
		return login
	}
	return u.Name
}

// clock gives the time in a zone, or this machine's where none is configured.
func clock(zone string) func() time.Time {
	z, err := time.LoadLocation(zone)
	if zone == "" || err != nil { // it was checked with the configuration
		return time.Now
	}
	return func() time.Time { return time.Now().In(z) }
}

// zoneName finds the IANA name of the time zone: the configured one, that of
// TZ, or where the system's link points. Empty if none tells.
func zoneName(configured string, getenv func(string) string) string {
	if configured != "" {
		return configured
	}
	file := "/etc/localtime"
	if tz := strings.TrimPrefix(getenv("TZ"), ":"); filepath.IsAbs(tz) {
		file = tz
	} else if tz != "" {
		if _, err := time.LoadLocation(tz); err != nil {
			return "" // a rule such as CET-1CEST is no name
		}
		return tz
	}
	target, err := filepath.EvalSymlinks(file)
	if err != nil {
		return ""
	}
	_, name, _ := strings.Cut(filepath.ToSlash(target), "/zoneinfo/")
	return name
}

package app

import (
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/net"
	"github.com/shirou/gopsutil/v4/process"

	"loci"
	"loci/internal/agent"
	"loci/internal/config"
	"loci/internal/prompt"
)

// settings turns the configuration into the engine's choices.
func (a *App) settings() agent.Settings {
	c := a.Config
	texts := prompt.Default()
	if style, ok := prompt.Profile(c.PromptProfile); ok {
		texts.Style = style
	}
	s := agent.Settings{
		User:          c.UserName,
		Zone:          zoneName(c.TimeZone, a.Getenv),
		Purpose:       c.SessionPurpose,
		Texts:         texts,
		FamilyTexts:   c.PromptTexts,
		ReplaceClient: c.ClientSystem == "replace",
		MaxSteps:      c.MaxSteps,
		KeptRounds:    c.KeptRounds,
		Working:       c.WorkingFolder,
		Folders:       a.rights,
	}
	if s.User == "" {
		s.User = account()
	}
	if own := paths(c.Folders); s.Working == "" && len(own) > 0 {
		s.Working = own[0]
	}
	return s
}

// rights gives the folders that a principal may look into: the configured ones
// to the owner, to others what the configuration grants them by name.
func (a *App) rights(p loci.Principal) []string {
	if p.Owner {
		return paths(a.Config.Folders)
	}
	for who, r := range a.Config.Principals {
		if p.ID == "user:"+who || p.Email != "" && p.Email == who {
			return paths(r.Folders)
		}
	}
	return nil
}

func paths(folders []config.Folder) []string {
	all := make([]string, len(folders))
	for i, f := range folders {
		all[i] = f.Path
	}
	return all
}

// account is how the person is called on this machine.
func account() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	if u.Name != "" && u.Uid != "0" {
		return u.Name
	}
	return u.Username
}

// clock gives the time in the person's zone.
func (a *App) clock() func() time.Time {
	zone, err := time.LoadLocation(a.Config.TimeZone)
	if a.Config.TimeZone == "" || err != nil {
		return time.Now
	}
	return func() time.Time { return time.Now().In(zone) }
}

// zoneName finds the IANA name of the time zone: the configured one, that of
// TZ, or where the system's link points. Empty if none tells.
func zoneName(configured string, getenv func(string) string) string {
	if configured != "" {
		return configured
	}
	if tz := getenv("TZ"); tz != "" && !filepath.IsAbs(tz) {
		return tz
	}
	const link = "/etc/localtime"
	target, err := filepath.EvalSymlinks(link)
	if err != nil {
		return ""
	}
	_, name, _ := strings.Cut(filepath.ToSlash(target), "/zoneinfo/")
	return name
}

// holder tells which program listens on a port, as far as the system tells.
func holder(port string) string {
	number, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return ""
	}
	connections, err := net.Connections("tcp")
	if err != nil {
		return ""
	}
	for _, c := range connections {
		if c.Status != "LISTEN" || c.Laddr.Port != uint32(number) || c.Pid == 0 {
			continue
		}
		name := "a program"
		if p, err := process.NewProcess(c.Pid); err == nil {
			if n, err := p.Name(); err == nil {
				name = n
			}
		}
		return ": " + name + " (process " + strconv.Itoa(int(c.Pid)) + ") holds the port"
	}
	return ""
}

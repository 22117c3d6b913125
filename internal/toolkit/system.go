package toolkit

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"net"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/disk"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/load"
	"github.com/shirou/gopsutil/v4/mem"

	"loci"
	"loci/internal/lang"
	"loci/internal/tool"
)

const (
	cpuSample     = 200 * time.Millisecond // how long the processor is watched to tell how busy it is
	systemTimeout = 10 * time.Second
)

// systemArgs is what system_info takes.
type systemArgs struct {
	Part string `json:"part,omitempty" enum:"os,uptime,cpu,memory,disk,network" jsonschema:"all if left out"`
}

// system is what system_info finds out; a part that was not asked for, or that
// this machine does not tell, is nil.
type system struct {
	OS      *osInfo     `json:"os,omitempty"`
	CPU     *cpuInfo    `json:"cpu,omitempty"`
	Memory  *memoryInfo `json:"memory,omitempty"`
	Disks   []diskInfo  `json:"disks,omitempty"`
	Network []netInfo   `json:"network,omitempty"`
	Note    string      `json:"note,omitempty"` // parts that could not be found out

	args systemArgs
}

// osInfo is the operating system.
type osInfo struct {
	System  string `json:"system"` // linux, darwin, windows
	Name    string `json:"name"`   // such as ubuntu 24.04
	Kernel  string `json:"kernel"`
	Arch    string `json:"arch"`
	Host    string `json:"host"`
	UptimeS uint64 `json:"uptime_s"`
}

// cpuInfo is the processor and how much it has to do.
type cpuInfo struct {
	Model string   `json:"model"`
	Count int      `json:"count"`            // logical processors
	Busy  float64  `json:"busy_percent"`     // of all of them together
	Load1 *float64 `json:"load_1,omitempty"` // average of the last minute; not on Windows
	Load5 *float64 `json:"load_5,omitempty"`
}

// memoryInfo is the memory of the machine, without swap.
type memoryInfo struct {
	Total int64 `json:"total_bytes"`
	Free  int64 `json:"free_bytes"` // that programs can still get, caches included
	Used  int64 `json:"used_bytes"`
}

// diskInfo is the space on the disk below an allowed folder.
type diskInfo struct {
	Folder string `json:"folder"` // the allowed folder that lies on it
	Total  int64  `json:"total_bytes"`
	Free   int64  `json:"free_bytes"`
	Used   int64  `json:"used_bytes"`
}

// netInfo is one network interface.
type netInfo struct {
	Name      string   `json:"name"`
	Up        bool     `json:"up"`
	Addresses []string `json:"addresses"` // with the length of the network prefix
}

// systemInfo is the tool that describes the machine.
func systemInfo() tool.Tool {
	return tool.Define(loci.ToolSpec{
		Name: "system_info",
		Description: `Tells about this computer: system, processor, memory, disk, network. ` +
			`Does not list programs; takes no path. ` +
			`Example: {"part": "memory"}`,
		SideEffects: loci.EffectRead,
		Timeout:     systemTimeout, // a dead drive does not tell its size
		Examples: []string{
			"How much memory is free?",
			"How much disk space is left?",
			"What operating system is this?",
			"What is my IP address?",
			"Which processor does this computer have?",
			"How busy is the CPU?",
			"How long has this machine been running?",
			"还剩多少内存？",
			"磁盘还有多少空间？",
			"Kolik je volné paměti?",
			"Jaký mám operační systém?",
		},
	}, inspect, renderSystem)
}

// inspect does what system_info promises. A part that cannot be found out is
// named in the note, unless it is the only one asked for.
func inspect(ctx context.Context, env tool.Env, args systemArgs) (system, error) {
	s := system{args: args}
	parts := []struct {
		name string
		fill func() error
	}{
		{"os", func() error { return s.fillOS(ctx) }},
		{"cpu", func() error { return s.fillCPU(ctx) }},
		{"memory", func() error { return s.fillMemory(ctx) }},
		{"disk", func() error { return s.fillDisks(ctx, env.Scope.Folders) }},
		{"network", func() error { return s.fillNetwork() }},
	}
	var missing []string
	for _, part := range parts {
		if args.Part != "" && args.Part != part.name && (args.Part != "uptime" || part.name != "os") {
			continue
		}
		if err := part.fill(); ctx.Err() != nil {
			return s, ctx.Err()
		} else if err != nil {
			missing = append(missing, part.name)
		}
	}
	if len(missing) > 0 && args.Part != "" {
		return s, fail("Tell the person that it is not known.", "This machine does not tell about its %s.", args.Part)
	}
	if len(missing) > 0 {
		s.Note = "Not known: " + strings.Join(missing, ", ") + "."
	}
	return s, nil
}

// fillOS finds out the operating system.
func (s *system) fillOS(ctx context.Context) error {
	h, err := host.InfoWithContext(ctx)
	if err != nil {
		return err
	}
	s.OS = &osInfo{
		System: runtime.GOOS, Name: strings.TrimSpace(h.Platform + " " + h.PlatformVersion),
		Kernel: h.KernelVersion, Arch: runtime.GOARCH, Host: h.Hostname, UptimeS: h.Uptime,
	}
	return nil
}

// fillCPU finds out the processor; how busy it is takes a moment to see.
func (s *system) fillCPU(ctx context.Context) error {
	busy, err := cpu.PercentWithContext(ctx, cpuSample, false)
	if err != nil || len(busy) == 0 {
		return cmp.Or(err, errors.New("no processor"))
	}
	s.CPU = &cpuInfo{Count: runtime.NumCPU(), Busy: tenth(busy[0])}
	if models, err := cpu.InfoWithContext(ctx); err == nil && len(models) > 0 {
		s.CPU.Model = models[0].ModelName
	}
	if avg, err := load.AvgWithContext(ctx); err == nil && runtime.GOOS != "windows" {
		s.CPU.Load1, s.CPU.Load5 = new(avg.Load1), new(avg.Load5)
	}
	return nil
}

// tenth keeps one decimal.
func tenth(x float64) float64 { return float64(int64(x*10+0.5)) / 10 }

// fillMemory finds out the memory. What caches hold counts as free, because
// programs get it when they need it; "free" in the strict sense frightens
// people for no reason.
func (s *system) fillMemory(ctx context.Context) error {
	m, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil {
		return err
	}
	s.Memory = &memoryInfo{Total: int64(m.Total), Free: int64(m.Available), Used: int64(m.Total - min(m.Available, m.Total))}
	return nil
}

// fillDisks looks at the allowed folders alone: other disks are not the
// model's business. A folder that is gone has no disk to tell of.
func (s *system) fillDisks(ctx context.Context, folders []string) error {
	for _, path := range folders {
		u, err := disk.UsageWithContext(ctx, path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		s.Disks = append(s.Disks, diskInfo{Folder: path, Total: int64(u.Total), Free: int64(u.Free), Used: int64(u.Used)})
	}
	return nil
}

// fillNetwork finds out the addresses; loopback tells nobody anything.
func (s *system) fillNetwork() error {
	interfaces, err := net.Interfaces()
	if err != nil {
		return err
	}
	for _, i := range interfaces {
		addresses, err := i.Addrs()
		if err != nil || len(addresses) == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		n := netInfo{Name: i.Name, Up: i.Flags&net.FlagUp != 0}
		for _, a := range addresses {
			n.Addresses = append(n.Addresses, a.String())
		}
		s.Network = append(s.Network, n)
	}
	slices.SortFunc(s.Network, func(a, b netInfo) int { return strings.Compare(a.Name, b.Name) })
	return nil
}

// renderSystem writes one sentence for each part that is there.
func renderSystem(language string, s system) string {
	var out []string
	add := func(w lang.Words, args ...any) { out = append(out, w.In(language, args...)) }
	if o := s.OS; o != nil && s.args.Part == "uptime" {
		add(lang.Words{EN: "%s has been on for %s.", ZH: "%s 已运行 %s。", CS: "%s běží už %s."}, o.Host, uptime(language, o.UptimeS))
	} else if o != nil {
		add(lang.Words{EN: "%s (%s, kernel %s) on %s, up for %s.", ZH: "%s（%s，内核 %s），主机 %s，已运行 %s。", CS: "%s (%s, jádro %s) na %s, běží %s."},
			cmp.Or(o.Name, o.System), o.Arch, o.Kernel, o.Host, uptime(language, o.UptimeS))
	}
	if c := s.CPU; c != nil {
		add(lang.Words{EN: "%d × %s, %.1f %% busy.", ZH: "%d × %s，使用率 %.1f%%。", CS: "%d × %s, vytížení %.1f %%."}, c.Count, cmp.Or(c.Model, "CPU"), c.Busy)
	}
	if m := s.Memory; m != nil {
		add(lang.Words{EN: "%s of %s memory are free.", ZH: "内存可用 %s，共 %s。", CS: "Volné paměti: %s z %s."}, lang.Size(language, m.Free), lang.Size(language, m.Total))
	}
	for _, d := range s.Disks {
		add(lang.Words{EN: "%s of %s disk space are free for %s.", ZH: "%[3]s 所在磁盘可用 %[1]s，共 %[2]s。", CS: "Volné místo na disku: %s z %s (%s)."}, lang.Size(language, d.Free), lang.Size(language, d.Total), d.Folder)
	}
	for _, n := range s.Network {
		if n.Up {
			add(lang.Words{EN: "Network %s: %s.", ZH: "网络 %s：%s。", CS: "Síť %s: %s."}, n.Name, strings.Join(n.Addresses, ", "))
		}
	}
	if len(out) == 0 {
		add(lang.Words{EN: "There is nothing to tell: no folder is allowed, or no network is connected.", ZH: "没有可显示的信息：没有允许的文件夹，或没有网络连接。", CS: "Není co říct: není povolena žádná složka nebo není připojena síť."})
	}
	return strings.Join(out, "\n")
}

// uptime writes seconds as days and hours, or hours and minutes.
func uptime(language string, seconds uint64) string {
	days, hours, minutes := seconds/86400, seconds/3600%24, seconds/60%60
	if days > 0 {
		return lang.Words{EN: "%d d %d h", ZH: "%d 天 %d 小时", CS: "%d d %d h"}.In(language, days, hours)
	}
	return lang.Words{EN: "%d h %d min", ZH: "%d 小时 %d 分钟", CS: "%d h %d min"}.In(language, hours, minutes)
}

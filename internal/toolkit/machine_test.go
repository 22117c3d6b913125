package toolkit

import (
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"loci/internal/tool"
)

func TestSystemInfo(t *testing.T) {
	b := newBench(t, nil)
	s := get[system](b, "system_info", `{}`)
	if s.OS == nil || s.OS.System != runtime.GOOS || s.OS.Host == "" || s.OS.UptimeS == 0 {
		t.Errorf("os: %+v", s.OS)
	}
	if s.CPU == nil || s.CPU.Count != runtime.NumCPU() || s.CPU.Busy < 0 || s.CPU.Busy > 100 {
		t.Errorf("cpu: %+v", s.CPU)
	}
	if m := s.Memory; m == nil || m.Total <= 0 || m.Free <= 0 || m.Free+m.Used != m.Total {
		t.Errorf("memory: %+v", m)
	}
	if len(s.Disks) != 1 || s.Disks[0].Folder != b.root || s.Disks[0].Free <= 0 || s.Disks[0].Total < s.Disks[0].Used {
		t.Errorf("disks: %+v", s.Disks)
	}
	if s = get[system](b, "system_info", `{"part":"memory"}`); s.OS != nil || s.CPU != nil || s.Disks != nil || s.Network != nil || s.Memory == nil {
		t.Errorf("more than memory: %+v", s)
	}
	b.refuse("system_info", `{"part":"weather"}`, "part")
}

func TestRenderSystem(t *testing.T) {
	s := system{
		OS:      &osInfo{System: "linux", Name: "debian 13", Kernel: "6.12", Arch: "amd64", Host: "box", UptimeS: 90_000},
		CPU:     &cpuInfo{Model: "Ryzen", Count: 8, Busy: 12.5},
		Memory:  &memoryInfo{Total: 25_125_558_681, Free: 5_583_457_485},
		Disks:   []diskInfo{{Folder: "/home", Total: 1 << 40, Free: 1 << 39}},
		Network: []netInfo{{Name: "eth0", Up: true, Addresses: []string{"10.0.0.2/24"}}, {Name: "off", Addresses: []string{"1.2.3.4/8"}}},
	}
	for lang, want := range map[string]string{
		"en": "debian 13 (amd64, kernel 6.12) on box, up for 1 d 1 h.\n8 × Ryzen, 12.5 % busy.\n5.2 GiB of 23.4 GiB memory are free.\n512.0 GiB of 1.0 TiB disk space are free for /home.\nNetwork eth0: 10.0.0.2/24.",
		"zh": "debian 13（amd64，内核 6.12），主机 box，已运行 1 天 1 小时。\n8 × Ryzen，使用率 12.5%。\n内存可用 5.2 GiB，共 23.4 GiB。\n/home 所在磁盘可用 512.0 GiB，共 1.0 TiB。\n网络 eth0：10.0.0.2/24。",
		"cs": "debian 13 (amd64, jádro 6.12) na box, běží 1 d 1 h.\n8 × Ryzen, vytížení 12.5 %.\nVolné paměti: 5.2 GiB z 23.4 GiB.\nVolné místo na disku: 512.0 GiB z 1.0 TiB (/home).\nSíť eth0: 10.0.0.2/24.",
	} {
		if got := renderSystem(lang, s); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", lang, got, want)
		}
	}
}

// TestListProcesses makes this process busy and looks for it.
func TestListProcesses(t *testing.T) {
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		for n := 0; ; n++ {
			select {
			case <-stop:
				return
			default:
			}
		}
	}()
	b := newBench(t, nil)
	p := get[processes](b, "list_processes", `{}`)
	close(stop)
	<-done
	if len(p.Busiest) == 0 || len(p.Busiest) > 10 || p.Total < len(p.Busiest) {
		t.Fatalf("%+v", p)
	}
	found := false
	for i, r := range p.Busiest {
		if i > 0 && r.CPU > p.Busiest[i-1].CPU {
			t.Errorf("not sorted: %+v", p.Busiest)
		}
		if r.PID == int32(os.Getpid()) {
			found = r.CPU > 0 && r.Memory >= 0 && strings.Contains(r.Command, "toolkit")
		}
		if strings.Contains(r.Command, "-test.") {
			t.Errorf("arguments are shown: %q", r.Command)
		}
	}
	if !found {
		t.Errorf("this busy process is not listed: %+v", p.Busiest)
	}
}

// TestProcessesInWords checks how many are named, and in which order.
func TestProcessesInWords(t *testing.T) {
	p := processes{Total: 40}
	for i := range 10 {
		p.Busiest = append(p.Busiest, running{PID: int32(i), Command: "p"})
	}
	for limit, want := range map[int]int{0: 5, 3: 10, 10: 10} { // a limit has shortened the list before
		p.args.Limit = limit
		for _, language := range []string{"en", "zh", "cs"} {
			if got := strings.Count(renderProcesses(language, p), "\n"); got != want {
				t.Errorf("limit %d, %s: %d lines, want %d", limit, language, got, want)
			}
		}
	}
	b := newBench(t, nil)
	got := get[processes](b, "list_processes", `{"sort":"memory","limit":3}`)
	if len(got.Busiest) > 3 || len(got.Busiest) == 0 {
		t.Errorf("%+v", got)
	}
	for i := 1; i < len(got.Busiest); i++ {
		if got.Busiest[i].Memory > got.Busiest[i-1].Memory {
			t.Errorf("not by memory: %+v", got.Busiest)
		}
	}
	if text := b.call("list_processes", `{"sort":"memory"}`).Text; !strings.Contains(text, "most memory") {
		t.Error(text)
	}
}

func TestCurrentTime(t *testing.T) {
	b := newBench(t, nil)
	got := get[clock](b, "current_time", `{}`)
	if got.Date != "2026-11-30" || got.Weekday != "Monday" || got.Week != "2026-W49" || got.Clock != "12:00:00" || got.Zone != "UTC" || got.Offset != "+00:00" {
		t.Errorf("%+v", got)
	}
	for zone, want := range map[string]string{
		"Europe/Prague": "13:00:00 Europe/Prague +01:00", "Tokyo": "21:00:00 Asia/Tokyo +09:00",
		"new york": "07:00:00 America/New_York -05:00", "America/Argentina/Buenos_Aires": "09:00:00 America/Argentina/Buenos_Aires -03:00",
		"utc": "12:00:00 UTC +00:00",
	} {
		c := get[clock](b, "current_time", `{"zone":"`+zone+`"}`)
		if got := c.Clock + " " + c.Zone + " " + c.Offset; got != want {
			t.Errorf("%s: %s", zone, got)
		}
	}
	for _, zone := range []string{"Atlantis", "../../etc/passwd", "/etc/localtime", "Local", "  ", "東京"} {
		b.refuse("current_time", `{"zone":"`+zone+`"}`, "There is no time zone")
	}
	for _, test := range []struct{ lang, args, want string }{
		{"en", `{}`, "It is Monday, 30 November 2026, 12:00 (UTC, week 49)."},
		{"zh", `{}`, "现在是 2026年11月30日 星期一 12:00（UTC，第 49 周）。"},
		{"cs", `{}`, "Je pondělí 30. listopadu 2026, 12:00 (UTC, týden 49)."},
		{"en", `{"part":"date"}`, "Today is Monday, 30 November 2026."},
		{"zh", `{"part":"date"}`, "今天是 2026年11月30日 星期一。"},
		{"cs", `{"part":"date"}`, "Dnes je pondělí 30. listopadu 2026."},
		{"en", `{"part":"time"}`, "It is 12:00."},
		{"zh", `{"part":"time"}`, "现在是 12:00。"},
		{"cs", `{"part":"time"}`, "Je 12:00."},
		{"en", `{"part":"time","zone":"Tokyo"}`, "It is 21:00 (Asia/Tokyo)."},
		{"en", `{"part":"week"}`, "This is week 49 of 2026."},
		{"zh", `{"part":"week"}`, "现在是 2026 年第 49 周。"},
		{"cs", `{"part":"week"}`, "Je 49. týden roku 2026."},
	} {
		b.lang = test.lang
		if got := b.call("current_time", test.args).Text; got != test.want {
			t.Errorf("%s %s: %s, want %s", test.lang, test.args, got, test.want)
		}
	}
	if got, err := tell(t.Context(), tool.Env{Now: time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)}, clockArgs{}); err != nil || got.Week != "2026-W53" {
		t.Errorf("ISO week at new year: %s, %v", got.Week, err)
	}
}

// TestAnotherDay counts days over a change of the clock, in words of each language.
func TestAnotherDay(t *testing.T) {
	b := newBench(t, nil)
	for _, test := range []struct{ lang, args, want string }{
		{"en", `{"date":"+1"}`, "Tomorrow is Tuesday, 1 December 2026."},
		{"en", `{"date":"-1"}`, "Yesterday was Sunday, 29 November 2026."},
		{"en", `{"date":"2026-12-25","part":"date"}`, "In 25 days it is Friday, 25 December 2026."},
		{"en", `{"date":"2020-02-29"}`, "2466 days ago it was Saturday, 29 February 2020."},
		{"en", `{"date":"today"}`, "That is today: Monday, 30 November 2026."},
		{"en", `{"date":"2026-12-25","part":"week"}`, "Friday, 25 December 2026 is in week 52 of 2026."},
		{"cs", `{"date":"+2"}`, "Za 2 dny je středa 2. prosince 2026."},
		{"cs", `{"date":"-5"}`, "Před 5 dny: středa 25. listopadu 2026."},
		{"zh", `{"date":"+3"}`, "3 天后是 2026年12月3日 星期四。"},
		{"en", `{"date":"+200","zone":"Europe/Prague"}`, "In 200 days it is Friday, 18 June 2027."},
		{"en", `{"part":"zone"}`, "The time zone is UTC (UTC+00:00)."},
	} {
		b.lang = test.lang
		if got := b.call("current_time", test.args).Text; got != test.want {
			t.Errorf("%s %s: %s, want %s", test.lang, test.args, got, test.want)
		}
	}
	for _, day := range []string{"25", "+99999999", "-99999999", "soon", "+", "2026-02-30", "+9999999999999999999999"} {
		b.refuse("current_time", `{"date":"`+day+`"}`, "cannot be read")
	}
	if c := get[clock](b, "current_time", `{"date":"+7"}`); c.Date != "2026-12-07" || c.Days == nil || *c.Days != 7 {
		t.Errorf("%+v", c)
	}
}

// TestProcessByName finds this test, and nothing by a name that no program has.
func TestProcessByName(t *testing.T) {
	b := newBench(t, nil)
	if r := b.call("list_processes", `{"name":"TOOLKIT"}`); !strings.HasPrefix(r.Text, "Yes: ") || !strings.Contains(r.Text, "toolkit") {
		t.Errorf("%q", r.Text)
	}
	if r := b.call("list_processes", `{"name":"no such program"}`); r.Text != "No: no program named no such program is running." {
		t.Errorf("%q", r.Text)
	}
}

func TestUptimeAlone(t *testing.T) {
	b := newBench(t, nil)
	r := b.call("system_info", `{"part":"uptime"}`)
	if !strings.Contains(r.Text, "has been on for ") || strings.Contains(r.Text, "kernel") {
		t.Errorf("%q", r.Text)
	}
}

package toolkit

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v4/mem"
	"github.com/shirou/gopsutil/v4/process"

	"loci"
	"loci/internal/lang"
	"loci/internal/text"
	"loci/internal/tool"
)

const (
	busiest       = 10                     // processes that are listed unless told otherwise
	busiestMax    = 50                     // at most
	busiestSaid   = 5                      // named to a person unless told otherwise
	processSample = 400 * time.Millisecond // how long they are watched
)

// processArgs is what list_processes takes.
type processArgs struct {
	Name  string `json:"name,omitempty" jsonschema:"part of its name"`
	Sort  string `json:"sort,omitempty" enum:"cpu,memory"`
	Limit int    `json:"limit,omitempty" jsonschema:"10 if left out"`
}

// processes is what list_processes returns.
type processes struct {
	Total   int       `json:"total"`   // those of the name, where one was given
	Busiest []running `json:"busiest"` // those that use most come first

	args     processArgs
	memTotal uint64
}

// running is one process.
type running struct {
	PID     int32   `json:"pid"`
	CPU     float64 `json:"cpu_percent"`    // of one processor, as top shows it
	Memory  float64 `json:"memory_percent"` // of the machine's memory
	Command string  `json:"command"`        // the program's name alone: its arguments may hold secrets

	process *process.Process
	before  float64 // seconds of processor time at the first look
}

// listProcesses is the tool that tells what keeps the machine busy.
func listProcesses() tool.Tool {
	return tool.Define(loci.ToolSpec{
		Name: "list_processes",
		Description: `Lists the busiest programs: pid, CPU %, memory % and name. ` +
			`Does not stop them; takes no path. ` +
			`Example: {"sort": "cpu"}`,
		SideEffects: loci.EffectRead,
		Examples: []string{
			"Which programs use the most CPU?",
			"What is running on this computer?",
			"Why is my computer so slow?",
			"Show the top processes.",
			"Which process takes the most memory?",
			"Is Firefox running?",
			"哪些进程占用 CPU 最多？",
			"现在在运行什么程序？",
			"Které programy nejvíc zatěžují procesor?",
			"Co teď na počítači běží?",
		},
	}, watch, renderProcesses)
}

// watch looks at the processor time of all processes twice: what they used in
// between is what they use now, unlike their average since they started.
func watch(ctx context.Context, _ tool.Env, args processArgs) (processes, error) {
	list, err := process.ProcessesWithContext(ctx)
	if err != nil {
		return processes{}, fmt.Errorf("list processes: %w", err)
	}
	memory, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil {
		return processes{}, fmt.Errorf("size of memory: %w", err)
	}
	result := processes{args: args, memTotal: memory.Total}
	for _, p := range list {
		if args.Name != "" && !named(ctx, p, args.Name) {
			continue
		}
		if t, err := p.TimesWithContext(ctx); err == nil { // an error: it ended, or is not ours to see
			result.Busiest = append(result.Busiest, running{PID: p.Pid, process: p, before: t.User + t.System})
		}
	}
	start := time.Now()
	select {
	case <-time.After(processSample):
	case <-ctx.Done():
		return processes{}, ctx.Err()
	}
	result.look(ctx, time.Since(start))
	return result, nil
}

// named tells whether a part of its name is as given, in any case.
func named(ctx context.Context, p *process.Process, part string) bool {
	name, err := p.NameWithContext(ctx)
	return err == nil && strings.Contains(fold(name), fold(part))
}

// look takes the second look and keeps the busiest.
func (p *processes) look(ctx context.Context, passed time.Duration) {
	alive := p.Busiest[:0]
	for _, r := range p.Busiest {
		t, err := r.process.TimesWithContext(ctx)
		if err != nil { // it has ended
			continue
		}
		r.CPU = tenth(max(0, t.User+t.System-r.before) / passed.Seconds() * 100)
		if m, err := r.process.MemoryInfoWithContext(ctx); err == nil && p.memTotal > 0 {
			r.Memory = tenth(float64(m.RSS) / float64(p.memTotal) * 100)
		}
		alive = append(alive, r)
	}
	p.Busiest = alive
	p.Total = len(p.Busiest)
	slices.SortFunc(p.Busiest, func(a, b running) int {
		use := cmp.Or(cmp.Compare(b.CPU, a.CPU), cmp.Compare(b.Memory, a.Memory))
		if p.args.Sort == "memory" {
			use = cmp.Or(cmp.Compare(b.Memory, a.Memory), cmp.Compare(b.CPU, a.CPU))
		}
		return cmp.Or(use, cmp.Compare(a.PID, b.PID))
	})
	most := min(max(cmp.Or(p.args.Limit, busiest), 1), busiestMax)
	p.Busiest = p.Busiest[:min(most, p.Total)]
	for i := range p.Busiest {
		name, err := p.Busiest[i].process.NameWithContext(ctx)
		if err != nil {
			name = "?"
		}
		p.Busiest[i].Command = name
	}
}

// renderProcesses writes one process a line, and only a few of them: who wanted
// more said so.
func renderProcesses(language string, p processes) string {
	if p.args.Name != "" {
		return renderNamed(language, p)
	}
	head := lang.Words{
		EN: "The busiest of %d processes (CPU %% of one of %d processors, memory %%):",
		ZH: "%d 个进程中最忙的（CPU 为 %d 个处理器之一的百分比，内存百分比）：",
		CS: "Nejvytíženější z procesů (celkem %d; CPU %% jednoho z %d procesorů, paměť %%):",
	}
	if p.args.Sort == "memory" {
		head = lang.Words{
			EN: "Those of %d processes that use most memory (CPU %% of one of %d processors, memory %%):",
			ZH: "%d 个进程中占用内存最多的（CPU 为 %d 个处理器之一的百分比，内存百分比）：",
			CS: "Procesy s největší spotřebou paměti (celkem %d; CPU %% jednoho z %d procesorů, paměť %%):",
		}
	}
	var b strings.Builder
	b.WriteString(head.In(language, p.Total, runtime.NumCPU()))
	said := p.Busiest
	if p.args.Limit == 0 {
		said = said[:min(busiestSaid, len(said))]
	}
	for _, r := range said {
		fmt.Fprintf(&b, "\n%s (%d): %.1f %%, %.1f %%", r.Command, r.PID, r.CPU, r.Memory)
	}
	return b.String()
}

// renderNamed tells whether programs of a name run, and under which numbers.
func renderNamed(language string, p processes) string {
	name := text.Clip(p.args.Name, 100)
	if p.Total == 0 {
		return lang.Words{EN: "No: no program named %s is running.", ZH: "没有：没有名为 %s 的程序在运行。", CS: "Ne: žádný program se jménem %s neběží."}.In(language, name)
	}
	parts := make([]string, len(p.Busiest))
	for i, r := range p.Busiest {
		parts[i] = fmt.Sprintf("%s (%d)", r.Command, r.PID)
	}
	text := some(language, parts, busiestSaid)
	return lang.Words{EN: "Yes: %s running: %s.", ZH: "是的：%s正在运行：%s。", CS: "Ano: %s, běží: %s."}.In(language, processWord.In(language, p.Total), text)
}

// processWord counts processes; English has the verb with it.
var processWord = lang.Counted{One: "process is", Many: "processes are", ZH: "个进程", CSOne: "proces", CSFew: "procesy", CSAll: "procesů"}

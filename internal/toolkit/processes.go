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
	"loci/internal/tool"
)

const (
	busiest       = 10                     // processes that are listed
	processSample = 400 * time.Millisecond // how long they are watched
)

// noArgs is for tools without arguments.
type noArgs struct{}

// processes is what list_processes returns.
type processes struct {
	Total    int       `json:"total"`
	Busiest  []running `json:"busiest"`
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
		Description: `Lists the ten busiest programs: pid, CPU %, memory % and name. ` +
			`Does not show their arguments or stop them; takes no path. ` +
			`Example: {}`,
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
func watch(ctx context.Context, _ tool.Env, _ noArgs) (processes, error) {
	list, err := process.ProcessesWithContext(ctx)
	if err != nil {
		return processes{}, fmt.Errorf("list processes: %w", err)
	}
	memory, err := mem.VirtualMemoryWithContext(ctx)
	if err != nil {
		return processes{}, fmt.Errorf("size of memory: %w", err)
	}
	result := processes{memTotal: memory.Total}
	for _, p := range list {
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
		return cmp.Or(cmp.Compare(b.CPU, a.CPU), cmp.Compare(b.Memory, a.Memory), cmp.Compare(a.PID, b.PID))
	})
	p.Busiest = p.Busiest[:min(busiest, p.Total)]
	for i := range p.Busiest {
		name, err := p.Busiest[i].process.NameWithContext(ctx)
		if err != nil {
			name = "?"
		}
		p.Busiest[i].Command = name
	}
}

// renderProcesses writes one process a line.
func renderProcesses(lang string, p processes) string {
	var b strings.Builder
	b.WriteString(tool.Words{
		EN: "The busiest of %d processes (CPU %% of one of %d processors, memory %%):",
		ZH: "%d 个进程中最忙的（CPU 为 %d 个处理器之一的百分比，内存百分比）：",
		CS: "Nejvytíženější z procesů (celkem %d; CPU %% jednoho z %d procesorů, paměť %%):",
	}.In(lang, p.Total, runtime.NumCPU()))
	for _, r := range p.Busiest {
		fmt.Fprintf(&b, "\n%s (%d): %.1f %%, %.1f %%", r.Command, r.PID, r.CPU, r.Memory)
	}
	return b.String()
}

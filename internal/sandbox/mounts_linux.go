package sandbox

import (
	"os"
	"strings"

	"loci/internal/where"
)

// mountsIn lists what is mounted at a real path or below it, by the system's own
// list; see proc_pid_mountinfo(5). Where there is none it finds nothing.
func mountsIn(path string) (at []string) {
	list, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(list)) {
		if fields := strings.Fields(line); len(fields) > 4 {
			if point := mountEscapes.Replace(fields[4]); where.In(point, path) {
				at = append(at, point)
			}
		}
	}
	return at
}

// mountEscapes are how the list writes what would break it.
var mountEscapes = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`, `\043`, "#")

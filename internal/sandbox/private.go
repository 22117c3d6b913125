package sandbox

import (
	"loci/internal/where"
)

// keepOut notes the private folders that an allowed folder contains, or lies
// in. Where there are none, which is the rule, nothing is checked later.
func (f *Folders) keepOut(private []string) {
	for _, path := range private {
		real := where.Real(path)
		f.closed = append(f.closed, real)
		for _, d := range f.folders {
			if insideFolded(real, d.real) || insideFolded(d.real, real) {
				f.private = append(f.private, real)
				break
			}
		}
	}
}

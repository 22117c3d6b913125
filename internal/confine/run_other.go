//go:build !unix

package confine

import (
	"context"

	"loci"
)

// Main does nothing on this system.
func Main() {}

// Probe tells that nothing confines a command on this system.
func Probe() Level { return Level{Reason: "loci runs no commands on this system"} }

// start refuses.
func start(context.Context, Plan, string, Level) (Result, error) {
	return Result{}, loci.Errorf(loci.Invalid, "loci runs no commands on this system.").WithHint("Run it yourself.")
}

//go:build !darwin

package embedded

// osRelease matters on macOS only.
func osRelease() string { return "" }

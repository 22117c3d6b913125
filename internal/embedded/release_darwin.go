package embedded

import "golang.org/x/sys/unix"

// osRelease is the version of macOS, such as "14.5", or "".
func osRelease() string {
	v, err := unix.Sysctl("kern.osproductversion")
	if err != nil {
		return ""
	}
	return v
}

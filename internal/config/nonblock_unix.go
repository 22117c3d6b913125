//go:build unix

package config

import "syscall"

// nonblock opens a pipe without waiting for its other end.
const nonblock = syscall.O_NONBLOCK

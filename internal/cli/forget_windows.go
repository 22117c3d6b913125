package cli

import "golang.org/x/sys/windows"

// forget drops what was typed at a console and not read yet.
func forget(fd int) { _ = windows.FlushConsoleInputBuffer(windows.Handle(fd)) }

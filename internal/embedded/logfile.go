package embedded

import (
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
)

// maxLog is the size in bytes at which a child's log is put aside as FILE.1, so
// that both together stay below twice that.
const maxLog = 2 << 20

// logFile takes a child's output. Writing never fails: a full disk must not
// stop the engine, which would block on its own output.
type logFile struct {
	path string
	max  int64
	log  *slog.Logger

	mu     sync.Mutex
	file   *os.File // nil when it could not be opened
	size   int64
	failed bool // reported already
	said   tail
}

// openLog cannot fail: without a file, the output is only remembered for reason.
func openLog(path string, log *slog.Logger) *logFile {
	l := &logFile{path: path, max: maxLog, log: log}
	l.open()
	return l
}

// open continues the file, or starts it.
func (l *logFile) open() {
	err := os.MkdirAll(filepath.Dir(l.path), 0o700)
	if err == nil {
		l.file, err = os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	}
	if err != nil {
		l.file = nil
		l.report(err)
		return
	}
	l.size = 0
	if info, err := l.file.Stat(); err == nil {
		l.size = info.Size()
	}
}

// report says once that output is lost. The next failure is most likely the
// same one.
func (l *logFile) report(err error) {
	if err != nil && !l.failed {
		l.failed = true
		l.log.Warn("the engine's output is not kept", "file", l.path, "error", err)
	}
}

// Write implements io.Writer.
func (l *logFile) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said.Write(p) // also when the file cannot be written
	if l.file != nil && l.size+int64(len(p)) > l.max {
		l.report(errors.Join(l.file.Close(), os.Rename(l.path, l.path+".1")))
		l.open()
	}
	if l.file != nil {
		n, err := l.file.Write(p)
		l.size += int64(n)
		l.report(err)
	}
	return len(p), nil
}

// reason gives the line of the recent output that most likely says why the
// child ended, and forgets that output.
func (l *logFile) reason() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := l.said.String()
	l.said = tail{}
	if line := lastLine(text, "Error", "error", " E "); line != "" {
		return line
	}
	return lastLine(text, "")
}

// close ends the file; nothing is written afterwards.
func (l *logFile) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		l.report(l.file.Close())
		l.file = nil
	}
}

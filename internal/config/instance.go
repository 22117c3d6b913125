package config

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"loci"
)

// Run is how to reach the loci that runs.
type Run struct {
	PID      int       `json:"pid"`
	URL      string    `json:"url"`
	Listen   string    `json:"listen"`   // address and port, as other machines may reach it too
	Key      Secret    `json:"key"`      // the owner's
	ChatKey  Secret    `json:"chat_key"` // the one that can only chat
	Folders  []string  `json:"folders"`  // that the owner's conversations may look into, absolute
	Config   string    `json:"config"`   // the file whose folders it takes up as they change; empty: it does not
	Own      bool      `json:"own"`      // loci's own model server is used, since there was no other
	Instance string    `json:"instance"`
	Started  loci.Time `json:"started"`
	// KeyInFile says that the owner's key is the one in its file.
	KeyInFile bool `json:"key_in_file"`
	// Fingerprint is that of its certificate, empty where nothing is encrypted.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Fingerprint is the SHA-256 of a certificate in DER, written as browsers show it.
func Fingerprint(certificate []byte) string {
	return strings.ReplaceAll(fmt.Sprintf("% X", sha256.Sum256(certificate)), " ", ":")
}

// Client gives an HTTP client for that loci: where it encrypts, one that trusts its
// certificate and no other, whoever has signed that.
func (r Run) Client() *http.Client {
	if r.Fingerprint == "" {
		return http.DefaultClient
	}
	t := http.DefaultTransport.(*http.Transport).Clone() // nobody replaces it here
	t.TLSClientConfig = &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: true, // what follows is stricter
		VerifyConnection: func(s tls.ConnectionState) error {
			if Fingerprint(s.PeerCertificates[0].Raw) != r.Fingerprint {
				return errors.New("config: this is not the certificate of the loci that runs")
			}
			return nil
		},
	}
	return &http.Client{Transport: t}
}

// openRun is a Run as it is stored: with its keys.
type openRun struct {
	Run
	Key     string `json:"key"`
	ChatKey string `json:"chat_key"`
}

// Instance is this process's right to use loci's files, alone.
type Instance struct {
	lock    *flock.Flock
	runFile string
}

// lockPatience is how long Lock waits for those who only look whether the lock
// is held, which takes them microseconds.
const lockPatience = 200 * time.Millisecond

// killedPatience is how long Lock waits once more where the loci that held the lock
// is gone: when it was killed while it started a command, the half-made child has the
// lock too until the system gets round to ending that.
const killedPatience = 5 * time.Second

// Lock takes the lock, which the system takes back when the process ends,
// however that happens. While another loci holds it, the error has the code
// conflict and names that one.
func Lock(p Paths) (*Instance, error) {
	if err := os.MkdirAll(filepath.Dir(p.Lock), 0o700); err != nil {
		return nil, notWritten("folder", filepath.Dir(p.Lock), err)
	}
	lock := flock.New(p.Lock, flock.SetPermissions(0o600))
	held, err := tryLock(lock, lockPatience)
	if run, ill := readRun(p.RunFile); errors.Is(err, context.DeadlineExceeded) && ill == nil && gone(run.PID) {
		held, err = tryLock(lock, killedPatience)
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, conflict(p)
	}
	if err != nil || !held {
		return nil, notWritten("file", p.Lock, err)
	}
	return &Instance{lock, p.RunFile}, nil
}

func tryLock(lock *flock.Flock, patience time.Duration) (held bool, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	return lock.TryLockContext(ctx, 5*time.Millisecond)
}

// gone tells whether there is no such process any more; where nobody can say, there is.
func gone(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return true // on Windows
	}
	defer func() { _ = p.Release() }()
	return errors.Is(p.Signal(syscall.Signal(0)), os.ErrProcessDone)
}

// conflict is the error for a lock that another process holds.
func conflict(p Paths) error {
	e := loci.Errorf(loci.Conflict, "Another loci is starting on the same files.")
	if run, err := readRun(p.RunFile); err == nil {
		e = loci.Errorf(loci.Conflict, "loci is already running as process %d at %s.", run.PID, run.URL)
	}
	return e.WithHint("Use that one (loci up prints how to connect), or stop it. A second one beside it needs files and a port of its own: set LOCI_HOME to another folder, and give --listen 127.0.0.1:0.")
}

// WriteRun tells other processes how to reach this one.
func (i *Instance) WriteRun(r Run) error {
	text, err := json.Marshal(openRun{r, string(r.Key), string(r.ChatKey)})
	if err != nil {
		return err
	}
	return writeFile(i.runFile, append(text, '\n'))
}

// Close removes what WriteRun wrote and gives the lock back.
func (i *Instance) Close() error {
	err := os.Remove(i.runFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return errors.Join(err, i.lock.Close())
}

// ReadRun finds the loci that runs, and false where none does: what a killed
// one left behind does not count.
func ReadRun(p Paths) (Run, bool, error) {
	run, err := readRun(p.RunFile)
	if errors.Is(err, fs.ErrNotExist) {
		return Run{}, false, nil
	}
	if err != nil {
		return Run{}, false, err
	}
	lock := flock.New(p.Lock, flock.SetPermissions(0o600))
	free, err := lock.TryRLock()
	if err != nil {
		return Run{}, false, notWritten("file", p.Lock, err)
	}
	// A person may have replaced the key a moment ago.
	if text, err := os.ReadFile(p.Key); err == nil && run.KeyInFile {
		run.Key = Secret(strings.TrimSpace(string(text)))
	}
	return run, !free, lock.Close()
}

// readRun reads run.json, whoever wrote it.
func readRun(path string) (Run, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return Run{}, err
	}
	var r openRun
	if err := json.Unmarshal(text, &r); err != nil {
		return Run{}, loci.Wrap(loci.Internal, err, "The file %s, which says how to reach the running loci, is broken.", path).
			WithHint("Remove it, and start that loci again if there is one.")
	}
	r.Run.Key, r.Run.ChatKey = Secret(r.Key), Secret(r.ChatKey)
	return r.Run, nil
}

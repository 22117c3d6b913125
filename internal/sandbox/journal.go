package sandbox

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"loci"
	"loci/internal/where"
)

// Kept is how long the journal keeps what was deleted or written over.
const Kept = 30 * 24 * time.Hour

// nameTime is the form of a time, in UTC, in the names of what is in the journal and
// of what is written aside.
const nameTime = "20060102-150405"

// A Journal is the folder that keeps what changes took away: the trash, and what
// files had in them before they were written over. Each change has a note ID.json
// in it, which says what was there before and what is there after; the folder ID
// beside it has what was there, where anything has to be kept.
//
// Both are safe on the disk before the change happens, and are removed again when
// it fails. After a program was killed, what is at the place now tells whether the
// change was done. Without a folder nothing is kept, and nothing can be deleted.
type Journal struct{ Dir string }

// By says on whose behalf something is changed.
type By struct {
	Principal, Session, Turn, Call, Tool string
	Time                                 time.Time
	// Anew says of a write that nothing of the old content is in the new one.
	Anew bool
}

// record is the note of a change.
type record struct {
	loci.Change
	// Before and After are what was at the place and what is there then; of a move
	// After is what is at the new place. See Spot.mark.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Made   int    `json:"made,omitempty"` // folders above it that were made for it

	from string // where in the journal the content comes from; empty: it is new
	anew bool   // of By
}

// record begins the note of a change to what is there.
func (by By) record(kind loci.ChangeKind, s *Spot) record {
	r := record{anew: by.Anew, Change: loci.Change{
		Kind: kind, Path: s.real, Thing: "file", Time: loci.Time{Time: by.Time},
		Principal: by.Principal, Session: by.Session, Turn: by.Turn, Call: by.Call, Tool: by.Tool,
	}}
	if s.info != nil {
		r.Thing, r.Bytes = s.kind(), s.info.Size()
		if s.info.IsDir() {
			r.Bytes, r.Things = s.tree.Bytes, s.tree.Files+s.tree.Folders
		}
	}
	return r
}

// nothing is the mark of a free place.
const nothing = "nothing"

// markText is the mark of a file that has a content.
func markText(data []byte) string {
	sum := sha256.Sum256(data)
	return "text " + hex.EncodeToString(sum[:])
}

// mark is a state as the journal keeps it, which says the same wherever the thing
// is: without the path, and of a large file without what a copy of it changes.
func (s *Spot) mark(state State) string {
	if s.info != nil && s.info.Mode().IsRegular() && s.info.Size() > MaxText {
		return fmt.Sprint("file ", s.info.Mode(), " ", s.info.Size(), " ", s.info.ModTime().UnixNano())
	}
	return strings.TrimPrefix(string(state), s.real+"\n")
}

// Write is [Spot.Write] with a note, and keeps the old content, of at most MaxText
// bytes.
func (j *Journal) Write(ctx context.Context, s *Spot, data []byte, was State, by By) (loci.Change, error) {
	if err := s.replaceable(); err != nil {
		return loci.Change{}, s.explain(ctx, err)
	}
	return j.write(ctx, s, data, was, by.record(loci.ChangeCreated, s))
}

func (j *Journal) write(ctx context.Context, s *Spot, data []byte, was State, r record) (loci.Change, error) {
	r.Before, r.After, r.Made = s.mark(was), markText(data), len(s.missing)
	if r.Kind = loci.ChangeWritten; s.info == nil {
		r.Kind, r.Bytes = loci.ChangeCreated, int64(len(data))
	}
	return j.do(ctx, s, r, func(e *entry) error {
		if s.info != nil && e.kept != nil {
			if err := errors.Join(s.copyNew(ctx, e.kept), e.kept.Chmod(s.name, 0o600), syncDir(e.kept)); err != nil {
				return s.explain(ctx, err)
			}
		}
		if err := e.note(s, r); err != nil {
			return s.explain(ctx, err)
		}
		return s.Write(ctx, data, was)
	})
}

// Move is [Spot.Move] with a note.
func (j *Journal) Move(ctx context.Context, s, to *Spot, was, free State, by By) (loci.Change, error) {
	if err := s.CanMove(ctx, to); err != nil {
		return loci.Change{}, err
	}
	return j.move(ctx, s, to, was, free, by.record(loci.ChangeMoved, s))
}

func (j *Journal) move(ctx context.Context, s, to *Spot, was, free State, r record) (loci.Change, error) {
	r.Kind, r.To, r.Made = loci.ChangeMoved, to.real, len(to.missing)
	r.Before = s.mark(was)
	r.After = r.Before
	return j.do(ctx, s, r, func(e *entry) error {
		if err := e.note(s, r); err != nil {
			return s.explain(ctx, err)
		}
		return s.Move(ctx, to, was, free)
	})
}

// entry is a change that is under way.
type entry struct {
	bin  *os.Root // the journal
	kept *os.Root // what is kept of this change; nil: nothing has to be
	id   string
	// moved says that what is kept is the thing itself and no copy.
	moved bool
}

// do makes a change for which act is responsible: it writes the note before the
// change, and makes it. If nothing came of that, no note stays either.
func (j *Journal) do(ctx context.Context, s *Spot, r record, act func(*entry) error) (_ loci.Change, err error) {
	e, err := j.begin(s, r)
	if err != nil {
		return loci.Change{}, s.explain(ctx, err)
	}
	kept := ""
	if e.kept != nil {
		kept = filepath.Join(where.Real(j.Dir), e.id, s.name)
	}
	w, err := s.f.begin(ctx, s, r, kept)
	if err != nil {
		return loci.Change{}, errors.Join(err, e.drop(""))
	}
	s.acted = false
	err = act(e)
	if err != nil && !s.acted {
		w.cancel(ctx)
		return loci.Change{}, errors.Join(err, e.drop(s.name))
	}
	w.end(ctx, err)
	r.ID = e.id
	return r.Change, errors.Join(err, e.close())
}

// begin makes the folder for what a change takes away. Nobody else may look into
// the journal.
func (j *Journal) begin(s *Spot, r record) (*entry, error) {
	if j.Dir == "" && r.Kind != loci.ChangeDeleted {
		return &entry{}, nil
	}
	bin, err := openTrash(j.Dir)
	if err != nil {
		return nil, errors.Join(&loci.ToolError{
			Message:    fmt.Sprintf("%s was not changed: the trash, which keeps what was there, cannot be opened: %s.", quote(s.shown), reason(err)),
			Suggestion: "Tell the person.",
			ForPerson:  "Check the folder " + j.Dir + ".",
		}, err)
	}
	e := &entry{bin: bin, id: entryName(r.Time.Time), moved: r.Kind == loci.ChangeDeleted}
	if r.Kind != loci.ChangeWritten && r.Kind != loci.ChangeDeleted {
		return e, nil
	}
	if err = s.before("mkdir"); err == nil {
		err = bin.Mkdir(e.id, 0o700)
	}
	if err == nil {
		e.kept, err = bin.OpenRoot(e.id)
	}
	if err != nil {
		return nil, errors.Join(err, e.drop(""))
	}
	return e, nil
}

// note writes down what is about to be done, for good.
func (e *entry) note(s *Spot, r record) error {
	if e.bin == nil {
		return nil
	}
	r.ID = e.id
	text, err := json.Marshal(r)
	if err == nil {
		err = s.before("write")
	}
	if err != nil {
		return err
	}
	file, err := e.bin.OpenFile(e.id+".json", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Sync(), file.Close(), syncDir(e.bin))
}

// close ends a change.
func (e *entry) close() error {
	if e.kept != nil {
		_ = e.kept.Close() // what was written there is safe, or was dropped
	}
	if e.bin == nil {
		return nil
	}
	return e.bin.Close()
}

// drop ends a change that did not happen: nothing of it stays, except what else
// has come into its folder. copied is the name that a copy may have there.
func (e *entry) drop(copied string) error {
	if e.bin == nil {
		return nil
	}
	empty := true
	if e.kept != nil {
		if copied != "" && !e.moved {
			_ = e.kept.Remove(copied)
		}
		empty = e.bin.Remove(e.id) == nil
	}
	if empty { // else it is purged later
		_ = e.bin.Remove(e.id + ".json")
	}
	return e.close()
}

// lastEntry is the newest name in the journal: names are in the order of time, also
// of changes that come faster than the clock goes.
var lastEntry struct {
	sync.Mutex
	second, micro int64
}

// entryName makes the name of a change: the second, in it the microsecond, and a
// random part for the case that a clock was put back.
func entryName(now time.Time) string {
	lastEntry.Lock()
	defer lastEntry.Unlock()
	micro := int64(now.Nanosecond() / 1000)
	if now.Unix() == lastEntry.second {
		micro = max(micro, lastEntry.micro+1)
	}
	lastEntry.second, lastEntry.micro = now.Unix(), micro
	var b [2]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%s-%05x%03x", now.UTC().Format(nameTime), micro&0xfffff, binary.BigEndian.Uint16(b[:])&0xfff)
}

// List gives the changes that want lets through, the newest first, most of them at
// the most. A note that cannot be read is left out.
func (j *Journal) List(most int, want func(loci.Change) bool) ([]loci.Change, error) {
	bin, names, err := j.names()
	if bin == nil || err != nil {
		return nil, err
	}
	defer bin.Close() // only looked at
	var list []loci.Change
	for _, id := range slices.Backward(names) {
		if len(list) == most {
			break
		}
		if r, err := readNote(bin, id); err == nil && want(r.Change) {
			list = append(list, r.Change)
		}
	}
	return list, nil
}

// names are those of all changes, oldest first; without a journal there is none.
func (j *Journal) names() (bin *os.Root, names []string, err error) {
	bin, err = os.OpenRoot(j.Dir)
	if errors.Is(err, fs.ErrNotExist) || j.Dir == "" {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	names, err = entries(bin, func(time.Time) bool { return true })
	if err != nil {
		return nil, nil, errors.Join(err, bin.Close())
	}
	return bin, names, nil
}

// Change gives one change; fs.ErrNotExist if there is none of that name.
func (j *Journal) Change(id string) (loci.Change, error) {
	bin, r, err := j.open(id)
	if err != nil {
		return loci.Change{}, err
	}
	return r.Change, bin.Close()
}

// open finds the note of a change.
func (j *Journal) open(id string) (*os.Root, record, error) {
	if form := trashName.FindStringSubmatch(id); form == nil || form[1] != id || j.Dir == "" {
		return nil, record{}, fs.ErrNotExist // an id becomes a file name
	}
	bin, err := os.OpenRoot(j.Dir)
	if err != nil {
		return nil, record{}, err
	}
	r, err := readNote(bin, id)
	if err != nil {
		return nil, r, errors.Join(err, bin.Close())
	}
	return bin, r, nil
}

// maxNote is how large a note can be: two paths, and little else.
const maxNote = 64 << 10

func readNote(bin *os.Root, id string) (r record, err error) {
	info, err := bin.Lstat(id + ".json")
	if err != nil {
		return r, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxNote {
		return r, errors.New("no note")
	}
	text, err := bin.ReadFile(id + ".json")
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	if err != nil {
		return r, err
	}
	switch r.Kind {
	case "file", "folder", "link": // a deletion, as it was noted when nothing else was
		r.Kind, r.Thing = loci.ChangeDeleted, string(r.Kind)
	case loci.ChangeCreated, loci.ChangeWritten, loci.ChangeMoved, loci.ChangeDeleted:
	default:
		return r, errors.New("no note")
	}
	if r.ID = id; !filepath.IsAbs(r.Path) {
		return r, errors.New("no note")
	}
	return r, nil
}

// rewrite puts another note in the place of an old one, in one step.
func rewrite(bin *os.Root, r record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	fresh := r.ID + ".new"
	file, err := bin.OpenFile(fresh, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err == nil {
		err = bin.Rename(fresh, r.ID+".json")
	}
	return errors.Join(err, syncDir(bin))
}

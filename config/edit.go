// Changes of the user's file. Rules:
//
//   - Only the lines of the keys change: comments, order, line ends and everything else stay. A default that stands behind a
//     # in its section, as config init writes it, makes way for the value.
//   - What would be written is read as strictly as at the start, and has to say what was asked for and nothing else.
//   - The file is replaced whole or not at all, and only while it is what it was when the change was made ready. Its lock
//     is held meanwhile, so that of two writers one writes and the other is told.

package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"syscall"

	"github.com/aymanbagabas/go-udiff"
)

// Change is a key of the user's file that gets another value.
type Change struct {
	Key   string // dotted ([Path])
	Value string // YAML, on one line
	Unset bool   // the key goes from the file; Value is what it has then
}

// Edit is a change of the user's file that was made ready.
type Edit struct {
	Path  string
	New   bool   // there is no such file yet
	Lines []Line // that change, in the order of the file

	before, after []byte
}

// Line is a line of the file that goes or comes.
type Line struct {
	Number int // 1-based: of one that goes before the change, of one that comes after it
	Added  bool
	Text   string
}

// ErrChanged says that a file is no longer what it was when the change was made ready.
var ErrChanged = errors.New("the file was changed meanwhile: nothing was written")

// ErrBusy says that another program is writing to a file.
var ErrBusy = errors.New("another program is writing to it: nothing was written; try again")

// NewEdit makes a change of a file ready; preset is as in [LoadOptions]. The error is [Problems] where the file, or the file
// with the change, has mistakes.
func NewEdit(path string, changes []Change, preset func(name string) (Compaction, bool)) (Edit, error) {
	before, found, problem := readFile(path, false)
	if problem != nil {
		return Edit{}, Problems{problem}
	}
	e := Edit{Path: path, New: !found, before: before}
	text, problem := checkText(path, before)
	if problem != nil {
		return Edit{}, Problems{problem}
	}
	want, err := intended(path, text, changes, preset)
	if err != nil {
		return Edit{}, err
	}
	after, marked := strings.CutPrefix(string(before), byteOrderMark)
	for _, c := range changes {
		if after, err = changed(path, after, c); err != nil {
			return Edit{}, err
		}
	}
	got, err := parseWith(path, []byte(after), preset)
	if err != nil {
		return Edit{}, err
	}
	if !reflect.DeepEqual(got, want) {
		return Edit{}, fmt.Errorf("%s is written in a way that cannot be changed here: change it by hand", path)
	}
	if e.Lines, err = lineChanges(text, plainEnds(after)); err != nil {
		return Edit{}, err
	}
	if marked {
		after = byteOrderMark + after
	}
	e.after = []byte(after)
	return e, nil
}

// intended is the configuration of a file once some keys have other values.
func intended(path, text string, changes []Change, preset func(name string) (Compaction, bool)) (Config, error) {
	src, root, problems := parseDocument(path, []byte(text))
	l := &loading{Loaded: Loaded{Config: Default(), Origins: map[string]Origin{}}}
	var set []string
	for _, c := range changes {
		segments, _, err := cutPath(c.Key + "=")
		if err != nil {
			return Config{}, fmt.Errorf("the key %s: %w", c.Key, err)
		}
		root = without(root, segments)
		if !c.Unset {
			set = append(set, c.Key+"="+c.Value)
		}
	}
	l.apply(LayerUser, src, root, problems, func(d *decoder, root *node) { d.document(root, &l.Config) })
	l.overrides(LayerOverride, set)
	l.finish(preset)
	return l.Config, l.problems.err()
}

// without is a tree without a key.
func without(n *node, segments []string) *node {
	if n == nil || n.kind != tableNode {
		return n
	}
	out := *n
	out.entries = slices.Clone(n.entries)
	for i, e := range out.entries {
		switch {
		case e.key != segments[0]:
		case len(segments) == 1:
			out.entries = slices.Delete(out.entries, i, i+1)
			return &out
		default:
			out.entries[i].value = without(e.value, segments[1:])
		}
	}
	return &out
}

// Write writes the change. The error is [ErrChanged] where the file is another one by now, and [ErrBusy] where another
// program is writing to it: it waits for none, as what that one writes makes this change void.
func (e Edit) Write() error {
	locked, err := os.OpenFile(e.Path, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe by now makes nobody wait
	switch {
	case errors.Is(err, fs.ErrNotExist) && e.New:
		return WriteInit(e.Path, e.after)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", e.Path, ErrChanged)
	case err != nil:
		return fmt.Errorf("write the configuration: %w", err)
	}
	defer unlock(locked)
	if !lock(locked) {
		return fmt.Errorf("%s: %w", e.Path, ErrBusy)
	}
	now, found, problem := readFile(e.Path, false)
	if problem != nil {
		return Problems{problem}
	}
	path, err := filepath.EvalSymlinks(e.Path)
	opened, err2 := locked.Stat()
	named, err3 := os.Stat(path)
	if err := errors.Join(err, err2, err3); err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	if e.New || !found || !os.SameFile(opened, named) || !bytes.Equal(now, e.before) {
		return fmt.Errorf("%s: %w", e.Path, ErrChanged)
	}
	mode := named.Mode().Perm()
	// One name, as nobody else writes: the next write removes what a killed one leaves.
	temporary := filepath.Join(filepath.Dir(path), ".plimsoll-"+filepath.Base(path))
	if err := os.Remove(temporary); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("write the configuration: %w", err)
	}
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("write the configuration: %w", err)
	}
	_, err = f.Write(e.after)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(f.Name()))
	}
	return nil
}

// lock takes the lock of a file unless another has it. Where a file system has no locks, the comparison has to do.
func lock(f *os.File) bool {
	return !errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// unlock releases the lock before closing: a child between fork and exec still has the descriptor.
func unlock(f *os.File) {
	_ = syscall.Flock(int(f.Fd()), syscall.LOCK_UN) // closing releases it too
	_ = f.Close()                                   // nothing was written
}

// lineChanges are the lines in which two texts differ.
func lineChanges(before, after string) ([]Line, error) {
	before, after = strings.TrimSuffix(before, "\n")+"\n", strings.TrimSuffix(after, "\n")+"\n" // an end that comes is no change
	changes, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), 0)
	if err != nil {
		return nil, fmt.Errorf("compare the file with its change: %w", err)
	}
	var out []Line // without empty ones
	for _, hunk := range changes.Hunks {
		from, to := hunk.FromLine, hunk.ToLine
		for _, l := range hunk.Lines {
			line := Line{Number: from, Added: l.Kind == udiff.Insert, Text: strings.TrimSuffix(l.Content, "\n")}
			if line.Added {
				line.Number = to
				to++
			} else {
				from++
			}
			if line.Text != "" {
				out = append(out, line)
			}
		}
	}
	return out, nil
}

package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/conversation"
	"plimsoll/tools/checkpoint"
	"plimsoll/tools/workspace"
)

// rig is a workspace, its store, and the log of a conversation that changes it.
type rig struct {
	t interface {
		Helper()
		Fatal(...any)
	}
	dir   string
	files *workspace.Files
	store *checkpoint.Store
	log   conversation.Log
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir()}
	r.open(filepath.Join(t.TempDir(), "kept"))
	t.Cleanup(func() { _ = r.files.Close() })
	return r
}

func (r *rig) open(kept string) {
	r.t.Helper()
	files, err := workspace.Open(r.dir)
	r.must(err)
	r.files, r.store = files, checkpoint.NewStore(kept)
}

func (r *rig) must(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) record(_ context.Context, b conversation.Body) error {
	return r.log.Commit(r.log.Prepare(time.Unix(0, 0), b))
}

// say begins a turn.
func (r *rig) say(text string) {
	r.must(r.record(context.Background(), conversation.UserMessage{Text: text}))
}

// edit changes a file as a tool does.
func (r *rig) edit(name, after string) {
	r.t.Helper()
	p, err := r.files.Locate(name)
	r.must(err)
	c := checkpoint.Change{Path: p, After: after}
	if c.Now, err = r.files.Stat(p); errors.Is(err, fs.ErrNotExist) {
		c.Now = nil
	} else {
		c.Before, err = r.files.Content(p)
		r.must(err)
	}
	k := &checkpoint.Keeper{Store: r.store, Record: r.record}
	r.must(k.BeforeChange(context.Background(), "modify_file", c))
	r.must(r.files.Restore(p, after, 0))
}

// write changes a file as somebody else does.
func (r *rig) write(name, text string) {
	r.t.Helper()
	full := filepath.Join(r.dir, name)
	r.must(os.MkdirAll(filepath.Dir(full), 0o700))
	r.must(os.WriteFile(full, []byte(text), 0o600))
}

// content is what the workspace has, by path.
func (r *rig) content() map[string]string {
	r.t.Helper()
	all := map[string]string{}
	r.must(filepath.WalkDir(r.dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(r.dir, name)
		all[filepath.ToSlash(rel)] = string(text)
		return err
	}))
	return all
}

func (r *rig) rewinder() checkpoint.Rewinder {
	return checkpoint.Rewinder{Store: r.store, Files: r.files}
}

// rewind brings the files back to what they were before a turn.
func (r *rig) rewind(turn int, foreign bool) checkpoint.Outcome {
	r.t.Helper()
	p, err := r.rewinder().Plan(context.Background(), r.log.Events(), turn)
	r.must(err)
	out, err := r.rewinder().Apply(context.Background(), p, foreign, r.record)
	r.must(err)
	return out
}

func (r *rig) redo() checkpoint.Outcome {
	r.t.Helper()
	p, err := r.rewinder().PlanRedo(context.Background(), r.log.Events())
	r.must(err)
	out, err := r.rewinder().Apply(context.Background(), p, false, r.record)
	r.must(err)
	return out
}

func (r *rig) expect(want map[string]string) {
	r.t.Helper()
	if d := cmp.Diff(want, r.content()); d != "" {
		r.t.Fatal(d)
	}
}

func TestFilesAreBroughtBackToATurnAndAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.write("a.txt", "one")
	r.must(os.Chmod(filepath.Join(r.dir, "a.txt"), 0o755))
	r.say("0")
	r.edit("a.txt", "two")
	r.say("1")
	r.edit("a.txt", "three")
	r.edit("sub/new.txt", "new")
	after := map[string]string{"a.txt": "three", "sub/new.txt": "new"}
	r.rewind(1, false)
	r.expect(map[string]string{"a.txt": "two"})
	r.redo()
	r.expect(after)
	if out := r.redo(); len(out.Done) > 0 {
		t.Errorf("a redo was redone: %v", out)
	}
	r.rewind(0, false)
	r.expect(map[string]string{"a.txt": "one"})
	r.say("2")
	if out := r.redo(); len(out.Done) > 0 {
		t.Errorf("redone after a message: %v", out)
	}
	if st, err := os.Stat(filepath.Join(r.dir, "a.txt")); err != nil || st.Mode().Perm() != 0o755 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
}

func TestWhatSomebodyElseChangedStaysWithoutAYes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.write("a.txt", "one")
	r.write("b.txt", "b")
	r.say("0")
	r.edit("a.txt", "two")
	r.edit("b.txt", "bb")
	r.write("a.txt", "mine\n")
	p, err := r.rewinder().Plan(t.Context(), r.log.Events(), 0)
	r.must(err)
	if len(p.Files) != 2 || !p.Files[0].Foreign || p.Files[1].Foreign || !strings.Contains(p.Files[0].Diff, "-mine\n") {
		t.Fatalf("the plan is %+v", p.Files)
	}
	out := r.rewind(0, false)
	r.expect(map[string]string{"a.txt": "mine\n", "b.txt": "b"})
	if want := "1 file brought back: b.txt; a.txt was left as it is: somebody else changed it"; out.Text() != want {
		t.Errorf("%q", out.Text())
	}
	r.rewind(0, true)
	r.expect(map[string]string{"a.txt": "one", "b.txt": "b"})
	r.redo() // also what somebody else wrote is not lost
	r.expect(map[string]string{"a.txt": "mine\n", "b.txt": "b"})
}

func TestWhatIsNotKeptIsTold(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.write("a.txt", "one")
	r.write("large.txt", strings.Repeat("x", 16<<20+1))
	r.say("0")
	r.edit("a.txt", "two")
	p, err := r.files.Locate("large.txt")
	r.must(err)
	st, err := r.files.Stat(p)
	r.must(err)
	r.must((&checkpoint.Keeper{Store: r.store, Record: r.record}).BeforeChange(t.Context(), "create_file", checkpoint.Change{Path: p, Now: st, After: "small"}))
	r.must(r.files.Replace(p, "small"))
	r.must(r.store.Prune(0, 0))
	out := r.rewind(0, false)
	want := []checkpoint.Left{{Path: "a.txt", Why: checkpoint.ErrGone.Error()}, {Path: "large.txt", Why: "what was in it was too large to keep"}}
	if d := cmp.Diff(want, out.Left); d != "" || len(out.Done) > 0 {
		t.Error(d, out.Done)
	}
	r.expect(map[string]string{"a.txt": "two", "large.txt": "small"})
}

func TestAChangeThatCannotBeKeptIsNotMade(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	p, err := r.files.Locate("a.txt")
	r.must(err)
	k := &checkpoint.Keeper{Store: r.store, Record: func(context.Context, conversation.Body) error { return errors.New("disk full") }}
	if err := k.BeforeChange(t.Context(), "create_file", checkpoint.Change{Path: p, After: "x"}); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("the error is %v", err)
	}
	if err := (*checkpoint.Keeper)(nil).BeforeChange(t.Context(), "create_file", checkpoint.Change{Path: p}); err != nil {
		t.Errorf("without checkpoints: %v", err)
	}
}

// A rewind that ends before any of its steps leaves every file as before or brought back, says which, and can be done again.
func TestARewindThatEndsAtAnyStepSaysWhichFilesItReached(t *testing.T) {
	t.Parallel()
	before := map[string]string{"changed": "old", "sub/gone": "old", "other": strings.Repeat("old\n", 5000)}
	after := map[string]string{"changed": "new", "made": "new", "other": "new"}
	stop, ended := 1, false
	for ; !ended; stop++ {
		r := newRig(t)
		for name, text := range before {
			r.write(name, text)
		}
		r.say("0")
		for name := range before {
			r.edit(name, "new")
		}
		r.edit("made", "new")
		r.must(os.RemoveAll(filepath.Join(r.dir, "sub"))) // its folder has to be made again
		ended = r.rewindUntil(stop)
		now := r.content()
		maps.DeleteFunc(now, func(name, _ string) bool { return strings.HasSuffix(name, ".tmp") })
		done, left := r.rewinder().Unfinished(t.Context(), r.log.Events())
		for _, name := range []string{"changed", "sub/gone", "other", "made"} {
			switch {
			case now[name] != before[name] && now[name] != after[name]:
				t.Fatalf("step %d: %s is neither as before nor brought back: %.40q", stop, name, now[name])
			case len(done)+len(left) > 0 && slices.Contains(done, name) != (now[name] == before[name]):
				t.Errorf("step %d: brought back %v, left %v, and %s is %.40q", stop, done, left, name, now[name])
			case len(done)+len(left) == 0 && !ended && now[name] != after[name] && !slices.ContainsFunc(r.log.Events(), isNotice):
				t.Errorf("step %d: %s was brought back and nothing says so", stop, name)
			}
		}
		if out := r.rewind(0, true); len(out.Left) > 0 {
			t.Errorf("step %d: the second rewind left %v", stop, out.Left)
		}
		if d := cmp.Diff(before, r.content()); d != "" { // incomplete files of the first rewind are gone, too
			t.Fatalf("step %d: %s", stop, d)
		}
	}
	if stop < 24 {
		t.Errorf("the rewind has only %d steps", stop)
	}
}

func isNotice(e conversation.Event) bool { return e.Body.Kind() == conversation.KindNotice }

// rewindUntil rewinds to the first turn and ends before a step, as a crash does; true if it comes to its end. The steps are those in
// the workspace, and before and after each event that is recorded.
func (r *rig) rewindUntil(stop int) (ended bool) {
	type crash struct{}
	steps := 0
	step := func() {
		if steps++; steps == stop {
			panic(crash{})
		}
	}
	defer func() {
		r.files.Step = nil
		if problem := recover(); problem != nil && problem != (crash{}) {
			panic(problem)
		}
	}()
	p, err := r.rewinder().Plan(context.Background(), r.log.Events(), 0)
	r.must(err)
	r.files.Step = step
	_, err = r.rewinder().Apply(context.Background(), p, true, func(ctx context.Context, b conversation.Body) error {
		step()
		err := r.record(ctx, b)
		step()
		return err
	})
	r.must(err)
	return true
}

func TestHostileLogsReachNothingOutside(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.say("0")
	r.must(r.record(context.Background(), conversation.Checkpoint{Files: []conversation.FileVersion{{Path: "../../outside", From: "../../etc/passwd"}, {Path: "x", From: "x"}}}))
	if out := r.rewind(0, true); len(out.Done) > 0 || len(out.Left) != 2 {
		t.Errorf("%+v", out)
	}
}

func TestTheOldestContentsGoFirst(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := checkpoint.NewStore(dir)
	var hashes []string
	for i := range 4 {
		hash, err := s.Put(fmt.Sprint("content ", i))
		if err != nil {
			t.Fatal(err)
		}
		old := time.Now().Add(time.Duration(i-10) * time.Hour)
		if err := os.Chtimes(filepath.Join(dir, hash[:2], hash[2:]+".zst"), old, old); err != nil {
			t.Fatal(err)
		}
		hashes = append(hashes, hash)
	}
	if _, err := s.Put("content 0"); err != nil { // it counts as new again
		t.Fatal(err)
	}
	if err := s.Prune(8*time.Hour+30*time.Minute, 1<<20); err != nil {
		t.Fatal(err)
	}
	for i, kept := range []bool{true, false, true, true} {
		if _, err := s.Get(hashes[i]); (err == nil) != kept || err != nil && err != checkpoint.ErrGone {
			t.Errorf("content %d: %v", i, err)
		}
	}
	if n, size, err := s.Size(); n != 3 || size == 0 || err != nil {
		t.Errorf("%d contents of %d bytes: %v", n, size, err)
	}
	if n, _, err := checkpoint.NewStore(filepath.Join(dir, "none")).Size(); n != 0 || err != nil {
		t.Errorf("a store that is not there has %d contents: %v", n, err)
	}
}

// Random edits, rewinds, redos and changes by somebody else end in what a simple model predicts.
func TestRandomRewindsEndAsTheModelPredicts(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	runs := 0
	rapid.Check(t, func(t *rapid.T) {
		runs++
		r := &rig{t: t, dir: filepath.Join(base, fmt.Sprint("w", runs))}
		r.must(os.MkdirAll(r.dir, 0o700))
		r.open(filepath.Join(base, fmt.Sprint("k", runs)))
		defer func() { _ = r.files.Close() }()
		m := &model{now: map[string]string{}}
		begin := func() {
			m.turn, m.undo = m.turn+1, nil
			r.say("next")
		}
		m.turn = -1
		begin()
		for range rapid.IntRange(3, 12).Draw(t, "steps") {
			name := rapid.SampledFrom([]string{"a", "b", "d/c"}).Draw(t, "name")
			text := rapid.SampledFrom([]string{"1", "2", "3\n4", "\xff\x00"}).Draw(t, "text")
			switch rapid.SampledFrom([]string{"edit", "edit", "say", "else", "rewind", "redo"}).Draw(t, "what") {
			case "edit":
				r.edit(name, text)
				m.change([]change{{name, m.now[name], text}})
				m.undo = nil
			case "say":
				begin()
			case "else":
				r.write(name, text)
				m.now[name] = text
			case "rewind":
				turn := rapid.IntRange(0, m.turn).Draw(t, "turn")
				if out := r.rewind(turn, true); len(out.Left) > 0 {
					t.Fatal(out.Text())
				}
				m.rewind(turn)
			case "redo":
				r.redo()
				m.redo()
			}
			maps.DeleteFunc(m.now, func(_, text string) bool { return text == "" })
			r.expect(m.now)
		}
	})
}

// change is a change of a file; an empty text is no file.
type change struct{ path, from, to string }

// model predicts what files have.
type model struct {
	now  map[string]string
	turn int
	log  []struct {
		change
		turn int
	}
	undo []change // of the newest rewind
}

func (m *model) change(all []change) {
	for _, c := range all {
		m.now[c.path] = c.to
		m.log = append(m.log, struct {
			change
			turn int
		}{c, m.turn})
	}
}

func (m *model) rewind(turn int) {
	var all []change
	seen := map[string]bool{}
	for _, c := range m.log {
		if c.turn >= turn && !seen[c.path] {
			seen[c.path] = true
			if m.now[c.path] != c.from {
				all = append(all, change{c.path, m.now[c.path], c.from})
			}
		}
	}
	if m.change(all); len(all) > 0 {
		m.undo = all
	}
}

func (m *model) redo() {
	var all []change
	for _, c := range m.undo {
		if m.now[c.path] == c.to && c.to != c.from {
			all = append(all, change{c.path, c.to, c.from})
		}
	}
	if m.change(all); len(all) > 0 {
		m.undo = nil
	}
}

// What is saved while a rewind is recorded is left as it is.
func TestWhatIsSavedDuringARewindStays(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.write("a.txt", "one")
	r.say("0")
	r.edit("a.txt", "two")
	p, err := r.rewinder().Plan(t.Context(), r.log.Events(), 0)
	r.must(err)
	out, err := r.rewinder().Apply(t.Context(), p, false, func(ctx context.Context, b conversation.Body) error {
		r.write("a.txt", "just now")
		return r.record(ctx, b)
	})
	r.must(err)
	if len(out.Done) > 0 || len(out.Left) != 1 {
		t.Error(out.Text())
	}
	r.expect(map[string]string{"a.txt": "just now"})
}

package screen

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"plimsoll/tui"
)

// noSuchProcess is a process ID that cannot exist.
const noSuchProcess = 1 << 30

func TestDraftsAreKeptUntilTheyAreSent(t *testing.T) {
	t.Parallel()
	s := drafts{files: map[string]string{}}
	dir := filepath.Join(t.TempDir(), "drafts")
	early, stored := filepath.Join(dir, "new-a-1.json"), filepath.Join(dir, "a.json")
	want := tui.Draft{Text: "half a thought", Stashed: "for later"}
	if err := s.storeDraft("a", early, want); err != nil {
		t.Fatal(err)
	}
	next := drafts{files: map[string]string{}} // as in a later run
	if got := next.readDraft("a", early); got != want {
		t.Errorf("read back: %+v", got)
	}
	if st, err := os.Stat(early); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", st.Mode(), err)
	}
	// Now the conversation is stored.
	if err := s.storeDraft("a", stored, want); err != nil {
		t.Fatal(err)
	}
	if got := next.readDraft("a", early); got != (tui.Draft{}) {
		t.Errorf("the draft is stored twice: %+v", got)
	}
	if err := s.storeDraft("a", stored, tui.Draft{}); err != nil {
		t.Fatal(err)
	}
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("still stored: %v", left)
	}
}

func TestADamagedDraftIsIgnored(t *testing.T) {
	t.Parallel()
	s := drafts{files: map[string]string{}}
	path := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(path, []byte(`{"Text":"ha`), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := s.readDraft("a", path); got != (tui.Draft{}) {
		t.Errorf("%+v", got)
	}
}

// A new conversation takes over the draft of a process that has ended, and never that of a running one.
func TestADraftOfAnEndedProcessIsTakenOver(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		of   string
		pid  int
		want string
	}{
		"gone":               {"new-here", noSuchProcess, "left behind"},
		"alive":              {"new-here", os.Getppid(), ""},
		"of another folder":  {"new-there", noSuchProcess, ""},
		"no process at all":  {"new-here", 0, ""},
		"of this one, later": {"new-here", 7, "own"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "a[1]")
			own := filepath.Join(dir, "new-here-7.json")
			s := drafts{files: map[string]string{}}
			err := s.storeDraft("x", filepath.Join(dir, fmt.Sprintf("%s-%d.json", c.of, c.pid)), tui.Draft{Text: "left behind"})
			if c.pid == 7 {
				err = s.storeDraft("y", own, tui.Draft{Text: "own"})
			}
			if err != nil {
				t.Fatal(err)
			}
			s.claimDraft(filepath.Join(dir, "new-here"), own)
			if got := s.readDraft("y", own); got.Text != c.want {
				t.Errorf("%+v", got)
			}
		})
	}
}

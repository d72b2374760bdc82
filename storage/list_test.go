package storage_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"plimsoll/conversation"
	"plimsoll/storage"
)

func entryIDs(entries []storage.Entry) []string {
	var out []string
	for _, e := range entries {
		out = append(out, e.ID)
	}
	return out
}

func list(t testing.TB, s *storage.Store, f storage.Filter) []storage.Entry {
	t.Helper()
	entries, err := s.List(t.Context(), f)
	must(t, err)
	return entries
}

func TestListSummarisesConversations(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "  what is\n\tin this project?  ")
	c.add(reply("a ship"), conversation.UserMessage{Text: "and now?"})
	got := list(t, s, storage.Filter{})
	want := []storage.Entry{{
		ID: idA, Workspace: "/w", Model: "demo/demo-1", FirstMessage: "what is in this project?",
		Created: start, Updated: start.Add(time.Second), Turns: 2, Events: 3, Bytes: got[0].Bytes,
	}}
	if got[0].Bytes < 1000 {
		t.Errorf("the file has %d bytes, want 1000 at least", got[0].Bytes)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
	if h := got[0].Heading(); h != "what is in this project?" {
		t.Errorf("the heading is %q, want the first question", h)
	}
	c.add(conversation.Renamed{Title: "A ship"}, conversation.ModelChanged{Provider: "openai", Model: "x"})
	if got := list(t, s, storage.Filter{})[0]; got.Heading() != "A ship" || got.Model != "openai/x" {
		t.Errorf("the renamed conversation is listed as %+v", got)
	}
}

func TestListIsNewestFirstAndFiltered(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	a := begin(t, s, idA, "/w", "one")
	b := begin(t, s, idB, "/v", "two")
	c := begin(t, s, idC, "/w", "three")
	c.add(reply("1"))
	b.add(reply("1"), reply("2"))
	b.add(reply("3"))
	a.close()
	for _, c := range []struct {
		filter storage.Filter
		want   []string
	}{
		{storage.Filter{}, []string{idB, idC, idA}},
		{storage.Filter{Workspace: "/w"}, []string{idC, idA}},
		{storage.Filter{Limit: 1}, []string{idB}},
		{storage.Filter{Workspace: "/nowhere"}, nil},
	} {
		if diff := cmp.Diff(c.want, entryIDs(list(t, s, c.filter))); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.filter, diff)
		}
	}
}

// Modification times have a resolution of some milliseconds, so
// two changes may have the same time.
func TestListSeesAChangeInTheSameTick(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "hello")
	now := time.Now().Add(time.Hour) // in the future, so that it counts as recent however slow the test is
	for range 3 {
		c.add(reply("hi"))
		must(t, os.Chtimes(filepath.Join(s.Dir(), "conversations", idA+".db"), now, now))
		if got := list(t, s, storage.Filter{})[0].Events; got != c.log.Len() {
			t.Errorf("%d events listed, %d are stored", got, c.log.Len())
		}
	}
}

// However the index is lost or damaged, the list stays
// the same.
func TestListRepairsTheIndex(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, dir string){
		"missing": func(t *testing.T, dir string) { must(t, os.Remove(filepath.Join(dir, "index.db"))) },
		"empty":   func(t *testing.T, dir string) { must(t, os.Truncate(filepath.Join(dir, "index.db"), 0)) },
		"cut":     func(t *testing.T, dir string) { must(t, os.Truncate(filepath.Join(dir, "index.db"), 9000)) },
		"rubbish": func(t *testing.T, dir string) {
			must(t, os.WriteFile(filepath.Join(dir, "index.db"), []byte(strings.Repeat("rubbish", 10_000)), 0o600))
		},
		"a file deleted": func(t *testing.T, dir string) {
			must(t, os.Remove(filepath.Join(dir, "conversations", idC+".db")))
		},
		"a file changed": func(t *testing.T, dir string) {
			must(t, os.Chtimes(filepath.Join(dir, "conversations", idA+".db"), start, start))
		},
		"strange files": func(t *testing.T, dir string) {
			must(t, os.WriteFile(filepath.Join(dir, "conversations", "notes.txt"), nil, 0o600))
			must(t, os.WriteFile(filepath.Join(dir, "conversations", "short.db"), nil, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			s := reopenStore(t, dir, storage.Options{})
			for i, id := range []string{idC, idB, idA} {
				c := begin(t, s, id, "/w", "hello")
				for range i {
					c.add(reply("hi"))
				}
				c.close()
			}
			before := list(t, s, storage.Filter{})
			spoil(t, dir)
			if name == "a file deleted" {
				before = before[:2]
			}
			for range 2 {
				if diff := cmp.Diff(before, list(t, s, storage.Filter{})); diff != "" {
					t.Errorf("list (-before +after):\n%s", diff)
				}
			}
			checkFile(t, filepath.Join(dir, "index.db"))
			findings, err := s.Check(t.Context(), nil)
			if err != nil || len(findings) > 0 {
				if name != "strange files" {
					t.Errorf("check found %+v, %v", findings, err)
				}
			}
		})
	}
}

// tester is a test, a benchmark or a property test.
type tester interface {
	Helper()
	Fatal(args ...any)
}

func must(t tester, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	_, _, err := s.Newest(t.Context(), "/w")
	wantError(t, err, storage.ErrNotFound)
	begin(t, s, idA, "/w", "one").close()
	begin(t, s, idB, "/v", "two").add(reply("hi"))
	begin(t, s, idC, "/v", "three").close()
	for prefix, want := range map[string]string{idA: idA, "zzzz": idC, "AAAAb": idA, " aaaad ": idB} {
		if got, err := s.Resolve(t.Context(), prefix); err != nil || got != want {
			t.Errorf("Resolve(%q) = %q, %v, want %q", prefix, got, err, want)
		}
	}
	for workspace, want := range map[string]string{"/w": idA, "/v": idB, "/nowhere": idB, "": idB} {
		if got, _, err := s.Newest(t.Context(), workspace); err != nil || got != want {
			t.Errorf("Newest(%q) = %q, %v, want %q", workspace, got, err, want)
		}
	}
	for _, c := range []struct {
		prefix     string
		matches    int
		candidates []string
	}{
		{"zzz", 1, []string{idC}},
		{"aaaa", 2, []string{idB, idA}}, {"aa", 2, []string{idB, idA}},
		{"nope", 0, []string{idB, idA, idC}},
		{"../../etc/passwd", 0, []string{idB, idA, idC}},
	} {
		_, err := s.Resolve(t.Context(), c.prefix)
		var e *storage.AmbiguousError
		if !errors.As(err, &e) || e.Matches != c.matches || !cmp.Equal(entryIDs(e.Candidates), c.candidates, cmpopts.EquateEmpty()) {
			t.Errorf("Resolve(%q): %v", c.prefix, err)
		}
		if errors.Is(err, storage.ErrNotFound) != (c.matches == 0) {
			t.Errorf("Resolve(%q): not found is %v", c.prefix, errors.Is(err, storage.ErrNotFound))
		}
	}
}

// A damaged conversation of the requested workspace is not skipped if it is the newest: the user means it, so Newest
// fails. One whose workspace is unknown is skipped.
func TestNewestReportsADamagedConversation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		listed    bool // before it was damaged
		workspace string
		refused   bool
	}{
		"of this workspace":                 {true, "/v", true},
		"of another workspace":              {true, "/w", false},
		"of an unknown workspace":           {false, "/w", false},
		"unknown, none is of the workspace": {false, "/nowhere", false},
		"unknown, no other is left":         {false, "alone", true},
		"no workspace asked for":            {true, "", true},
		"none is of the workspace":          {true, "/nowhere", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			s := reopenStore(t, dir, storage.Options{})
			if c.workspace != "alone" {
				begin(t, s, idA, "/w", "one").close()
			}
			b := begin(t, s, idB, "/v", "two")
			b.add(reply("hi"))
			b.close()
			if c.listed {
				list(t, s, storage.Filter{})
			} else {
				must(t, os.Remove(filepath.Join(dir, "index.db")))
			}
			path := filepath.Join(dir, "conversations", idB+".db")
			must(t, os.Truncate(path, 9000))
			for range 2 {
				id, skipped, err := s.Newest(t.Context(), c.workspace)
				switch {
				case c.refused && (err == nil || errors.Is(err, storage.ErrNotFound) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), "plimsoll doctor")):
					t.Errorf("%q, %v, want that %s is damaged", id, err, path)
				case !c.refused && (id != idA || strings.Contains(skipped, path) == c.listed):
					t.Errorf("%q, %q, %v, want %s", id, skipped, err, idA)
				}
			}
		})
	}
}

// The index shows that a file was replaced by an older copy. Loading returns a notice once, and each
// check reports it until it is repaired. An outdated index is not reported.
func TestOlderCopyOfAFileIsReported(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"all", "heads"} {
		for _, listed := range []bool{false, true} {
			t.Run(fmt.Sprint(part, listed), func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "data")
				s := reopenStore(t, dir, storage.Options{})
				path := filepath.Join(dir, "conversations", idA+".db")
				c := begin(t, s, idA, "/w", "one")
				older, err := os.ReadFile(path)
				must(t, err)
				c.add(reply("two"), reply("three"))
				if loadNotices(t, s) != "" || len(checkStore(t, s)) > 0 {
					t.Error("an outdated index is reported as an older copy")
				}
				c.close()
				data, err := os.ReadFile(path)
				must(t, err)
				if part == "heads" {
					older = append(older[:2*os.Getpagesize()], data[2*os.Getpagesize():]...)
				}
				must(t, os.WriteFile(path, older, 0o600))
				if listed {
					list(t, s, storage.Filter{})
				}
				if found := checkStore(t, s); len(found) != 1 || found[0].File != path || !strings.Contains(found[0].What, "3 events") {
					t.Errorf("findings %+v, want one that says 3 events", found)
				}
				s = reopenStore(t, dir, storage.Options{}) // another program
				if notices := loadNotices(t, s); !strings.Contains(notices, "3 events") {
					t.Errorf("the notices are %q, want one that says 3 events", notices)
				}
				again := reopen(t, s, idA)
				again.add(reply("2"), reply("3"), reply("4"))
				again.close()
				if notices := loadNotices(t, s); notices != "" {
					t.Errorf("the second load reports again: %q", notices)
				}
				found := checkStore(t, s)
				if len(found) != 1 {
					t.Errorf("a check finds %+v", found)
				}
				mustRepair(t, s, found)
			})
		}
	}
}

func loadNotices(t *testing.T, s *storage.Store) string {
	t.Helper()
	_, report, err := s.Load(t.Context(), idA)
	must(t, err)
	return strings.Join(report.Notices, "\n")
}

func TestDeleteRemovesEverything(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	c := begin(t, s, idA, "/w", "hello")
	wantError(t, s.Delete(t.Context(), idA), storage.ErrLocked)
	c.close()
	must(t, s.Delete(t.Context(), idA))
	if got := list(t, s, storage.Filter{}); len(got) > 0 {
		t.Errorf("listed after its deletion: %v", got)
	}
	left, err := os.ReadDir(filepath.Join(s.Dir(), "conversations"))
	if err != nil || len(left) > 0 {
		t.Errorf("files left: %v, %v", left, err)
	}
	wantError(t, s.Delete(t.Context(), idA), storage.ErrNotFound)
	begin(t, s, idA, "/w", "the same ID again").close()
	if got := list(t, s, storage.Filter{}); len(got) != 1 {
		t.Errorf("listed are %v, want the other conversation", got)
	}
}

func TestStoreIsEmptyUntilTheFirstUserMessage(t *testing.T) {
	t.Parallel()
	s := openStore(t, storage.Options{})
	empty := func(want bool) {
		t.Helper()
		if got, err := s.IsEmpty(); err != nil || got != want {
			t.Errorf("empty is %t, %v; want %t", got, err, want)
		}
	}
	empty(true)
	begin(t, s, idA, "/w", "hello")
	empty(false)
}

package grants_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"plimsoll/tools/grants"
)

func ruleTexts(t *testing.T, s *grants.Store, workspace string) []string {
	t.Helper()
	all, err := s.In(workspace)
	if err != nil {
		t.Error(err)
	}
	var out []string
	for _, g := range all {
		out = append(out, g.Rule)
	}
	return out
}

func add(t *testing.T, s *grants.Store, keep bool, workspace string, rules ...string) {
	t.Helper()
	if err := s.Add(t.Context(), rules, workspace, keep); err != nil {
		t.Fatal(err)
	}
}

func TestKeptGrantsHoldInTheNextRun(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "made", "grants.json")
	s := grants.New(path)
	add(t, s, true, "/w", "edit(a \"b\"\n)", "run_command(x)")
	add(t, s, true, "/w", "run_command(x)")
	add(t, s, true, "/v", "run_command(x)")
	add(t, s, false, "/w", "run_command(y)")
	want := []string{"edit(a \"b\"\n)", "run_command(x)", "run_command(y)"}
	if got := ruleTexts(t, s, "/w"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	if got := ruleTexts(t, grants.New(path), "/w"); !slices.Equal(got, want[:2]) {
		t.Errorf("%q", got)
	}
	st, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 2 {
		t.Errorf("%v %v: want the file and its lock", entries, err)
	}
}

func TestConcurrentProgramsKeepEachOthersGrants(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "grants.json")
	const programs, each = 6, 5
	var wait sync.WaitGroup
	for p := range programs {
		wait.Go(func() {
			s := grants.New(path) // a separate store, as in another program
			for n := range each {
				for { // another store may hold the lock longer than a change waits
					err := s.Add(context.Background(), []string{fmt.Sprintf("run_command(%d %d)", p, n)}, "/w", true)
					if err == nil {
						break
					}
				}
			}
		})
	}
	wait.Wait()
	if got := ruleTexts(t, grants.New(path), "/w"); len(got) != programs*each {
		t.Errorf("%d grants of %d: %q", len(got), programs*each, got)
	}
}

func TestAnotherProgramsChangesCountAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "grants.json")
	a, b := grants.New(path), grants.New(path)
	if got := ruleTexts(t, b, "/w"); len(got) != 0 {
		t.Errorf("%q", got)
	}
	add(t, a, true, "/w", "run_command(x)")
	if got := ruleTexts(t, b, "/w"); !slices.Equal(got, []string{"run_command(x)"}) {
		t.Errorf("%q", got)
	}
	all, err := b.In("/w")
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Revoke(t.Context(), all[0].ID); err != nil {
		t.Fatal(err)
	}
	if got := ruleTexts(t, a, "/w"); len(got) != 0 {
		t.Errorf("a revoked grant holds in the other program: %q", got)
	}
	if err := a.Revoke(t.Context(), all[0].ID); err != nil {
		t.Errorf("revoking what is gone: %v", err)
	}
}

func TestNothingIsGrantedFromADamagedFileAndNothingWrittenToIt(t *testing.T) {
	t.Parallel()
	good := `{"version":1,"grants":[{"id":"a","rule":"run_command","workspace":"/w","granted":"2030-01-01T00:00:00Z"}]}`
	for name, text := range map[string]string{
		"empty":           "",
		"cut":             good[:len(good)-3],
		"behind the end":  good + "{}",
		"unknown member":  strings.Replace(good, `"id"`, `"deny":true,"id"`, 1),
		"repeated member": strings.Replace(good, `"rule"`, `"rule":"x","rule"`, 1),
		"no version":      strings.Replace(good, `"version":1,`, "", 1),
		"later version":   strings.Replace(good, `"version":1`, `"version":2,"more":1`, 1),
		"repeated id":     strings.Replace(good, `[{`, `[{"id":"a","rule":"edit","workspace":"/w","granted":"2030-01-01T00:00:00Z"},{`, 1),
		"no workspace":    strings.Replace(good, `"/w"`, `""`, 1),
		"relative":        strings.Replace(good, `"/w"`, `"w"`, 1),
		"no time":         strings.Replace(good, `,"granted":"2030-01-01T00:00:00Z"`, "", 1),
		"not UTF-8":       strings.Replace(good, "run", "\xff", 1),
		"YAML":            "grants: []\n",
	} {
		path := filepath.Join(t.TempDir(), "grants.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := grants.New(path)
		add(t, s, false, "/w", "run_command(of this run)")
		all, err := s.In("/w")
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
		if len(all) != 1 || all[0].Kept {
			t.Errorf("%s: %v is granted", name, all)
		}
		if err := s.Add(t.Context(), []string{"run_command(x)"}, "/w", true); err == nil {
			t.Errorf("%s: a grant was kept", name)
		}
		if err := s.Revoke(t.Context(), "a"); err == nil {
			t.Errorf("%s: a grant was revoked", name)
		}
		if now, err := os.ReadFile(path); err != nil || string(now) != text {
			t.Errorf("%s: the file was changed to %q (%v)", name, now, err)
		}
		if err := os.WriteFile(path, []byte(good), 0o600); err != nil {
			t.Fatal(err)
		}
		if got := ruleTexts(t, s, "/w"); !slices.Contains(got, "run_command") {
			t.Errorf("%s: after it was mended: %q", name, got)
		}
	}
}

func TestAFileOfAnEarlierVersionIsRead(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "grants.json")
	text := `{"version":1,"grants":[{"id":"a","rule":"run_command","workspace":"/w","granted":"2030-01-01T00:00:00Z","used":"2030-01-02T00:00:00Z"}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ruleTexts(t, grants.New(path), "/w"); !slices.Equal(got, []string{"run_command"}) {
		t.Errorf("got %q", got)
	}
}

func TestWithoutAFileNothingIsKept(t *testing.T) {
	t.Parallel()
	s := grants.New("")
	if err := s.Add(t.Context(), []string{"run_command(x)"}, "/w", true); !errors.Is(err, grants.ErrNoFile) {
		t.Errorf("got %v", err)
	}
	if got := ruleTexts(t, s, "/w"); !slices.Equal(got, []string{"run_command(x)"}) {
		t.Errorf("it does not hold for this run: %q", got)
	}
}

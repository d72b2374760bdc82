package tools_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
)

func TestReviewShowsWhatWouldHappen(t *testing.T) {
	t.Parallel()
	b, dir := open(t, map[string]string{"a.txt": "one\ntwo\n"})
	got := b.Review(t.Context(), call(t, "modify_file", map[string]any{"path": "a.txt", "old": "two", "new": "2"}))
	got.Offer, got.Wider = conversation.Offer{}, nil
	want := conversation.Review{Need: asks, Title: "modify_file a.txt", Diff: "index 814f4a422927..99b356dcd03d\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got = b.Review(t.Context(), call(t, "run_command", map[string]any{"command": "ls -la\nrm x"}))
	got.Offer, got.Wider = conversation.Offer{}, nil
	if diff := cmp.Diff(conversation.Review{Need: asks, Title: "run_command ls -la rm x", Command: "ls -la\nrm x", Changeable: true}, got); diff != "" {
		t.Error(diff)
	}
	got = b.Review(t.Context(), call(t, "run_command", map[string]any{"command": "\n \tbash x.sh\u00a0\n"}))
	got.Offer, got.Wider = conversation.Offer{}, nil
	if diff := cmp.Diff(conversation.Review{Need: asks, Title: "run_command bash x.sh«U+00A0»", Command: "bash x.sh\u00a0", Changeable: true}, got); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"d  /.env", "d\u2003/.env", ".ssh/" + strings.Repeat("x", 200)} { // their titles are not all of them
		if got := b.Review(t.Context(), call(t, "read_file", map[string]any{"path": name})); got.Need != asks || got.Command != name {
			t.Errorf("%q is asked about as %+v", name, got)
		}
	}
	got = b.Review(t.Context(), call(t, "ask_user", map[string]any{"question": "Which?", "options": []string{"a", "b"}}))
	got.Offer, got.Wider = conversation.Offer{}, nil
	if diff := cmp.Diff(conversation.Review{Need: conversation.NeedAnswer, ReadOnly: true, Title: "ask_user Which?", Question: "Which?", Options: []string{"a", "b"}}, got); diff != "" {
		t.Error(diff)
	}
	got = b.Review(t.Context(), call(t, "http_request", map[string]any{"url": "https://me:pass@example.com/x"}))
	got.Offer, got.Wider = conversation.Offer{}, nil
	if diff := cmp.Diff(conversation.Review{Need: asks, ReadOnly: true, Title: "http_request GET https://me:xxxxx@example.com/x"}, got); diff != "" {
		t.Error(diff)
	}
	if read(t, filepath.Join(dir, "a.txt")) != "one\ntwo\n" {
		t.Error("a review changed the file")
	}
	fail(t, b, "ask_user", map[string]any{"question": "x"}, "no user is there")
}

func TestACallThatCannotApplyIsNotAskedAboutAndNotRunLater(t *testing.T) {
	t.Parallel()
	b, dir := open(t, map[string]string{"a.txt": "one\n"})
	c := call(t, "modify_file", map[string]any{"path": "a.txt", "old": "two", "new": "2"})
	if r := b.Review(t.Context(), c); r.Need != runs || r.Title != "modify_file a.txt" {
		t.Errorf("got %+v", r)
	}
	if out := b.Run(t.Context(), c, nil); out.Status != conversation.ResultError {
		t.Errorf("got %+v", out)
	}
	b.Review(t.Context(), c)
	write(t, filepath.Join(dir, "a.txt"), "two\n")
	if out := b.Run(t.Context(), c, nil); out.Status != conversation.ResultError || read(t, filepath.Join(dir, "a.txt")) != "two\n" {
		t.Errorf("ran without approval: %+v", out)
	}
	b.SetMode(conversation.ModeEdits)
	write(t, filepath.Join(dir, "a.txt"), "one\n")
	b.Review(t.Context(), c)
	write(t, filepath.Join(dir, "a.txt"), "two\n")
	if out := b.Run(t.Context(), c, nil); out.Status != conversation.ResultOK {
		t.Errorf("needs no approval now, yet: %+v", out)
	}
}

func TestReviewShowsAllOfARequest(t *testing.T) {
	t.Parallel()
	b, _ := open(t, nil)
	long := "https://example.com/" + strings.Repeat("x", 300)
	for want, args := range map[string]map[string]any{
		"POST https://example.com/x\nA: 1\nX-B: 2\n\nall\nof it": {"url": "https://example.com/x", "method": "POST", "headers": map[string]string{"X-B": "2", "A": "1"}, "body": "all\nof it"},
		"GET " + long + "\n": {"url": long},
		"":                   {"url": "https://example.com/x"}, // the title says it all
	} {
		if got := b.Review(t.Context(), call(t, "http_request", args)); got.Command != want || got.Need != asks {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

func TestReviewShowsWhereLinksLead(t *testing.T) {
	t.Parallel()
	b, dir := open(t, map[string]string{".env": "K=1"})
	if err := os.Symlink(".env", filepath.Join(dir, "innocent")); err != nil {
		t.Fatal(err)
	}
	for title, args := range map[string]map[string]any{
		"read_file innocent -> .env":       {"path": "innocent"},
		"grep_files K in innocent -> .env": {"path": "innocent", "pattern": "K"},
	} {
		name, _, _ := strings.Cut(title, " ")
		if got := b.Review(t.Context(), call(t, name, args)); got.Title != title || got.Need != asks {
			t.Errorf("got %+v", got)
		}
	}
}

func TestOnlyTheReviewedEffectRuns(t *testing.T) {
	t.Parallel()
	b, dir := open(t, map[string]string{"a.txt": "one\n", "b.txt": "b\n", ".git/x": "b\n"})
	path := filepath.Join(dir, "a.txt")
	overwrite := call(t, "create_file", map[string]any{"path": "a.txt", "content": "new\n", "overwrite": true})
	b.Review(t.Context(), overwrite)
	write(t, path, "one\nand what the user added meanwhile\n")
	if out := b.Run(t.Context(), overwrite, nil); out.Status != conversation.ResultError || read(t, path) == "new\n" {
		t.Errorf("text that was not shown is gone: %+v", out)
	}
	b.Review(t.Context(), overwrite)
	if out := b.Run(t.Context(), overwrite, nil); out.Status != conversation.ResultOK || read(t, path) != "new\n" {
		t.Errorf("nothing changed since, yet: %+v", out)
	}

	b.SetMode(conversation.ModeEdits)
	edit := call(t, "modify_file", map[string]any{"path": "b.txt", "old": "b", "new": "c"})
	if r := b.Review(t.Context(), edit); r.Need != runs {
		t.Fatalf("got %+v", r)
	}
	if err := errors.Join(os.Remove(filepath.Join(dir, "b.txt")), os.Symlink(".git/x", filepath.Join(dir, "b.txt"))); err != nil {
		t.Fatal(err)
	}
	if out := b.Run(t.Context(), edit, nil); out.Status != conversation.ResultError || read(t, filepath.Join(dir, ".git/x")) != "b\n" {
		t.Errorf("a link that changed in between led to a guarded file: %+v", out)
	}
}

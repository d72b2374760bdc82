package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/cli/screen"
)

func TestMentionedFilesAreReadUpToALimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := appWith(t, "")
	h := screen.NewHost(a.Agents, screen.ChatOptions{})
	a.Settings.Workspace = dir
	if err := os.MkdirAll(filepath.Join(dir, "sub", "deep"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.txt": "hello\n", "long.txt": strings.Repeat("x", 2<<20), "b.bin": "a\x00b", "huge.txt": "",
		"sub/one.txt": "a\nb\nc\nd\n", "p.png": "\x89PNG\r\n\x1a\n\x00", "odd:2": "whole"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(filepath.Join(dir, "huge.txt"), screen.MaxAttachment+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.DevNull, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"a.txt": "\n\n<file path=\"a.txt\">\nhello\n</file>", "long.txt": "showing first 30000 characters of 2097152 total",
		"sub/": "\n\n<file path=\"sub/\">\ndeep/\none.txt\n</file>", "sub": "one.txt", "sub/deep": "(an empty folder)",
		"sub/one.txt:2-3": "\n\n<file path=\"sub/one.txt:2-3\">\nb\nc\n</file>", "sub/one.txt:2": ">\nb\n<", "sub/one.txt:3-99": ">\nc\nd\n<",
		"odd:2": ">\nwhole\n<"} {
		if got, err := h.Attach(t.Context(), []string{path}); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %d bytes, %v", path, len(got), err)
		}
	}
	for path, want := range map[string]string{"b.bin": "binary", "huge.txt": "larger than 16 MiB", "out": "escapes", "../x": "escapes", "none": "no such file", "none:2": "no such file",
		"p.png": "it is a binary file", "sub/one.txt:9": "no such lines: it has 4 lines", "sub/one.txt:3-2": "no such lines"} {
		if _, err := h.Attach(t.Context(), []string{path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want it to speak of %q", path, err, want)
		}
	}
}

func TestOutputOfAUserCommandIsCut(t *testing.T) {
	t.Parallel()
	a := appWith(t, "tool_results: {max_chars: 20000}")
	h := screen.NewHost(a.Agents, screen.ChatOptions{})
	a.Settings.Workspace = t.TempDir()
	got, err := h.Shell(t.Context(), "yes | head -c 100000; echo $UNSET; exit 4")
	if err != nil || len(got) > 22_000 || !strings.Contains(got, "content truncated") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if got, err := h.Shell(t.Context(), "echo x; exit 4"); err != nil || got != "x\n(exit code 4)" {
		t.Errorf("%q, %v", got, err)
	}
}

package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMentionedFilesAreTakenWithinBounds(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h := &host{app: &app{workspace: dir}}
	for name, text := range map[string]string{"a.txt": "hello\n", "long.txt": strings.Repeat("x", 2<<20), "b.bin": "a\x00b", "huge.txt": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Truncate(filepath.Join(dir, "huge.txt"), maxAttachment+1); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.DevNull, filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{"a.txt": "\n\n<file path=\"a.txt\">\nhello\n</file>", "long.txt": "showing first 30000 characters of 2097152 total"} {
		if got, err := h.Attach(t.Context(), []string{path}); err != nil || !strings.Contains(got, want) {
			t.Errorf("%s: %d bytes, %v", path, len(got), err)
		}
	}
	for path, want := range map[string]string{"b.bin": "binary", "huge.txt": "larger than 16 MiB", ".": "not a file", "out": "escapes", "../x": "escapes", "none": "no such file"} {
		if _, err := h.Attach(t.Context(), []string{path}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want it to speak of %q", path, err, want)
		}
	}
}

func TestCommandOfTheUsersOwnIsCut(t *testing.T) {
	t.Parallel()
	h := &host{app: &app{workspace: t.TempDir()}}
	got, err := h.Shell(t.Context(), "yes | head -c 100000; echo $UNSET; exit 4")
	if err != nil || len(got) > maxShell+200 || !strings.Contains(got, "content truncated") {
		t.Errorf("%d bytes, %v", len(got), err)
	}
	if got, err := h.Shell(t.Context(), "echo x; exit 4"); err != nil || got != "x\n(exit code 4)" {
		t.Errorf("%q, %v", got, err)
	}
}

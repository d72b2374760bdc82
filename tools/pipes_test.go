package tools_test

import (
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestPipesSocketsAndDevicesAreRefusedWithoutWaiting(t *testing.T) {
	t.Parallel()
	b, dir := open(t, map[string]string{"a.txt": "needle\n"})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe", filepath.Join(dir, "topipe")); err != nil {
		t.Fatal(err)
	}
	short, err := os.MkdirTemp("", "s") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(short) })
	l, err := net.Listen("unix", filepath.Join(short, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	if err := os.Rename(filepath.Join(short, "s"), filepath.Join(dir, "sock")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pipe", "topipe", "sock"} {
		tries(t, b, []try{
			{"read_file", `{"path":"` + name + `"}`, "!is a pipe, a socket or a device"},
			{"modify_file", `{"path":"` + name + `","old":"a","new":"b"}`, "!is a pipe, a socket or a device"},
			{"create_file", `{"path":"` + name + `","content":"a","overwrite":true}`, "!is a pipe, a socket or a device"},
		})
	}
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "zero")); err != nil {
		t.Fatal(err)
	}
	fail(t, b, "read_file", map[string]any{"path": "zero"}, "leads out")
	if got := succeed(t, b, "grep_files", map[string]any{"pattern": "needle"}); got != "a.txt:1:needle\n" {
		t.Errorf("got %q", got)
	}
	fail(t, b, "grep_files", map[string]any{"pattern": "needle", "path": "pipe"}, "is a pipe, a socket or a device")
	fail(t, b, "list_files", map[string]any{"path": "pipe"}, "not a directory")
}

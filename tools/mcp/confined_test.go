package mcp_test

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/tools/mcp"
	"plimsoll/tools/sandbox"
	"plimsoll/tools/sandbox/proxy"
)

// confine returns options by which programs run in a sandbox, in a home folder with a secret; they reach no host.
func confine(t *testing.T, change func(*sandbox.Config)) (o mcp.Options, home string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{".ssh/id": "SECRET", "notes": "a note", "ws/a": "a"} {
		path := filepath.Join(home, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	c := sandbox.Config{Workspace: filepath.Join(home, "ws"), Home: home, Read: []string{"~", filepath.Dir(os.Args[0])}, Network: sandbox.NetworkOff,
		Path: filepath.SplitList(os.Getenv("PATH")), Helper: "/proc/self/exe"}
	if change != nil {
		change(&c)
	}
	if !sandbox.New(c).Active() {
		t.Skip("this system confines nothing")
	}
	reach := proxy.Options{Permit: func(context.Context, string, string) error { return errors.New("no rule allows it") },
		Dial: func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("dialled") }}
	confine := func(name string) (*sandbox.Program, error) {
		return sandbox.New(c).Program("mcp."+name+".", reach, true)
	}
	return mcp.Options{Dir: c.Workspace, Confine: confine, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}}, home
}

func TestAConfinedServerWorks(t *testing.T) {
	t.Parallel()
	o, _ := confine(t, nil)
	s := open(t, o, mcp.Config{Name: "odd", Command: []string{os.Args[0]}, Env: map[string]string{asServer: "none"}, Timeout: long})
	s.Start(t.Context())
	if result, err := s.Call(t.Context(), "odd", "echo", []byte(`{"text":"hi"}`), nil); err != nil || result.IsError {
		t.Fatalf("%+v, %v: %v", result, err, s.States())
	}
	if err := s.Restart(t.Context(), "odd"); err != nil {
		t.Error(err)
	}
}

// A server that its sandbox keeps from starting says what it was kept from, and what to set.
func TestAServerThatItsSandboxStopsSaysWhatToSet(t *testing.T) {
	t.Parallel()
	o, home := confine(t, nil)
	demanded, _ := confine(t, func(c *sandbox.Config) { c.Mode = sandbox.ReadOnly })
	for script, want := range map[string]string{
		"cat ~/notes && cat ~/.ssh/id": "kept it from reading " + home + "/.ssh/id; mcp.x.sandbox: off lets it",
		"echo x >~/notes":              "kept it from writing " + home + "/notes; mcp.x.write lets it, or mcp.x.sandbox: off",
		"curl -sS https://example.org": "kept it from reaching example.org:443; mcp.x.network: on lets it, or permissions.hosts",
		"echo broken >&2":              "its last line: broken; it runs in a sandbox; if that is why, set mcp.x.sandbox: off",
	} {
		s := open(t, o, mcp.Config{Name: "x", Command: []string{"sh", "-c", script}, Timeout: long})
		if strings.HasPrefix(script, "curl") {
			if _, err := os.Stat("/usr/bin/curl"); err != nil {
				continue
			}
		}
		s.Start(t.Context())
		if got := s.States()[0].Error; !strings.Contains(strings.ToLower(got), strings.ToLower(want)) {
			t.Errorf("%s: %s, want %s", script, got, want)
		}
	}
	s := open(t, demanded, mcp.Config{Name: "x", Command: []string{"sh", "-c", "echo x >../ws/a"}, Timeout: long})
	if s.Start(t.Context()); !strings.Contains(s.States()[0].Error, "kept it from writing") {
		t.Errorf("read-only: %s", s.States()[0].Error)
	}
}

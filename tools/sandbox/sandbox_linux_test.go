package sandbox_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"plimsoll/tools/sandbox"
)

func TestMain(m *testing.M) {
	sandbox.RunHelper()
	if filepath.Base(os.Args[0]) == "attack" {
		attack()
		return
	}
	os.Exit(m.Run())
}

// fixture is a home folder with secrets, and a workspace in it.
type fixture struct {
	t              *testing.T
	home, ws, data string
	box            *sandbox.Sandbox
}

func newFixture(t *testing.T, change ...func(*sandbox.Config)) *fixture {
	t.Helper()
	if sandbox.New(sandbox.Config{}).Active() == false {
		t.Skip("this system confines nothing")
	}
	f := &fixture{t: t, home: realDir(t)}
	f.ws, f.data = filepath.Join(f.home, "src/ws"), filepath.Join(f.home, ".local/share/plimsoll")
	for path, text := range map[string]string{
		".ssh/id": "SECRET", ".aws/credentials": "SECRET", ".cargo/credentials.toml": "SECRET", ".cargo/registry/x": "x", ".cache/x": "x", "notes": "SECRET",
		".local/share/plimsoll/log": "SECRET", "src/ws/a": "a", "src/ws/.env": "SECRET", "src/ws/.vscode/tasks.json": "{}", "src/other/b": "SECRET",
	} {
		f.write(filepath.Join(f.home, path), text)
	}
	f.git("init", "-q", "-b", "main")
	f.write(filepath.Join(f.ws, ".git/hooks/pre-commit"), "#!/bin/sh\n")
	c := sandbox.Config{Workspace: f.ws, Home: f.home, Path: filepath.SplitList(os.Getenv("PATH")), Write: []string{"~/.cache"}, Secrets: []string{".env"},
		Own: []string{f.data}, Helper: "/proc/self/exe"}
	for _, ch := range change {
		ch(&c)
	}
	f.box = sandbox.New(c)
	t.Cleanup(func() {
		if err := f.box.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// realDir is a folder for a test, without links in its path.
func realDir(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func (f *fixture) write(path, text string) {
	f.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fixture) git(args ...string) {
	f.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", f.ws, "-c", "user.name=a", "-c", "user.email=a@b"}, args...)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Fatalf("git %v: %s", args, out)
	}
}

// run runs a command of the shell in the sandbox, and returns what it wrote.
func (f *fixture) run(script string, env ...string) (string, error) {
	f.t.Helper()
	cmd := exec.Command("/bin/sh", "-c", script)
	var out bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = f.ws, &out, &out
	cmd.Env = append(os.Environ(), "HOME="+f.home, "SSH_AUTH_SOCK=/tmp/agent", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	cmd.Env = append(cmd.Env, env...)
	if err := f.box.Start(cmd); err != nil {
		f.t.Fatal(err)
	}
	err := cmd.Wait()
	return strings.TrimSpace(out.String()), err
}

func TestOrdinaryWorkGoesOn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, script := range map[string]string{
		"write":    "echo b >b && mkdir d && mv b d/c && rm -r d",
		"tmp":      `echo x >"$TMPDIR/x" && mktemp`,
		"cache":    "echo x >~/.cache/new && mkdir ~/.cache/go-build",
		"null":     "echo x >/dev/null; head -c1 /dev/urandom >/dev/null",
		"commit":   "git add a && git commit -qm x && git checkout -qb other && git status",
		"pipes":    "echo a | cat | grep -q a",
		"toolpath": "test -r ~/.cargo/registry/x",
		"kill":     "sleep 100 & kill $!",
		"server":   `python3 -c 'import socket; s=socket.socket(); s.bind(("127.0.0.1",0)); s.listen(); socket.create_connection(s.getsockname())'`,
		"terminal": `python3 -c 'import pty; pty.spawn(["true"])'`,
		"agent":    `test -z "$SSH_AUTH_SOCK"`,
		"identity": `test "$(id -u)" = ` + "'" + strings.TrimSpace(id(t)) + "'",
	} {
		if out, err := f.run(script); err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
	if out, err := newFixture(t, func(c *sandbox.Config) { c.Mode = sandbox.ReadOnly }).run(`echo x >"$TMPDIR/y" && cat a && ! echo x >z`); err != nil {
		t.Errorf("read-only: %v: %s", err, out)
	}
}

func id(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("id", "-u").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestMissingCachesAreMadeWhereTheirProgramIs(t *testing.T) {
	t.Parallel()
	away := realDir(t) + "/away"
	f := newFixture(t, func(c *sandbox.Config) {
		c.Path, c.Write = []string{filepath.Join(c.Home, "bin")}, []string{"~/.npm", "~/.cargo/git", "~/go/pkg", away + "/", "~/plain"}
	})
	for _, program := range []string{"npm", "go"} {
		f.write(filepath.Join(f.home, "bin", program), "")
	}
	if out, err := f.run("echo x >~/.npm/x && echo x >~/go/pkg/x && echo x >" + away + "/x && ! echo x >~/plain/x"); err != nil {
		t.Error(err, out)
	}
	for _, path := range []string{".cargo/git", "plain"} {
		if _, err := os.Stat(filepath.Join(f.home, path)); err == nil {
			t.Errorf("%s was made", path)
		}
	}
}

func TestTheDenialIsRecognised(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for output, want := range map[string]string{
		"cat: " + f.home + "/.ssh/id: Permission denied\n":                        "reading " + f.home + "/.ssh/id",
		"/usr/bin/sh: 1: cannot open ../gone: Permission denied":                  "opening " + filepath.Dir(f.ws) + "/gone",
		"cat: " + f.home + "/notes: No such file or directory":                    "opening " + f.home + "/notes",
		"cat: " + f.home + "/gone: No such file or directory":                     "",
		"sh: 1: cannot create /etc/x: Permission denied":                          "writing /etc/x",
		"open /srv/data: permission denied":                                       "opening /srv/data",
		"curl: (6) Could not resolve host: example.org":                           "reaching the network",
		"dial tcp 1.2.3.4:443: connect: network is unreachable":                   "reaching the network",
		"cat: " + f.ws + "/a: Permission denied":                                  "",
		"--- FAIL: TestX\n    x_test.go:3: got permission denied":                 "",
		"cat: " + f.home + "/notes: No such file or directory":                    "opening " + f.home + "/notes",
		"cat: " + f.home + "/gone: No such file or directory":                     "",
		"cat: " + f.ws + "/a: No such file or directory":                          "",
		"mkdir: cannot create directory ‘/etc/x’: Read-only file system":          "writing /etc/x",
		"error: gpg failed to sign the data":                                      "using your keys",
		"error: could not write config file .git/config: Device or resource busy": "writing " + f.ws + "/.git/config",
	} {
		if got := f.box.Denial(output); got != want {
			t.Errorf("%q: %q, want %q", output, got, want)
		}
	}
}

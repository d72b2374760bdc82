package e2e_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"plimsoll/cli"
)

// sandbox is a test's own home, workspace and data directory, and the environment in which one or more programs run there.
type sandbox struct {
	t       testing.TB
	program []string // the command that starts plimsoll
	root    string   // contains all other folders
	work    string   // the workspace
	data    string
	env     map[string]string
}

// newSandbox creates a sandbox with files in its workspace, by name.
func newSandbox(t testing.TB, files map[string]string) *sandbox {
	t.Helper()
	dir := t.TempDir()
	p := &sandbox{t: t, program: []string{os.Args[0]}, root: dir, work: filepath.Join(dir, "work"), data: filepath.Join(dir, "data")}
	home := filepath.Join(dir, "home")
	p.env = map[string]string{
		asPlimsoll: "1", "PATH": os.Getenv("PATH"), "HOME": home, "TERM": "xterm-256color", "COLORTERM": "truecolor",
		"XDG_CONFIG_HOME": filepath.Join(home, "config"), "XDG_DATA_HOME": filepath.Join(home, "share"),
		"XDG_STATE_HOME": filepath.Join(home, "state"), "PLIMSOLL_DATA": p.data, "PLIMSOLL_NO_PROBE": "1",
		"LANG": "C.UTF-8", "TZ": "UTC", "GORACE": "atexit_sleep_ms=0 log_path=" + filepath.Join(dir, "race"),
	}
	for _, d := range []string{home, p.work} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range files {
		p.writeFile(name, text)
	}
	t.Cleanup(func() { p.checkNoRaces(dir) })
	return p
}

// checkNoRaces fails the test if the race detector of a program reported something.
func (p *sandbox) checkNoRaces(dir string) {
	reports, err := filepath.Glob(filepath.Join(dir, "race.*"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, r := range reports {
		text, err := os.ReadFile(r)
		if err != nil {
			p.t.Fatal(err)
		}
		p.t.Errorf("the race detector reported:\n%s", text)
	}
}

func (p *sandbox) writeFile(name, text string) {
	p.t.Helper()
	path := filepath.Join(p.work, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func (p *sandbox) readFile(name string) string {
	p.t.Helper()
	text, err := os.ReadFile(filepath.Join(p.work, name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

// newCommand returns the program with arguments, not started.
func (p *sandbox) newCommand(args ...string) *exec.Cmd {
	all := append(append([]string(nil), p.program[1:]...), args...)
	c := exec.Command(p.program[0], all...)
	c.Dir = p.work
	c.Env = p.environ()
	return c
}

func (p *sandbox) environ() []string {
	var all []string
	for name, value := range p.env {
		all = append(all, name+"="+value)
	}
	return all
}

func (p *sandbox) lookup(name string) (string, bool) {
	value, ok := p.env[name]
	return value, ok
}

// run runs the program in the test's process, without a terminal, and returns its exit code and its output.
func (p *sandbox) run(args ...string) (code int, out, errs *bytes.Buffer) {
	p.t.Helper()
	var stdout, stderr syncedBuffer // the program writes from several goroutines
	code = cli.Run(p.t.Context(), cli.Env{Args: args, Lookup: p.lookup, Environ: p.environ(), Dir: p.work,
		Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr, Version: version})
	return code, &stdout.b, &stderr.b
}

// output returns what a command writes to standard output. The command must succeed.
func (p *sandbox) output(args ...string) []byte {
	p.t.Helper()
	code, out, errs := p.run(args...)
	if code != 0 {
		p.t.Fatalf("plimsoll %s: exit code %d\n%s", strings.Join(args, " "), code, errs)
	}
	return out.Bytes()
}

// syncedBuffer is a buffer that several goroutines may write to.
type syncedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncedBuffer) Write(text []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(text)
}

func (p *sandbox) logs() string {
	p.t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(p.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(d.Name(), ".log") {
			return err
		}
		text, err := os.ReadFile(path)
		b.Write(text)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return b.String()
}

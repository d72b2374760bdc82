package e2e_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// programs are commands that run in auto with the caches of the default configuration, and without a question.
var programs = []struct{ program, command string }{
	{"go", "cd go && go test -vet=off ./... && go env GOMODCACHE | grep pkg/mod"},
	{"npm", "cd node && npm ci --offline --no-audit && node -e 'new (require(\"worker_threads\").Worker)(\"require(\\\"dep\\\")\", {eval: true})'"},
	{"git", "git add -A && git commit -qm sail && git status --short --branch"},
	{"make", "cd c && make && ./sail"},
	{"pytest", "cd py && pytest -q"},
	{"ccache", "cd c && ccache cc -c sail.c -o sail.o && test -d ~/.cache/ccache"},
}

// programFiles are what they work on.
var programFiles = map[string]string{
	"go/go.mod": "module example.org/sail\n\ngo 1.26\n",
	"go/sail_test.go": `package sail

import (
	"net"
	"os"
	"testing"
)

func TestSail(t *testing.T) {
	for network, address := range map[string]string{"tcp": "127.0.0.1:0", "unix": t.TempDir() + "/s"} {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial(network, l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		l.Close()
	}
	if err := os.WriteFile(os.DevNull, []byte("x"), 0); err != nil {
		t.Fatal(err)
	}
}
`,
	"node/package.json": `{"name": "sail", "version": "1.0.0", "dependencies": {"dep": "1.0.0"}}`,
	"c/sail.c":          "#include <stdio.h>\nint main(void) { return puts(\"sailing\") < 0; }\n",
	"c/Makefile":        "sail: sail.c\n\tcc -o $@ $<\n",
	"py/test_sail.py": `import os, pty, multiprocessing
def test_sail(tmp_path):
    (tmp_path / "x").write_text("x")
    os.close(pty.openpty()[0])
    multiprocessing.Lock()
`,
}

func TestProgramsRunInAutoWithoutAQuestion(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, programFiles)
	p.env[asPlimsoll] = withSpaces
	goEnv, err := exec.Command("go", "env", "-json", "GOCACHE", "GOFLAGS", "GOTOOLCHAIN").Output() // the machine's, in which the standard library is
	if err == nil {
		var of map[string]string
		if err := json.Unmarshal(goEnv, &of); err != nil {
			t.Fatal(err)
		}
		for name, value := range of {
			p.env[name] = value
		}
	}
	p.packInCache("node", "dep", map[string]string{"package/package.json": `{"name": "dep", "version": "1.0.0"}`, "package/index.js": ""})
	home := p.env["HOME"]
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[user]\n\tname = Sailor\n\temail = sailor@example.org\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command("git", "init", "-q", p.work).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var ran []string
	s := newServer(t, func(w *wire) {
		for i, one := range programs {
			if _, err := exec.LookPath(one.program); err != nil {
				t.Logf("%s is missing", one.program)
				continue
			}
			w.call(len(ran), fmt.Sprint("c", i), "run_command", object{"command": one.command})
			ran = append(ran, one.command)
		}
		w.end("tool_calls", 0, 0)
	}, textReply("All run."))
	if text, err := p.newCommand(s.flags("ask", "--cfg", "permissions.mode=auto", "try all")...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var sent struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.Unmarshal([]byte(s.request(1)), &sent); err != nil {
		t.Fatal(err)
	}
	for _, m := range sent.Messages {
		if m.Role != "tool" {
			continue
		}
		if !strings.HasPrefix(m.Content, "exit code 0") || strings.Contains(m.Content, "kept from") {
			t.Errorf("%s\n%s", ran[0], m.Content)
		}
		ran = ran[1:]
	}
	if len(ran) > 0 {
		t.Errorf("without a result: %q", ran)
	}
}

// packInCache has a project need a package of the npm registry, which is only in npm's cache.
func (p *sandbox) packInCache(dir, name string, files map[string]string) {
	p.t.Helper()
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	w := tar.NewWriter(z)
	for path, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: path, Mode: 0o644, Size: int64(len(text))}); err != nil {
			p.t.Fatal(err)
		}
		_, _ = w.Write([]byte(text)) // a buffer takes all
	}
	_, _ = w.Close(), z.Close()
	sum := sha512.Sum512(packed.Bytes())
	digest := hex.EncodeToString(sum[:])
	kept := filepath.Join(p.env["HOME"], ".npm/_cacache/content-v2/sha512", digest[:2], digest[2:4], digest[4:])
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(kept, packed.Bytes(), 0o600); err != nil {
		p.t.Fatal(err)
	}
	p.writeFile(dir+"/package-lock.json", fmt.Sprintf(`{"name": "sail", "version": "1.0.0", "lockfileVersion": 3, "packages": {
  "": {"name": "sail", "version": "1.0.0", "dependencies": {"%[1]s": "1.0.0"}},
  "node_modules/%[1]s": {"version": "1.0.0", "resolved": "https://registry.npmjs.org/%[1]s/-/%[1]s-1.0.0.tgz", "integrity": "sha512-%[2]s"}}}`,
		name, base64.StdEncoding.EncodeToString(sum[:])))
}

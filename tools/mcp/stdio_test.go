package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"plimsoll/conversation"
	"plimsoll/tools/mcp"
)

// keep runs servers whose processes hold a pipe open, until it is killed.
func keep(fifo string) {
	s := mcp.New([]mcp.Config{{Name: "held", Timeout: long, Command: []string{"sh", "-c",
		`exec 9>"$FIFO"; trap '' HUP TERM INT; (trap '' HUP TERM; sleep 300) & echo running >&9; sleep 300; :`}, Env: map[string]string{"FIFO": fifo}}},
		mcp.Options{Dir: filepath.Dir(fifo), Environ: os.Environ()})
	s.Start(context.Background())
	panic("the server answered")
}

// When the program is killed, all processes of its servers end: the pipe that they hold open is closed.
func TestServersEndWithAKilledProgram(t *testing.T) {
	t.Parallel()
	fifo := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	pipe, err := os.OpenFile(fifo, os.O_RDWR|syscall.O_NONBLOCK, 0) // for writing too, so that opening waits for nobody
	if err != nil {
		t.Fatal(err)
	}
	program := exec.Command(os.Args[0])
	program.Env = append(os.Environ(), keeperOf+"="+fifo)
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	line := make([]byte, len("running\n"))
	if _, err := io.ReadFull(pipe, line); err != nil || string(line) != "running\n" {
		t.Fatalf("%q, %v", line, err)
	}
	reader, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if err := errors.Join(pipe.Close(), program.Process.Kill()); err != nil { // now the server alone can write
		t.Fatal(err)
	}
	_ = program.Wait() // it was killed
	if err := reader.SetReadDeadline(time.Now().Add(long)); err != nil {
		t.Fatal(err)
	}
	if _, err := reader.Read(line); !errors.Is(err, io.EOF) {
		t.Errorf("a server still runs: %v", err)
	}
}

func TestQuestionEndsWithTheSession(t *testing.T) {
	t.Parallel()
	asked, ended := make(chan struct{}), make(chan struct{})
	s := open(t, mcp.Options{Elicit: func(ctx context.Context, _, _ string, _ []conversation.FormField) (map[string]any, string, error) {
		close(asked)
		<-ctx.Done()
		close(ended)
		return nil, "cancel", ctx.Err()
	}}, played(t, "asks for the user", long))
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = call(t.Context(), s) // an error, unless the server answers before it ends
	}()
	<-asked
	closed(t, s)
	<-ended
	<-done
}

// The servers of the npm registry that others are measured by, in the folder where npm installed them. They need node.
func TestReferenceServersOfTheRegistry(t *testing.T) {
	t.Parallel()
	installed := os.Getenv("PLIMSOLL_NPM_SERVERS")
	if installed == "" {
		t.Skip("PLIMSOLL_NPM_SERVERS names no folder with the servers")
	}
	ctx, dir := t.Context(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("line one\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	node := func(name string, args ...string) mcp.Config {
		program := filepath.Join(installed, "node_modules/@modelcontextprotocol/server-"+name, "dist/index.js")
		return mcp.Config{Name: name, Sampling: true, Command: append([]string{"node", program}, args...), Timeout: long}
	}
	s := mcp.New([]mcp.Config{node("everything"), node("filesystem", dir)}, mcp.Options{Dir: dir, Environ: os.Environ(),
		Sample: func(context.Context, string, mcp.SampleRequest) (mcp.SampleReply, error) {
			return mcp.SampleReply{Text: "four", Model: "m"}, nil
		}})
	defer closed(t, s)
	s.Start(ctx)
	for _, state := range s.States() {
		if state.Phase != mcp.Ready {
			t.Fatalf("%+v\n%s", state, strings.Join(s.Log(state.Name), "\n"))
		}
		t.Logf("%s: %s, %d tools", state.Name, state.Version, state.Tools)
	}
	for _, c := range []struct{ server, tool, args, want string }{
		{"everything", "echo", `{"message":"hi"}`, "hi"},
		{"everything", "get-sum", `{"a":2,"b":3}`, "5"},
		{"everything", "get-tiny-image", `{}`, "[image 1]"},
		{"everything", "trigger-sampling-request", `{"prompt":"2+2?","maxTokens":10}`, "four"},
		{"everything", "trigger-long-running-operation", `{"duration":1,"steps":2}`, "completed"},
		{"filesystem", "read_text_file", `{"path":"` + dir + `/a.txt"}`, "line one"},
		{"filesystem", "read_text_file", `{"path":"/etc/passwd"}`, "Access denied"},
	} {
		r, err := s.Call(ctx, c.server, c.tool, json.RawMessage(c.args), func(line string) { t.Logf("progress %q", line) })
		if err != nil || !strings.Contains(r.Text, c.want) {
			t.Errorf("%s %s: %.300q, %v", c.tool, c.args, r.Text, err)
		}
	}
	prompts, err := s.Prompts(ctx)
	resources, err2 := s.Resources(ctx)
	if err != nil || err2 != nil || len(prompts) == 0 || len(resources) == 0 {
		t.Fatalf("%d prompts, %d resources, %v, %v", len(prompts), len(resources), err, err2)
	}
	if text, err := s.ReadResource(ctx, "everything", resources[0].URI); err != nil || text == "" {
		t.Errorf("%q, %v", text, err)
	}
}

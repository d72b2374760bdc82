package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"plimsoll/tools/mcp"
)

// leftGoroutines returns the stacks of goroutines of the package or the SDK that do not end within seconds.
func leftGoroutines() string {
	left := ""
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	for range 400 {
		all := make([]byte, 4<<20)
		all = all[:runtime.Stack(all, true)]
		left = ""
		for stack := range strings.SplitSeq(string(all), "\n\n") {
			if (strings.Contains(stack, "tools/mcp.") || strings.Contains(stack, "go-sdk/")) && !strings.Contains(stack, "leftGoroutines") {
				left += stack + "\n\n"
			}
		}
		if left == "" {
			break
		}
		<-ticker.C
	}
	return left
}

// request is a message that a peer gets.
type request struct {
	ID     json.RawMessage
	Method string
	Params json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

// peer is a server without manners: raw lines over its standard streams.
type peer struct {
	in  *bufio.Reader
	out *bufio.Writer
}

type script map[string]func(p *peer, r request)

func (p *peer) read() request {
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		os.Exit(0) // our input was closed
	}
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		fmt.Fprintln(os.Stderr, "no JSON:", string(line))
		os.Exit(9)
	}
	return r
}

// send writes lines at once.
func (p *peer) send(lines ...string) {
	for _, l := range lines {
		_, _ = p.out.WriteString(l + "\n")
	}
	_ = p.out.Flush()
}

func (p *peer) answer(r request, result string) {
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, r.ID, result))
}

func (p *peer) text(r request, text string) {
	data, _ := json.Marshal(text)
	p.answer(r, fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, data))
}

// ask sends a request of the server and returns the answer to it.
func (p *peer) ask(id, method, params string) request {
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"method":%q,"params":%s}`, id, method, params))
	for {
		if r := p.read(); string(r.ID) == `"`+id+`"` {
			return r
		}
	}
}

const (
	greeting = `{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true},"prompts":{},"resources":{}},"serverInfo":{"name":"peer","version":"1.2"},"instructions":"Be kind."}`
	echoTool = `{"name":"echo","description":"says it again","inputSchema":{"type":"object"}}`
)

// play serves until the input ends. What the script does not handle is done right.
func (p *peer) play(on script) {
	if f := on["begin"]; f != nil {
		f(p, request{})
	}
	for {
		r := p.read()
		switch f := on[r.Method]; {
		case f != nil:
			f(p, r)
		case r.Method == "initialize":
			p.answer(r, greeting)
		case r.Method == "tools/list":
			p.answer(r, `{"tools":[`+echoTool+`]}`)
		case r.Method == "tools/call":
			p.text(r, "hello")
		case r.ID != nil && r.Method != "":
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no such method"}}`, r.ID))
		}
	}
}

func hang(*peer, request) {
	_, _ = io.Copy(io.Discard, os.Stdin) // until the input is closed, then for ever
	time.Sleep(time.Hour)                // until it is killed
}

func die(*peer, request) {
	fmt.Fprintln(os.Stderr, "cannot open /etc/\x1b[31mthing")
	os.Exit(3)
}

// closed closes servers and fails if that takes too long or leaves a process.
func closed(t *testing.T, s *mcp.Servers) {
	t.Helper()
	states := s.States()
	done := make(chan struct{})
	go func() {
		defer close(done)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	select {
	case <-done:
	case <-time.After(long):
		all := make([]byte, 4<<20)
		t.Errorf("Close does not return:\n%s", all[:runtime.Stack(all, true)])
	}
	for _, state := range states {
		if state.PID != 0 && syscall.Kill(-state.PID, 0) == nil {
			t.Errorf("processes of %s are left", state.Name)
		}
	}
}

// start starts servers. One that can start may need several tries: on a busy machine a program that begins can take longer than a
// fault is waited for.
func start(t *testing.T, s *mcp.Servers, can bool) {
	t.Helper()
	s.Start(t.Context())
	for range 20 {
		if state := s.States()[0]; !can || !strings.Contains(state.Error, "did not start: no answer within") {
			return
		}
		_ = s.Restart(t.Context(), s.States()[0].Name) // its error is in the state
	}
}

// played is the configuration of the peer that plays a script.
func played(t *testing.T, name string, timeout time.Duration) mcp.Config {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return mcp.Config{Name: "peer", Command: []string{exe}, Env: map[string]string{serverOf: name, "MY_TOKEN": "sk-very-secret-1"}, Timeout: timeout}
}

func call(ctx context.Context, s *mcp.Servers) (mcp.Result, error) {
	return s.Call(ctx, "peer", "echo", json.RawMessage(`{"text":"hi"}`), nil)
}

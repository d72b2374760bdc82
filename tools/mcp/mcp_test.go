package mcp_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"plimsoll/tools/mcp"
)

// faultyServer is a server with a fault; patience is the timeout of servers that are to exceed it.
func faultyServer(fault string, timeout time.Duration) mcp.Config {
	return mcp.Config{Name: "odd", Command: []string{os.Args[0]}, Env: map[string]string{asServer: fault, "TOKEN": "s3cr3t-token"}, Timeout: timeout}
}

// open returns servers that end with the test. Every process of theirs must have ended then.
func open(t *testing.T, o mcp.Options, configs ...mcp.Config) *mcp.Servers {
	t.Helper()
	if o.Environ == nil {
		o.Environ = os.Environ()
	}
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	s := mcp.New(configs, o)
	t.Cleanup(func() {
		pids := []int{}
		for _, state := range s.States() {
			if state.PID != 0 {
				pids = append(pids, state.PID)
			}
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		for _, pid := range pids {
			if syscall.Kill(-pid, 0) == nil {
				t.Errorf("process %d outlives the servers", pid)
			}
		}
	})
	return s
}

const short, long = 2 * time.Second, time.Minute

// Whatever a server does costs a clear error or a bounded result, and a server that still runs can be called again.
func TestFaultsOfServersEndInClearErrors(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault   string
		timeout time.Duration
		state   string // in the error of the start; "": it starts
		call    string // in the error or result of a call
		isError bool   // the tool failed, not the server
	}{
		{"none", long, "", `echo {"text":"hi"}`, false},
		{"dies at once", long, "Its last line: cannot find", "", false},
		{"dies at initialize", long, "exit code 2", "", false},
		{"refuses initialize", long, "not today", "", false},
		{"no JSON", short, "did not start", "", false},
		{"endless line", long, "did not start", "", false},
		{"empty answer", short, "did not start", "", false},
		{"an answer of another type", long, "did not start", "", false},
		{"unknown protocol", long, "did not start", "", false},
		{"no capabilities", long, "", "echo", false},
		{"dies at the list", long, "did not start", "", false},
		{"hangs at the list", short, "no answer within", "", false},
		{"refuses the list", long, "not today", "", false},
		{"the list is text", long, "did not start", "", false},
		{"10,000 tools", long, "", "echo", false},
		{"endless pages", long, "", "echo", false},
		{"a schema 200 deep", long, "", "echo", false},
		{"a huge schema", long, "", "echo", false},
		{"a schema of a list", long, "", "echo", false},
		{"no schema", long, "", "echo", false},
		{"a name twice", long, "", "echo", false},
		{"odd names", long, "", "echo", false},
		{"hostile text", long, "", "echo", false},
		{"hangs at a call", short, "", "no answer within 2s; mcp.odd.timeout", false},
		{"refuses a call", long, "", "not today", false},
		{"no JSON at a call", short, "", "failed at echo", false},
		{"64 MB result", long, "", "failed at echo", false},
		{"an empty result", long, "", "(no output)", false},
		{"null", short, "", "", false},
		{"content of an unknown kind", long, "", "failed at echo", false},
		{"an error of the tool", long, "", "no such row", true},
		{"all kinds", long, "", "[image 1]", false},
		{"structured", long, "", `"rows": 2`, false},
		{"progress", long, "", "echo", false},
		{"a changed list", long, "", "echo", false},
		{"log lines", long, "", "echo", false},
		{"unknown requests", long, "", "echo", false},
		{"ends after a call", long, "", "echo", false},
		{"ignores the end", long, "", "echo", false},
		{"leaves a child", long, "", "echo", false},
	} {
		t.Run(c.fault, func(t *testing.T) {
			t.Parallel()
			s := open(t, mcp.Options{}, faultyServer(c.fault, c.timeout))
			start(t, s, c.state == "")
			state := s.States()[0]
			if c.state == "" != (state.Phase == mcp.Ready) || !strings.Contains(state.Error, c.state) {
				t.Fatalf("the state is %+v, want an error with %q", state, c.state)
			}
			checkSafe(t, state.Error)
			checkTools(t, s, c.fault)
			if c.state != "" {
				return
			}
			r, err := s.Call(t.Context(), "odd", "echo", json.RawMessage(`{"text":"hi"}`), nil)
			text := r.Text
			if err != nil {
				text = err.Error()
			}
			checkSafe(t, text)
			if !strings.Contains(text, c.call) || r.IsError != c.isError {
				t.Errorf("a call gives %.300q (%v), want %q", text, r.IsError, c.call)
			}
			for _, line := range s.Log("odd") {
				checkSafe(t, line)
			}
		})
	}
}

// checkSafe checks that a text is bounded, has no control characters, and shows no key.
func checkSafe(t *testing.T, text string) {
	t.Helper()
	if strings.ContainsAny(text, "\x1b\x07\u202e") || strings.Contains(text, "s3cr3t") || len(text) > 20<<20 {
		t.Errorf("%.300q is not safe", text)
	}
}

// toolsOf are the full names of the tools that servers with odd lists have, and what is logged about the others.
var toolsOf = map[string]struct {
	names []string
	log   string
}{
	"a schema 200 deep":  {[]string{"mcp__odd__echo"}, "the tool deep is left out: its schema is deeper than 32"},
	"a huge schema":      {[]string{"mcp__odd__echo"}, "longer than 64 KiB"},
	"a schema of a list": {[]string{"mcp__odd__echo"}, "the tool list is left out: its arguments are no object"},
	"no schema":          {[]string{"mcp__odd__echo", "mcp__odd__untyped"}, "the tool bare is left out"},
	"a name twice":       {[]string{"mcp__odd__echo"}, "its name stands twice"},
	"endless pages":      {nil, ""},
	"odd names":          {[]string{"mcp__odd__a_b_c_4096b9fb", "mcp__odd__" + strings.Repeat("n", 45) + "_5511b515"}, ""},
}

// checkTools checks that the tools of a server with a fault are bounded and named for models.
func checkTools(t *testing.T, s *mcp.Servers, fault string) {
	t.Helper()
	var names []string
	for _, tool := range s.Tools() {
		checkSafe(t, tool.Description+tool.FullName)
		names = append(names, tool.FullName)
		if len(tool.FullName) > 64 || !strings.Contains(string(tool.Schema), `"type":"object"`) {
			t.Errorf("a model cannot be given %+v", tool)
		}
	}
	if want, ok := toolsOf[fault]; ok && (!slices.Equal(names, want.names) || !strings.Contains(strings.Join(s.Log("odd"), "\n"), want.log)) {
		t.Errorf("tools %q, log %q", names, s.Log("odd"))
	}
	if fault == "10,000 tools" && len(names) != 1000 {
		t.Errorf("%d of 10,000 tools are used", len(names))
	}
}

func TestServerThatEndedIsStartedByTheNextCall(t *testing.T) {
	t.Parallel()
	changed := make(chan string, 10)
	s := open(t, mcp.Options{Changed: func(name string) { changed <- name }}, faultyServer("ends after a call", long))
	for range 3 {
		if r, err := s.Call(t.Context(), "odd", "echo", nil, nil); err != nil || r.Text != "echo {}" {
			t.Fatalf("a call gives %+v, %v", r, err)
		}
		if name := <-changed; name != "odd" {
			t.Errorf("%q has changed", name)
		}
	}
	if state := s.States()[0]; state.Phase != mcp.Stopped || !strings.Contains(state.Error, "odd ended") {
		t.Errorf("the state is %+v", state)
	}
	if err := s.Restart(t.Context(), "odd"); err != nil || s.States()[0].Phase != mcp.Ready {
		t.Errorf("restart: %v, %+v", err, s.States())
	}
}

func TestChangedListIsReadAgain(t *testing.T) {
	t.Parallel()
	changed := make(chan string, 100)
	s := open(t, mcp.Options{Changed: func(name string) { changed <- name }}, faultyServer("a changed list", long))
	if _, err := s.Call(t.Context(), "odd", "echo", nil, nil); err != nil {
		t.Fatal(err)
	}
	<-changed
	if n := len(s.Tools()); n != 2 {
		t.Errorf("%d tools after the list changed, want 2", n)
	}
}

func TestProgressReachesItsCallAndKeepsItAlive(t *testing.T) {
	t.Parallel()
	s := open(t, mcp.Options{}, faultyServer("progress", long))
	lines := make(chan string, 10)
	if _, err := s.Call(t.Context(), "odd", "echo", nil, func(text string) { lines <- text }); err != nil {
		t.Fatal(err)
	}
	close(lines)
	for line := range lines {
		if !strings.HasPrefix(line, "step") || !strings.HasSuffix(line, "of 3)\n") {
			t.Errorf("progress %q", line)
		}
	}
}

func TestCancelledCallReturnsAtOnce(t *testing.T) {
	t.Parallel()
	s := open(t, mcp.Options{}, faultyServer("hangs at a call", long))
	s.Start(t.Context())
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := s.Call(ctx, "odd", "echo", nil, nil); err != context.Canceled {
		t.Errorf("the error is %v", err)
	}
	// One whose input is not read ends too.
	big := json.RawMessage(`{"text":"` + strings.Repeat("a", 1<<20) + `"}`)
	ctx, cancel = context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := s.Call(ctx, "odd", "echo", big, nil); err != context.Canceled {
		t.Errorf("the error is %v", err)
	}
}

func TestAllowedAndDeniedTools(t *testing.T) {
	t.Parallel()
	c := faultyServer("no schema", long)
	c.Allow, c.Deny = []string{"echo", "untyped"}, []string{"untyped"}
	s := open(t, mcp.Options{}, c)
	if s.Start(t.Context()); len(s.Tools()) != 1 || s.Tools()[0].Name != "echo" {
		t.Errorf("tools %+v", s.Tools())
	}
}

func TestServersGetNoKeysButTheirOwn(t *testing.T) {
	t.Parallel()
	s := open(t, mcp.Options{Environ: append(os.Environ(), "OPENAI_API_KEY=sk-0123456789", "PLAIN=x", "LC_ALL=C")},
		mcp.Config{Name: "env", Command: []string{"sh", "-c", "env >&2; exit 1"}, Env: map[string]string{"MY_TOKEN": "mine-12345"}, Timeout: long})
	s.Start(t.Context())
	log := strings.Join(s.Log("env"), "\n")
	if strings.Contains(log, "sk-0123456789") || !strings.Contains(log, "MY_TOKEN=(hidden)") || strings.Contains(log, "PLAIN") || !strings.Contains(log, "LC_ALL=C") {
		t.Errorf("the program got %s", log)
	}
	missing := open(t, mcp.Options{}, mcp.Config{Name: "gone", Command: []string{"no-such-program-here"}, Timeout: long})
	if missing.Start(t.Context()); !strings.Contains(missing.States()[0].Error, "no such program; install it") {
		t.Errorf("the error is %q", missing.States()[0].Error)
	}
}

package cli_test

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"plimsoll/cli"
	"plimsoll/cli/console"
	"plimsoll/conversation"
	"plimsoll/storage"
)

// Each script in testdata/script runs the program in a new folder, with a scripted server on loopback if it needs one.
// Commands of the scripts:
//
//	plimsoll ARG...         run it in the process of the tests, which is fast, with standard input if the line above is
//	                        "input FILE"; paths are absolute
//	exec program ARG...     run it as a process
//	code N PROGRAM ARG...   run either and expect exit code N
//	serve FILE              start a scripted server at $HOST; $URL is its base URL
//	unserve                 the newest server answers no more
//	requests N              so many chat requests have been made
//	sent FILE               write the bodies of the chat requests, one a line
//	interrupt TEXT PROGRAM ARG...
//	                        run it, interrupt it when it has written TEXT, or, if that
//	                        is HANG, when the server hangs in a reply; expect 130
//	converse ID FILE [TEXT] store a conversation of the bodies in FILE, one a
//	                        line, with the system prompt TEXT
//	arriving ID TEXT        store a partial reply, as of a killed program
//	learned KEY WINDOW      store the window that an overflow revealed for "endpoint model"
//	hold ID                 have a conversation open for writing elsewhere
//	value FILE PATH WANT    the JSON in FILE has WANT at PATH (a.0.b)
//	only FILE NAME...       the JSON object in FILE has exactly these names

// TestMain runs the test binary as the program in processes of scripts.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	_ = flag.Set("test.parallel", "4") // the tests mostly wait for programs and servers; the flag on the command line wins
	testscript.Main(m, map[string]func(){"program": func() { os.Exit(program()) }})
}

// program runs the program as package main does.
func program() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	dir, errDir := os.Getwd()
	example, errExample := os.ReadFile(os.Getenv("EXAMPLE"))
	if err := errors.Join(errDir, errExample); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return cli.Run(ctx, console.Env{Args: os.Args[1:], Lookup: os.LookupEnv, Environ: os.Environ(), Dir: dir,
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Version: "1.2.3-test", Example: example})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	example, err := filepath.Abs("../config.yaml.example")
	if err != nil {
		t.Fatal(err)
	}
	stores, err := filepath.Abs("transfer/testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireUniqueNames:  true,
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			for name, value := range map[string]string{
				"HOME": "home", "XDG_CONFIG_HOME": "home/config", "XDG_DATA_HOME": "home/data", "XDG_STATE_HOME": "home/state",
			} {
				e.Setenv(name, filepath.Join(e.WorkDir, value))
			}
			for name, value := range map[string]string{"PLIMSOLL_NO_PROBE": "1", "TERM": "dumb", "TZ": "UTC", "EXAMPLE": example, "STORES": stores,
				// The race detector otherwise waits a second at the end of every process.
				"GORACE": "atexit_sleep_ms=0"} {
				e.Setenv(name, value)
			}
			e.Values[holder] = &scriptState{}
			return os.MkdirAll(filepath.Join(e.WorkDir, "home"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"plimsoll": cmdPlimsoll, "input": cmdInput, "code": cmdCode, "serve": cmdServe, "unserve": cmdUnserve, "requests": cmdRequests, "sent": cmdSent, "interrupt": cmdInterrupt,
			"converse": cmdConverse, "hold": cmdHold, "arriving": cmdArriving, "learned": cmdLearned, "value": cmdValue, "only": cmdOnly,
		},
	})
}

// scriptState is the state that the commands of one script share.
type scriptState struct {
	server *scriptedServer
	store  *storage.Store
	input  string // of the next plimsoll
}

type holderKey struct{}

var holder holderKey

func stateOf(ts *testscript.TestScript) *scriptState { return ts.Value(holder).(*scriptState) }

func dataStore(ts *testscript.TestScript) *storage.Store {
	w := stateOf(ts)
	if w.store == nil {
		s, err := storage.Open(filepath.Join(ts.Getenv("XDG_DATA_HOME"), "plimsoll"), storage.Options{})
		ts.Check(err)
		w.store = s
		ts.Defer(func() { _ = s.Close() }) // its folder is removed after the script
	}
	return w.store
}

func checkUsage(ts *testscript.TestScript, neg bool, args []string, least int, usage string) {
	if neg || len(args) < least {
		ts.Fatalf("usage: %s", usage)
	}
}

// run runs the program in this process and returns its exit code.
func run(ts *testscript.TestScript, args []string) int {
	lookup := func(name string) (string, bool) {
		value := ts.Getenv(name)
		return value, value != ""
	}
	example, err := os.ReadFile(ts.Getenv("EXAMPLE"))
	ts.Check(err)
	out, errs := newOutputWatcher(""), newOutputWatcher("") // the program writes from several goroutines
	input := strings.NewReader(stateOf(ts).input)
	stateOf(ts).input = ""
	code := cli.Run(context.Background(), console.Env{Args: args, Lookup: lookup, Environ: environ(ts), Dir: ts.MkAbs("."),
		Stdin: input, Stdout: out, Stderr: errs, Version: "1.2.3-test", Example: example})
	fmt.Fprint(ts.Stdout(), out.text())
	fmt.Fprint(ts.Stderr(), errs.text())
	return code
}

func cmdPlimsoll(ts *testscript.TestScript, neg bool, args []string) {
	if code := run(ts, args); (code != 0) != neg {
		ts.Fatalf("exit code %d", code)
	}
}

func cmdInput(ts *testscript.TestScript, neg bool, args []string) {
	checkUsage(ts, neg, args, 1, "input FILE")
	stateOf(ts).input = ts.ReadFile(args[0])
}

func cmdCode(ts *testscript.TestScript, neg bool, args []string) {
	checkUsage(ts, neg, args, 2, "code N PROGRAM ARG...")
	got := 0
	if args[1] == "plimsoll" {
		got = run(ts, args[2:])
	} else if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, not %s", got, args[0])
	}
}

func cmdServe(ts *testscript.TestScript, neg bool, args []string) {
	checkUsage(ts, neg, args, 1, "serve FILE")
	script, err := readScript(ts.ReadFile(args[0]))
	ts.Check(err)
	s := newScriptedServer(script)
	ts.Defer(s.Close)
	stateOf(ts).server = s
	ts.Setenv("URL", s.URL+"/v1")
	ts.Setenv("HOST", strings.TrimPrefix(s.URL, "http://"))
}

func cmdUnserve(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: unserve")
	}
	stateOf(ts).server.ended.Store(true)
}

func cmdRequests(ts *testscript.TestScript, neg bool, args []string) {
	checkUsage(ts, neg, args, 1, "requests N")
	if got := strconv.Itoa(stateOf(ts).server.count()); got != args[0] {
		ts.Fatalf("%s chat requests, not %s", got, args[0])
	}
}

func cmdSent(ts *testscript.TestScript, neg bool, args []string) {
	checkUsage(ts, neg, args, 1, "sent FILE")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(stateOf(ts).server.bodies()), 0o600))
}

// scriptEnv are the variables that the program and its commands get from a script.
var scriptEnv = []string{"PATH", "TMPDIR", "HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "PLIMSOLL_NO_PROBE", "TERM", "EXAMPLE", "GORACE"}

func environ(ts *testscript.TestScript) (env []string) {
	for _, name := range scriptEnv {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}

func cmdInterrupt(ts *testscript.TestScript, neg bool, args []string) {
	checkUsage(ts, neg, args, 2, "interrupt TEXT PROGRAM ARG...")
	out, errs := newOutputWatcher(args[0]), newOutputWatcher(args[0])
	path := filepath.Join(strings.SplitN(ts.Getenv("PATH"), string(filepath.ListSeparator), 2)[0], args[1])
	c := exec.Command(path, args[2:]...)
	c.Dir = ts.MkAbs(".")
	c.Env = environ(ts)
	c.Stdout, c.Stderr = out, errs
	ts.Check(c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	var hangs chan struct{}
	if args[0] == "HANG" {
		hangs = stateOf(ts).server.hangs
	}
	select {
	case <-hangs:
		ts.Check(c.Process.Signal(os.Interrupt))
	case <-out.seen:
		ts.Check(c.Process.Signal(os.Interrupt))
	case <-errs.seen:
		ts.Check(c.Process.Signal(os.Interrupt))
	case err := <-ended:
		ts.Fatalf("it ended before it could be interrupted: %v\n%s", err, errs.text())
	}
	late := time.AfterFunc(30*time.Second, func() { _ = c.Process.Kill() })
	defer late.Stop()
	err := <-ended
	fmt.Fprint(ts.Stdout(), out.text())
	fmt.Fprint(ts.Stderr(), errs.text())
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 130 {
		ts.Fatalf("it ended with %v, not exit code 130", err)
	}
}

// outputWatcher stores output and closes a channel once it contains a text.
type outputWatcher struct {
	want string
	seen chan struct{}

	mu  sync.Mutex // guards buf
	buf strings.Builder
}

func newOutputWatcher(want string) *outputWatcher {
	return &outputWatcher{want: want, seen: make(chan struct{})}
}

func (s *outputWatcher) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := strings.Contains(s.buf.String(), s.want)
	s.buf.Write(p)
	if !before && strings.Contains(s.buf.String(), s.want) {
		close(s.seen)
	}
	return len(p), nil
}

func (s *outputWatcher) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

func cmdConverse(ts *testscript.TestScript, neg bool, args []string) {
	checkUsage(ts, neg, args, 2, "converse ID FILE [TEXT]")
	ctx := context.Background()
	w, err := dataStore(ts).Create(ctx, storage.NewConversation{ID: args[0], Workspace: ts.MkAbs(".")})
	ts.Check(err)
	bodies := readBodies(ts, args[1])
	if len(args) > 2 {
		text := ts.ReadFile(args[2])
		name, err := w.PutBlob(ctx, text)
		ts.Check(err)
		in := conversation.Instructions{System: name, SystemSize: conversation.Measure(text)}
		bodies = append([]conversation.Body{in}, bodies...)
	}
	var log conversation.Log
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, b := range bodies {
		events := log.Prepare(at, b)
		ts.Check(w.Append(ctx, events))
		ts.Check(log.Commit(events))
		at = at.Add(time.Second)
	}
	ts.Check(w.Close())
}

// readBodies reads event bodies in their stored form, without the numbers.
func readBodies(ts *testscript.TestScript, file string) []conversation.Body {
	var out []conversation.Body
	for line := range strings.Lines(ts.ReadFile(file)) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "{")
		if !ok {
			continue
		}
		e, err := conversation.Unmarshal([]byte(`{"seq":1,"time":"2026-01-02T03:04:05Z",` + rest))
		ts.Check(err)
		out = append(out, e.Body)
	}
	return out
}

func cmdArriving(ts *testscript.TestScript, neg bool, args []string) {
	checkUsage(ts, neg, args, 2, "arriving ID TEXT")
	ctx := context.Background()
	events, _, err := dataStore(ts).Load(ctx, args[0])
	ts.Check(err)
	w, err := dataStore(ts).OpenWriter(ctx, args[0])
	ts.Check(err)
	ts.Check(w.KeepPartial(ctx, conversation.PartialReply{After: uint64(len(events)), Model: "custom/test-model", Text: args[1]}))
	ts.Check(w.Close())
}

func cmdLearned(ts *testscript.TestScript, neg bool, args []string) {
	checkUsage(ts, neg, args, 2, "learned KEY WINDOW")
	window, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(dataStore(ts).SaveCalibration(context.Background(), args[0],
		conversation.Calibration{Factor: 1.5, Samples: 3, Window: window}))
}

func cmdHold(ts *testscript.TestScript, neg bool, args []string) {
	checkUsage(ts, neg, args, 1, "hold ID")
	s := dataStore(ts)
	id, err := s.Resolve(context.Background(), args[0])
	ts.Check(err)
	w, err := s.OpenWriter(context.Background(), id)
	ts.Check(err)
	ts.Defer(func() { _ = w.Close() }) // closing only lets others write
}

func cmdValue(ts *testscript.TestScript, neg bool, args []string) {
	checkUsage(ts, neg, args, 3, "value FILE PATH WANT")
	v := valueAt(ts, args[0], args[1])
	got, err := json.Marshal(v)
	ts.Check(err)
	if s, ok := v.(string); ok {
		got = []byte(s)
	}
	if string(got) != args[2] {
		ts.Fatalf("%s is %s, not %s", args[1], got, args[2])
	}
}

func valueAt(ts *testscript.TestScript, file, path string) any {
	var v any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &v))
	for _, name := range strings.Split(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			inside, ok := at[name]
			if !ok {
				ts.Fatalf("there is no %q on the way to %s", name, path)
			}
			v = inside
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(at) {
				ts.Fatalf("there is no element %s on the way to %s, of %d", name, path, len(at))
			}
			v = at[i]
		default:
			ts.Fatalf("%q leads nowhere on the way to %s", name, path)
		}
	}
	return v
}

func cmdOnly(ts *testscript.TestScript, neg bool, args []string) {
	checkUsage(ts, neg, args, 2, "only FILE NAME...")
	var v map[string]json.RawMessage
	data := strings.TrimSpace(ts.ReadFile(args[0]))
	if strings.HasPrefix(data, "[") {
		var list []map[string]json.RawMessage
		ts.Check(json.Unmarshal([]byte(data), &list))
		v = list[0]
	} else {
		ts.Check(json.NewDecoder(strings.NewReader(data)).Decode(&v))
	}
	for _, name := range args[1:] {
		if _, ok := v[name]; !ok {
			ts.Fatalf("there is no %q", name)
		}
		delete(v, name)
	}
	for name := range v {
		ts.Fatalf("there is %q, too", name)
	}
}

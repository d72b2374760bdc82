// Package mcp is the client of servers that speak the Model Context Protocol. It is the only importer of its SDK.
//
// A server is a program, over its standard input and output, or an address, over streamable HTTP. Whatever a server does (dies,
// hangs, floods, lies about its tools, sends hostile text) costs an error that says what happened, and nothing else: every wait
// is limited, every text is bounded and cleaned, and its processes end with this program. A server gets no key but its own.
package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"plimsoll/conversation"
	"plimsoll/tools/sandbox"
)

// Config describes one server: a program or an address.
type Config struct {
	Name        string
	Command     []string          // program and arguments
	URL         string            // of streamable HTTP, in place of Command
	Env         map[string]string // of the program
	Headers     map[string]string // of requests to the host of URL
	OAuth       bool              // log in by the browser when the server asks for it
	Allow, Deny []string          // names of tools; Allow empty: all
	Sampling    bool              // it may ask the model, after the user's yes
	Timeout     time.Duration     // of the start, and of a call without progress; 0: 30 s
}

// defaultTimeout is the timeout of a server without one.
const defaultTimeout = 30 * time.Second

// Options are what servers may use of the program.
type Options struct {
	Dir     string                                      // workspace: where programs start, and the root that servers are told
	Environ []string                                    // of the user; programs get it without keys
	Changed func(server string)                         // a server ended, or offers other tools; it must not block. nil: ignored
	Tokens  TokenStore                                  // keeps logins; nil: until the program ends
	Browse  func(ctx context.Context, url string) error // shows the user a page to log in; nil: no login
	HTTP    http.RoundTripper                           // nil: http.DefaultTransport
	// Confine opens the place of a server's program, which is closed when it has ended. nil: programs are not confined.
	Confine func(server string) (*sandbox.Program, error)

	// Elicit shows a form of a server to the user; the action is accept, decline or cancel. No timeout runs meanwhile. nil: decline.
	Elicit func(ctx context.Context, server, message string, fields []conversation.FormField) (values map[string]any, action string, err error)
	// Sample asks the model for a server that may.
	Sample func(ctx context.Context, server string, request SampleRequest) (SampleReply, error)
}

// TokenStore keeps logins by the address of their server.
type TokenStore interface {
	Load(url string) ([]byte, error) // nil without one
	Save(url string, login []byte) error
}

// Tool is a tool that a server offers. Its texts are the server's own, cleaned and bounded.
type Tool struct {
	Server, Name string
	FullName     string // mcp__SERVER__TOOL, at most 64 characters; see fullName
	Description  string
	Schema       json.RawMessage // of its arguments: an object
}

// Size is that of the tool's declaration.
func (t Tool) Size() conversation.Size {
	return conversation.Measure(t.FullName + t.Description + string(t.Schema))
}

// Phase is what a server is doing.
type Phase string

// The phases of a server.
const (
	Idle     Phase = "idle" // not started
	Starting Phase = "starting"
	Ready    Phase = "ready"
	Failed   Phase = "failed"  // it could not be started
	Stopped  Phase = "stopped" // it ended; the next call starts it
)

// State is a server's state.
type State struct {
	Name    string
	Phase   Phase
	Version string // its name and version, as it reports them
	Error   string // why it failed or stopped
	Tools   int    // offered and allowed
	PID     int    // of its program, 0 without one
}

// Result is the result of a call.
type Result struct {
	Text    string
	IsError bool     // the tool says that it failed
	Images  [][]byte // not checked; the text names them, counted from 1
}

// Servers are the servers of a configuration. Its methods may be called from several goroutines.
type Servers struct {
	servers []*server // sorted by name
	stop    context.CancelFunc
	tasks   sync.WaitGroup // everything that servers started
}

// New returns servers that are not started.
func New(configs []Config, o Options) *Servers {
	ctx, stop := context.WithCancel(context.Background())
	s := &Servers{stop: stop}
	for _, c := range configs {
		if c.Timeout <= 0 {
			c.Timeout = defaultTimeout
		}
		s.servers = append(s.servers, newServer(ctx, c, &o, &s.tasks))
	}
	slices.SortFunc(s.servers, func(a, b *server) int { return strings.Compare(a.config.Name, b.config.Name) })
	return s
}

// Start starts the servers that are not running, all at once, and returns when each is ready or has failed, or when ctx ends. One
// that failed is tried again.
func (s *Servers) Start(ctx context.Context) {
	var all sync.WaitGroup
	for _, one := range s.servers {
		all.Go(func() { _ = one.start(ctx) }) // its state has the error
	}
	all.Wait()
}

// Restart ends a server, if it runs, and starts it.
func (s *Servers) Restart(ctx context.Context, name string) error {
	one, err := s.find(name)
	if err != nil {
		return err
	}
	one.end()
	one.silent.Store(false)
	return one.start(ctx)
}

// Tools lists the tools of the servers that are ready, sorted by server and name.
func (s *Servers) Tools() []Tool {
	var out []Tool
	for _, one := range s.servers {
		out = append(out, one.offered()...)
	}
	return out
}

// Call calls a tool, and starts its server if it has ended. progress gets what the server says on the way; it must not block. The
// error says which server failed, and how.
func (s *Servers) Call(ctx context.Context, name, tool string, arguments json.RawMessage, progress func(string)) (Result, error) {
	one, err := s.find(name)
	if err != nil {
		return Result{}, err
	}
	return one.call(ctx, tool, arguments, progress)
}

// States lists the states of all servers, sorted by name.
func (s *Servers) States() []State {
	out := make([]State, len(s.servers))
	for i, one := range s.servers {
		out[i] = one.state()
	}
	return out
}

// Log is the newest lines that a server wrote to its standard error or logged.
func (s *Servers) Log(name string) []string {
	one, err := s.find(name)
	if err != nil {
		return nil
	}
	return one.log.lines()
}

// Close ends all servers with their processes, and waits for everything they started.
func (s *Servers) Close() error {
	s.stop()
	var all sync.WaitGroup
	for _, one := range s.servers {
		all.Go(one.end)
	}
	all.Wait()
	s.tasks.Wait()
	return nil
}

func (s *Servers) find(name string) (*server, error) {
	for _, one := range s.servers {
		if one.config.Name == name {
			return one, nil
		}
	}
	return nil, fmt.Errorf("there is no server %q", name)
}

// maxLog is how many lines of a server are kept, and lineChars how many characters of each.
const (
	maxLog    = 200
	lineChars = 500
)

// ring keeps the newest lines of a server.
type ring struct {
	hide func(string) string

	mu    sync.Mutex // guards what follows
	kept  []string
	begun []byte // of a line that has not ended
}

// Write adds the output of a program, line by line. It never fails.
func (r *ring) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for rest := p; len(rest) > 0; {
		line, after, ended := strings.Cut(string(rest), "\n")
		if room := 4*lineChars - len(r.begun); room > 0 {
			r.begun = append(r.begun, line[:min(room, len(line))]...)
		}
		if rest = []byte(after); ended {
			r.add(string(r.begun))
			r.begun = r.begun[:0]
		}
	}
	return len(p), nil
}

func (r *ring) add(line string) {
	if line = oneLine(r.hide(line), lineChars); line == "" {
		return
	}
	if len(r.kept) == maxLog {
		r.kept = slices.Delete(r.kept, 0, 1)
	}
	r.kept = append(r.kept, line)
}

func (r *ring) addLine(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.add(line)
}

func (r *ring) lines() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.begun) > 0 {
		return append(slices.Clone(r.kept), oneLine(r.hide(string(r.begun)), lineChars))
	}
	return slices.Clone(r.kept)
}

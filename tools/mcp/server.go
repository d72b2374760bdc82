package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"plimsoll/tools/sandbox"
	"plimsoll/tools/shell"
)

// A server starts once for all that wait for it. It is started by the first message, and by a call after it ended. The start does
// not end with the turn that waited for it.

func newServer(ctx context.Context, c Config, o *Options, tasks *sync.WaitGroup) *server {
	s := &server{config: c, options: o, lifetime: ctx, live: ctx, tasks: tasks, secrets: newSecrets(c), phase: Idle, progress: map[string]func(string){}}
	s.log.hide = s.secrets.all.hide
	return s
}

// server is one server and its connection.
type server struct {
	config   Config
	options  *Options
	lifetime context.Context // ends with Servers
	tasks    *sync.WaitGroup
	log      ring
	login    login
	secrets  secrets
	asking   atomic.Int32 // questions to the user that are open: no timeout runs
	refusals atomic.Int32 // questions in a row that the user refused
	silent   atomic.Bool  // a list of what it offers was given up, and it has answered nothing since
	changing atomic.Bool  // the server said that its list changed, and the SDK has not heard it yet

	mu       sync.Mutex // guards what follows
	phase    Phase
	err      error              // why it failed or stopped
	starting chan struct{}      // closed when the start that is under way is over; nil without one
	live     context.Context    // of the newest session; before the first, lifetime
	session  *sdk.ClientSession // nil unless ready
	program  *program           // nil for an address
	hangUp   func()             // ends what the session does
	odd      string             // the last thing that it did against the protocol
	tools    []Tool
	listing  bool // its list of tools is being read again
	stale    bool // its list changed meanwhile
	calls    int
	progress map[string]func(string) // by token, of the calls under way
}

// program is the program of a server, confined.
type program struct {
	*shell.Program
	confined *sandbox.Program
}

// Close ends the program, then what confined it.
func (p *program) Close() error { return errors.Join(p.Program.Close(), p.confined.Close()) }

// maxMessage is the longest message that is read of a server, in bytes.
const maxMessage = 8 << 20

// start starts the server unless it is ready, and returns why it failed. It returns at once if ctx ends; the start goes on.
func (s *server) start(ctx context.Context) error {
	s.mu.Lock()
	if s.phase == Ready {
		s.mu.Unlock()
		return nil
	}
	if s.lifetime.Err() != nil {
		s.mu.Unlock()
		return errors.New("the program ends")
	}
	if s.starting == nil {
		done := make(chan struct{})
		s.starting, s.odd = done, ""
		s.set(Starting, nil)
		s.tasks.Go(func() {
			err := s.connect()
			s.mu.Lock()
			if err != nil {
				s.set(Failed, err)
			}
			s.starting = nil
			s.mu.Unlock()
			close(done)
		})
	}
	done := s.starting
	s.mu.Unlock()
	select {
	case <-done:
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// connect starts the program or opens the connection, and reads the list of tools. A server that refuses to begin as those of
// today do is asked to begin as the next version of the protocol does; others might end when they are asked that first.
func (s *server) connect() error {
	err := s.connectAs(legacyVersion)
	if answered(err) != nil && s.connectAs("") == nil {
		return nil
	}
	return err
}

// legacyVersion is the newest version of the protocol that begins with initialize.
const legacyVersion = "2025-11-25"

func (s *server) connectAs(version string) error {
	ctx, _, stop := s.patience(s.lifetime)
	defer stop()
	live, hangUp := context.WithCancel(s.lifetime)
	s.mu.Lock()
	s.live = live
	s.mu.Unlock()
	program, transport, err := s.transport(live)
	if err != nil {
		hangUp()
		return err
	}
	var session *sdk.ClientSession
	found, err := safely(func() (found []Tool, err error) {
		if session, err = s.client().Connect(ctx, transport, &sdk.ClientSessionOptions{ProtocolVersion: version}); err != nil {
			return nil, err
		}
		return s.list(ctx, session)
	})
	if err != nil {
		err = s.explain(ctx, program, "did not start", err)
		if program != nil && s.lifetime.Err() == nil && answered(err) == nil {
			err = withHint(err, cmp.Or(s.keptFrom(program, s.log.lines()...), program.confined.Doubt()))
		}
		hangUp()
		closeSession(session, transport)
		if program != nil {
			_ = program.Close() // how it ended is in err, if it did
		}
		return err
	}
	s.mu.Lock()
	s.set(Ready, nil)
	s.session, s.program, s.hangUp, s.tools = session, program, func() { hangUp(); closeSession(nil, transport) }, found
	s.mu.Unlock()
	s.tasks.Go(func() { s.watch(session, program, hangUp) })
	s.tasks.Go(func() { s.wantLog(session) })
	return nil
}

// closeSession ends a session. What is still read of a program ends too, so that nothing waits for it.
func closeSession(session *sdk.ClientSession, transport sdk.Transport) {
	if p, ok := transport.(*pipe); ok {
		_ = p.Close() // it has no error
	}
	if session != nil {
		_ = session.Close() // how it ends is of no interest
	}
}

// set sets the phase, and why; the caller holds mu.
func (s *server) set(phase Phase, err error) { s.phase, s.err = phase, err }

// transport is how the server is reached; program is nil for an address. Over HTTP all ends with live.
func (s *server) transport(live context.Context) (*program, sdk.Transport, error) {
	if s.config.URL != "" {
		return nil, s.httpTransport(live), nil
	}
	if len(s.config.Command) == 0 {
		return nil, nil, fmt.Errorf("the server %s has neither a program nor an address", s.config.Name)
	}
	var confined *sandbox.Program
	var err error
	if s.options.Confine != nil {
		confined, err = s.options.Confine(s.config.Name)
	}
	one := &program{confined: confined}
	if err == nil {
		one.Program, err = shell.StartProgram(s.config.Command, s.options.Dir, environment(s.options.Environ, s.config.Env), &s.log, confined.Start)
	}
	if err != nil {
		_ = confined.Close() // nothing ran in it
		err = fmt.Errorf("the server %s: %w", s.config.Name, err)
		if errors.Is(err, sandbox.ErrUnavailable) {
			err = withHint(err, "mcp."+s.config.Name+".sandbox: off starts it without")
		}
		return nil, nil, err
	}
	return one, newPipe(s, one.Input, one.Output), nil
}

// keptFrom says what the sandbox kept a program from, by lines that it wrote; "" for nothing, and for an address.
func (s *server) keptFrom(p *program, lines ...string) string {
	if p == nil {
		return ""
	}
	return s.line(p.confined.KeptFrom(strings.Join(lines, "\n")))
}

// withHint adds a sentence to an error, unless it is empty.
func withHint(err error, hint string) error {
	if hint == "" {
		return err
	}
	return fmt.Errorf("%w; %s", err, hint)
}

// watch waits for the end of a session, and notes it.
func (s *server) watch(session *sdk.ClientSession, program *program, hangUp func()) {
	err := session.Wait()
	hangUp()
	_ = session.Close() // it has ended
	s.mu.Lock()
	current := s.session == session
	s.mu.Unlock()
	if current && s.lost(session, withHint(errors.New(s.howItEnded(program, err)), s.keptFrom(program, s.log.lines()...))) {
		s.notify()
	}
	if program != nil {
		_ = program.Close() // how it ended is noted
	}
}

// lost records that a session ended by itself. It reports false if that is recorded already.
func (s *server) lost(session *sdk.ClientSession, err error) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != session {
		return false
	}
	s.session, s.program, s.tools = nil, nil, nil
	s.set(Stopped, fmt.Errorf("the server %s ended: %w", s.config.Name, err))
	return true
}

func (s *server) notify() {
	if s.options.Changed != nil && s.lifetime.Err() == nil {
		s.options.Changed(s.config.Name)
	}
}

// end ends the session and waits until its program has ended.
func (s *server) end() {
	s.mu.Lock()
	session, program, hangUp := s.session, s.program, s.hangUp
	s.session, s.program, s.tools = nil, nil, nil
	if s.phase == Ready {
		s.set(Idle, nil)
	}
	s.mu.Unlock()
	if session != nil {
		hangUp()
		_ = session.Close() // how it ends is of no interest
	}
	if program != nil {
		_ = program.Close() // the same
	}
}

// offered is the tools of the server, if it is ready.
func (s *server) offered() []Tool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tools)
}

func (s *server) state() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	state := State{Name: s.config.Name, Phase: s.phase, Tools: len(s.tools)}
	if s.session != nil {
		if info := s.session.InitializeResult().ServerInfo; info != nil {
			state.Version = oneLine(s.line(info.Name+" "+info.Version), 100)
		}
	}
	if s.err != nil {
		state.Error = s.err.Error()
	}
	if s.program != nil {
		state.PID = s.program.PID()
	}
	return state
}

// listAgain reads the list of tools again, once for any number of changes that arrive meanwhile.
func (s *server) listAgain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stale = true
	if s.listing || s.session == nil || s.lifetime.Err() != nil {
		return
	}
	s.listing = true
	s.tasks.Go(func() {
		for {
			s.mu.Lock()
			session := s.session
			if s.listing = s.stale && session != nil; !s.listing {
				s.mu.Unlock()
				return
			}
			s.stale = false
			s.mu.Unlock()
			ctx, _, stop := s.patience(s.lifetime)
			found, err := safely(func() ([]Tool, error) { return s.list(ctx, session) })
			stop()
			s.mu.Lock()
			changed := err == nil && s.session == session
			if changed {
				s.tools = found
			}
			s.mu.Unlock()
			if err != nil {
				s.log.addLine("its tools could not be read again: " + err.Error())
			}
			if changed {
				s.notify()
			}
			select { // a list that never stops changing costs a look a second
			case <-time.After(betweenLists):
			case <-s.lifetime.Done():
			}
		}
	})
}

// Bounds of what a server says about its tools.
const (
	maxTools       = 1000
	maxDescription = 4000     // characters
	maxSchema      = 64 << 10 // bytes
	maxDepth       = 32       // of a schema
)

// list reads the list of tools. Those that are not allowed, and those that cannot be declared, are left out; the log says which.
func (s *server) list(ctx context.Context, session *sdk.ClientSession) ([]Tool, error) {
	if c := session.InitializeResult().Capabilities; c == nil || c.Tools == nil {
		return nil, nil
	}
	var out []Tool
	taken, cursor := map[string]bool{}, ""
	for range maxTools { // pages
		page, err := session.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		for _, t := range page.Tools {
			if t == nil || len(out) >= maxTools {
				continue
			}
			c := s.config
			if len(c.Allow) > 0 && !slices.Contains(c.Allow, t.Name) || slices.Contains(c.Deny, t.Name) {
				continue
			}
			tool, err := s.toolOf(t)
			if err == nil && taken[tool.FullName] {
				err = errors.New("its name stands twice")
			}
			if err != nil {
				s.log.addLine("the tool " + oneLine(t.Name, 64) + " is left out: " + err.Error())
				continue
			}
			taken[tool.FullName] = true
			out = append(out, tool)
		}
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	if len(out) >= maxTools {
		s.log.addLine(fmt.Sprintf("only the first %d tools are used", maxTools))
	}
	slices.SortFunc(out, func(a, b Tool) int { return strings.Compare(a.Name, b.Name) })
	return out, nil
}

// toolOf checks what a server says about a tool.
func (s *server) toolOf(t *sdk.Tool) (Tool, error) {
	if t.Name == "" {
		return Tool{}, errors.New("it has no name")
	}
	schema, err := json.Marshal(t.InputSchema)
	switch {
	case err != nil:
		return Tool{}, fmt.Errorf("its schema is no JSON: %w", err)
	case len(schema) > maxSchema:
		return Tool{}, fmt.Errorf("its schema is longer than %d KiB", maxSchema>>10)
	case depthOf(schema) > maxDepth:
		return Tool{}, fmt.Errorf("its schema is deeper than %d", maxDepth)
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(schema, &fields) != nil || fields == nil {
		return Tool{}, errors.New("its schema is no object")
	}
	if kind := string(fields["type"]); kind != `"object"` {
		if kind != "" {
			return Tool{}, errors.New("its arguments are no object")
		}
		fields["type"] = json.RawMessage(`"object"`)
		schema, _ = json.Marshal(fields) // what was decoded encodes again
	}
	return Tool{Server: s.config.Name, Name: t.Name, FullName: fullName(s.config.Name, t.Name),
		Description: s.described(t.Description), Schema: schema}, nil
}

// depthOf is how deep the objects and lists of a JSON text are nested.
func depthOf(text []byte) int {
	depth, deepest := 0, 0
	dec := json.NewDecoder(bytes.NewReader(text))
	for {
		t, err := dec.Token()
		if err != nil {
			return deepest
		}
		switch t {
		case json.Delim('{'), json.Delim('['):
			depth++
			deepest = max(deepest, depth)
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
	}
}

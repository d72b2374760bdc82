package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"plimsoll/tools/shell"
)

// A server starts once for all that wait for it. It is started by the first message, and by a call after it ended. The start does
// not end with the turn that waited for it.

// server is one server and its connection.
type server struct {
	config   Config
	options  *Options
	lifetime context.Context // ends with Servers
	tasks    *sync.WaitGroup
	log      ring
	login    login

	mu       sync.Mutex // guards what follows
	phase    Phase
	err      error              // why it failed or stopped
	starting chan struct{}      // closed when the start that is under way is over; nil without one
	session  *sdk.ClientSession // nil unless ready
	program  *shell.Program     // nil for an address
	version  string
	tools    []Tool
	listing  bool // its list of tools is being read again
	stale    bool // its list changed meanwhile
	calls    int
	progress map[string]func(string) // by token, of the calls under way
}

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
		s.starting, s.phase, s.err = done, Starting, nil
		s.tasks.Go(func() {
			err := s.connect()
			s.mu.Lock()
			if err != nil {
				s.phase, s.err = Failed, err
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

// connect starts the program or opens the connection, and reads the list of tools.
func (s *server) connect() error {
	limit := s.config.Timeout
	if s.config.OAuth {
		limit = max(limit, loginTimeout)
	}
	ctx, cancel := context.WithTimeoutCause(s.lifetime, limit, errTimeout)
	defer cancel()
	program, transport, err := s.transport()
	if err != nil {
		return err
	}
	session, err := s.client().Connect(ctx, transport, nil)
	var found []Tool
	if err == nil {
		found, err = s.list(ctx, session)
	}
	if err != nil {
		err = s.explain(ctx, "did not start", err)
		if session != nil {
			_ = session.Close() // the error that counts is err
		}
		if program != nil {
			if ended := program.Close(); ended != nil {
				err = fmt.Errorf("%w; its program ended with %w", err, ended)
			}
		}
		if words := s.log.lines(); len(words) > 0 {
			err = fmt.Errorf("%w. Its last line: %s", err, words[len(words)-1])
		}
		return err
	}
	version := ""
	if info := session.InitializeResult().ServerInfo; info != nil {
		version = oneLine(info.Name+" "+info.Version, 100)
	}
	s.mu.Lock()
	s.phase, s.session, s.program, s.version, s.tools = Ready, session, program, version, found
	s.mu.Unlock()
	s.tasks.Go(func() { s.watch(session, program) })
	return nil
}

// transport is how the server is reached; program is nil for an address.
func (s *server) transport() (*shell.Program, sdk.Transport, error) {
	if s.config.URL != "" {
		return nil, s.httpTransport(), nil
	}
	if len(s.config.Command) == 0 {
		return nil, nil, fmt.Errorf("the server %s has neither a program nor an address", s.config.Name)
	}
	env := shell.Environment(s.options.Environ, nil)
	for name, value := range s.config.Env {
		env = append(slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, name+"=") }), name+"="+value)
	}
	program, err := shell.StartProgram(s.config.Command, s.options.Dir, env, &s.log)
	if err != nil {
		return nil, nil, fmt.Errorf("the server %s: %w", s.config.Name, err)
	}
	return program, &sdk.IOTransport{Reader: program.Output, Writer: program.Input, MaxLineLength: maxMessage}, nil
}

// watch waits for the end of a session, and notes it.
func (s *server) watch(session *sdk.ClientSession, program *shell.Program) {
	err := session.Wait()
	_ = session.Close() // it has ended
	var ended error
	if program != nil {
		ended = program.Close()
	}
	s.mu.Lock()
	current := s.session == session
	if current {
		s.session, s.program, s.phase, s.tools = nil, nil, Stopped, nil
		s.err = fmt.Errorf("the server %s ended", s.config.Name)
		if cause := errors.Join(ended, err); cause != nil {
			s.err = fmt.Errorf("the server %s ended: %s", s.config.Name, oneLine(strings.ReplaceAll(cause.Error(), "\n", "; "), lineChars))
		}
	}
	s.mu.Unlock()
	if current {
		s.notify()
	}
}

func (s *server) notify() {
	if s.options.Changed != nil && s.lifetime.Err() == nil {
		s.options.Changed(s.config.Name)
	}
}

// end ends the session and waits until its program has ended.
func (s *server) end() {
	s.mu.Lock()
	session, program := s.session, s.program
	s.session, s.program, s.tools = nil, nil, nil
	if s.phase == Ready {
		s.phase = Idle
	}
	s.mu.Unlock()
	if program != nil {
		_ = program.Input.Close() // asks it to end, and frees a call that waits for it to read
	}
	if session != nil {
		_ = session.Close() // how it ends is of no interest
	}
	if program != nil {
		program.Wait()
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
	state := State{Name: s.config.Name, Phase: s.phase, Version: s.version, Tools: len(s.tools)}
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
			ctx, cancel := context.WithTimeoutCause(s.lifetime, s.config.Timeout, errTimeout)
			found, err := s.list(ctx, session)
			cancel()
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
		}
	})
}

// call calls a tool.
func (s *server) call(ctx context.Context, tool string, arguments json.RawMessage, progress func(string)) (Result, error) {
	if err := s.start(ctx); err != nil {
		return Result{}, err
	}
	callCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	timer := time.AfterFunc(s.config.Timeout, func() { cancel(errTimeout) })
	defer timer.Stop()
	s.mu.Lock()
	session := s.session
	s.calls++
	token := strconv.Itoa(s.calls)
	var passing sync.Mutex // guards over: no progress is passed on after the call
	over := false
	s.progress[token] = func(text string) {
		passing.Lock()
		defer passing.Unlock()
		if over {
			return
		}
		timer.Reset(s.config.Timeout)
		if progress != nil && text != "" {
			progress(text + "\n")
		}
	}
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.progress, token)
		s.mu.Unlock()
		passing.Lock()
		over = true
		passing.Unlock()
	}()
	if session == nil {
		return Result{}, fmt.Errorf("the server %s has just ended; call again", s.config.Name)
	}
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	params := &sdk.CallToolParams{Name: tool, Arguments: arguments}
	params.SetProgressToken(token)
	answer, err := s.callSession(callCtx, session, params)
	if err != nil {
		if ctx.Err() != nil {
			return Result{}, ctx.Err()
		}
		return Result{}, s.explain(callCtx, "failed at "+oneLine(tool, 64), err)
	}
	return Result{Text: textOf(answer), IsError: answer.IsError}, nil
}

// cancelGrace is how long a cancelled call may take to return. A server that does not read its input holds it up for longer.
const cancelGrace = time.Second

// callSession makes a call. A server that holds up a cancelled call is ended.
func (s *server) callSession(ctx context.Context, session *sdk.ClientSession, params *sdk.CallToolParams) (*sdk.CallToolResult, error) {
	type outcome struct {
		answer *sdk.CallToolResult
		err    error
	}
	done := make(chan outcome, 1)
	s.tasks.Go(func() {
		answer, err := session.CallTool(ctx, params)
		if err == nil && answer == nil {
			err = errors.New("an empty answer")
		}
		done <- outcome{answer, err}
	})
	select {
	case o := <-done:
		return o.answer, o.err
	case <-ctx.Done():
	}
	timer := time.NewTimer(cancelGrace)
	defer timer.Stop()
	select {
	case o := <-done:
		if o.err == nil { // it came in time after all
			return o.answer, nil
		}
	case <-timer.C:
		s.tasks.Go(s.end)
	}
	return nil, context.Cause(ctx)
}

// noteProgress passes progress on to its call.
func (s *server) noteProgress(p *sdk.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	s.mu.Lock()
	pass := s.progress[token]
	s.mu.Unlock()
	if pass == nil {
		return
	}
	text := p.Message
	if p.Total > 0 {
		text = fmt.Sprintf("%s (%.0f of %.0f)", text, p.Progress, p.Total)
	}
	pass(oneLine(text, lineChars))
}

// explain says what a server did wrong. Its own words are bounded and cleaned, and hold no header and no variable of its own.
func (s *server) explain(ctx context.Context, doing string, err error) error {
	name, words := s.config.Name, err.Error()
	var refused *jsonrpc.Error
	switch {
	case errors.Is(context.Cause(ctx), errTimeout):
		return fmt.Errorf("the server %s %s: no answer within %s; mcp.%s.timeout sets another limit", name, doing, s.config.Timeout, name)
	case errors.As(err, &refused):
		words = refused.Message
	case errors.Is(err, sdk.ErrConnectionClosed), errors.Is(err, os.ErrClosed), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		words = "it closed the connection"
	}
	for _, table := range []map[string]string{s.config.Env, s.config.Headers} {
		for _, secret := range table {
			if len(secret) >= 4 {
				words = strings.ReplaceAll(words, secret, "(hidden)")
			}
		}
	}
	return fmt.Errorf("the server %s %s: %s", name, doing, oneLine(words, lineChars))
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
	out := Tool{Server: s.config.Name, Name: t.Name, FullName: fullName(s.config.Name, t.Name), Title: oneLine(t.Title, 100),
		Description: safe(t.Description), Schema: schema}
	if r := []rune(out.Description); len(r) > maxDescription {
		out.Description = string(r[:maxDescription]) + "…"
	}
	if t.Annotations != nil {
		out.ReadOnlyHint = t.Annotations.ReadOnlyHint
	}
	return out, nil
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

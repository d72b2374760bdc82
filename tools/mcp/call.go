package mcp

import (
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
)

//lint:file-ignore SA1019 servers of protocol versions before 2026-07-28 still ask for the model, and still log.

// A request ends with its context, with the session, or when nothing was heard of the server for its timeout. While the user is
// being asked something for the server no time counts. What goes wrong is said by explain.

const (
	longestCall  = time.Hour   // of a call, with progress
	betweenLists = time.Second // between two looks at a list that keeps changing
	exitGrace    = time.Second // for a program to end after it closed its output
)

// errTimeout is the cause of a request's end that took too long.
var errTimeout = errors.New("timeout")

// within runs f with the session of a server, which is started if it has ended. Where the session ended before it took the
// request, the server is started again, once.
func within[T any](ctx context.Context, s *server, doing string, f func(ctx context.Context, session *sdk.ClientSession, heard func()) (T, error)) (T, error) {
	var none T
	for again := false; ; again = true {
		if err := s.start(ctx); err != nil {
			return none, err
		}
		s.mu.Lock()
		session, program := s.session, s.program
		s.mu.Unlock()
		if session == nil {
			return none, fmt.Errorf("the server %s has just ended; call again", s.config.Name)
		}
		limited, heard, stop := s.patience(ctx)
		out, err := safely(func() (T, error) { return f(limited, session, heard) })
		switch {
		case err == nil:
			s.silent.Store(false)
			stop()
			return out, nil
		case ctx.Err() != nil:
			stop()
			return none, ctx.Err()
		case !again && (errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, sdk.ErrSessionMissing)):
			stop()
			s.lost(session, errors.New("it closed the connection"))
			continue
		}
		err = s.explain(limited, program, "failed at "+doing, err)
		stop()
		return none, err
	}
}

// patience returns a context that ends when heard was not called for the timeout of the server.
func (s *server) patience(ctx context.Context) (limited context.Context, heard, stop func()) {
	limited, cancel := context.WithCancelCause(ctx)
	limited, last := context.WithTimeoutCause(limited, longestCall, errTimeout)
	var mu sync.Mutex // guards timer
	var timer *time.Timer
	heard = func() {
		mu.Lock()
		defer mu.Unlock()
		if limited.Err() == nil {
			timer.Reset(s.config.Timeout)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	timer = time.AfterFunc(s.config.Timeout, func() {
		if s.asking.Load() > 0 {
			heard()
			return
		}
		cancel(errTimeout)
	})
	return limited, heard, func() {
		last()
		cancel(nil)
		mu.Lock()
		defer mu.Unlock()
		timer.Stop()
	}
}

// safely runs f, and returns a panic, which a server's words can provoke in the SDK, as an error.
func safely[T any](f func() (T, error)) (out T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it sent something that cannot be read (%s)", oneLine(fmt.Sprint(r), lineChars))
		}
	}()
	return f()
}

// maxRefusals is how many questions in a row the user refuses before the server's further ones of a call are refused unasked.
const maxRefusals = 3

// ask calls f, which puts a question to the user; meanwhile the timeouts of calls stand still. It ends with the session. A
// server asks one question at a time.
func (s *server) ask(ctx context.Context, f func(context.Context) (refused bool, err error)) error {
	defer s.asking.Add(-1)
	if s.asking.Add(1) > 1 || s.refusals.Load() >= maxRefusals {
		return errors.New("it asks too often")
	}
	s.mu.Lock()
	live := s.live
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(live, cancel)()
	refused, err := f(ctx)
	if s.refusals.Add(1); !refused {
		s.refusals.Store(0)
	}
	return err
}

// call calls a tool.
func (s *server) call(ctx context.Context, tool string, arguments json.RawMessage, progress func(string)) (Result, error) {
	if len(s.config.Allow) > 0 && !slices.Contains(s.config.Allow, tool) || slices.Contains(s.config.Deny, tool) {
		return Result{}, fmt.Errorf("the server %s: mcp.%s.tools does not allow %s", s.config.Name, s.config.Name, s.line(tool))
	}
	s.refusals.Store(0)
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	answer, err := within(ctx, s, s.line(tool), func(ctx context.Context, session *sdk.ClientSession, heard func()) (*sdk.CallToolResult, error) {
		params := &sdk.CallToolParams{Name: tool, Arguments: arguments}
		token, over := s.follow(func(text string) {
			heard()
			if progress != nil && text != "" {
				progress(text + "\n")
			}
		})
		defer over()
		params.SetProgressToken(token)
		return session.CallTool(ctx, params)
	})
	if err != nil {
		return Result{}, err
	}
	text, images := s.contentOf(answer)
	if answer.IsError {
		s.mu.Lock()
		program := s.program
		s.mu.Unlock()
		if kept := s.keptFrom(program, text); kept != "" {
			text += "\n(" + kept + ")"
		}
	}
	return Result{Text: text, IsError: answer.IsError, Images: images}, nil
}

// follow passes the progress with a token on, until over has returned.
func (s *server) follow(pass func(string)) (token string, over func()) {
	var passing sync.Mutex // guards ended
	ended := false
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	token = strconv.Itoa(s.calls)
	s.progress[token] = func(text string) {
		passing.Lock()
		defer passing.Unlock()
		if !ended {
			pass(text)
		}
	}
	return token, func() {
		s.mu.Lock()
		delete(s.progress, token)
		s.mu.Unlock()
		passing.Lock()
		ended = true
		passing.Unlock()
	}
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
	pass(s.line(text))
}

// noteLog keeps a line that a server logs.
func (s *server) noteLog(p *sdk.LoggingMessageParams) {
	text, _ := json.Marshal(p.Data) // what was decoded encodes again
	s.log.addLine(string(p.Level) + ": " + string(text[:min(len(text), 4*lineChars)]))
}

// noteOdd keeps what a server does against the protocol; it may explain why no answer comes.
func (s *server) noteOdd(what string) {
	s.mu.Lock()
	s.odd = s.secrets.all.hide(what)
	s.mu.Unlock()
	s.log.addLine(what)
}

// wantLog asks a server that can to send what it logs.
func (s *server) wantLog(session *sdk.ClientSession) {
	if c := session.InitializeResult().Capabilities; c == nil || c.Logging == nil {
		return
	}
	ctx, _, stop := s.patience(s.lifetime)
	defer stop()
	_ = session.SetLoggingLevel(ctx, &sdk.SetLoggingLevelParams{Level: "info"}) // a server that refuses sends what it likes
}

// howItEnded is the end of a session in words, with how the program ended and what it wrote last.
func (s *server) howItEnded(program *program, err error) string {
	words := "it closed the connection"
	var gone bool
	if program != nil {
		if how, ended := program.Ended(exitGrace); ended {
			words, gone = "its program ended with "+how, true
		}
	}
	if err != nil && !gone && !closed(err) {
		words = s.secrets.all.hide(err.Error())
	}
	if lines := s.log.lines(); program != nil && len(lines) > 0 {
		words += ". Its last line: " + lines[len(lines)-1]
	}
	return oneLine(words, 2*lineChars)
}

// closed reports whether an error means that the connection has ended.
func closed(err error) bool {
	ends := []error{sdk.ErrConnectionClosed, os.ErrClosed, io.EOF, io.ErrUnexpectedEOF, io.ErrClosedPipe}
	return slices.ContainsFunc(ends, func(end error) bool { return errors.Is(err, end) })
}

// answered returns the error that a server answered, or nil. The SDK says in the same way that a request over HTTP got no answer.
func answered(err error) *jsonrpc.Error {
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && refused.Message != "rejected by transport" {
		return refused
	}
	return nil
}

// refusal is an error that a server answered.
type refusal struct {
	error
	answer *jsonrpc.Error
}

func (r *refusal) Unwrap() error { return r.answer }

// explain says what a server did wrong. Its own words are bounded and cleaned, and hold no header and no variable of its own.
func (s *server) explain(ctx context.Context, program *program, doing string, err error) error {
	name := s.config.Name
	said := func(words string) error { return fmt.Errorf("the server %s %s: %s", name, doing, words) }
	refused := answered(err)
	switch {
	case s.lifetime.Err() != nil:
		return said("the program ends")
	case errors.Is(context.Cause(ctx), errTimeout):
		s.mu.Lock()
		odd := s.odd
		s.mu.Unlock()
		if odd != "" {
			odd = " (" + odd + ")"
		}
		return said(fmt.Sprintf("no answer within %s%s; mcp.%s.timeout sets another limit", s.config.Timeout, odd, name))
	case refused != nil:
		return &refusal{error: said(oneLine(s.secrets.all.hide(refused.Message), lineChars)), answer: refused}
	case closed(err):
		return said(s.howItEnded(program, err))
	}
	return said(oneLine(s.secrets.all.hide(strings.ReplaceAll(err.Error(), "rejected by transport: ", "")), lineChars))
}

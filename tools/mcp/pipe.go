package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

//lint:file-ignore SA1019 servers of protocol versions before 2026-07-28 still ask for the model, and still log.

// A pipe is the connection with a program over its standard input and output, one message a line. It keeps from the SDK
// what would make it queue or wait without bound:
//
//   - A line that is too long ends the session. Lines that are no messages are logged and passed over, up to maxNoise in a row.
//   - Notifications are handled at once, and only those that mean something get any further.
//   - A request of the server is refused while maxAsked others are open, or if its id is in use.
//   - Writing never waits for the server: a goroutine does, until the connection is closed.

const (
	maxAsked = 16   // requests of a server that are open at once
	maxNoise = 1000 // lines in a row that are no messages
)

type pipe struct {
	server *server
	in     io.WriteCloser
	out    io.ReadCloser
	reader *bufio.Reader
	queue  chan []byte
	closed chan struct{}
	once   sync.Once

	mu   sync.Mutex          // guards what follows
	open map[jsonrpc.ID]bool // requests of the server that are not answered; false: it cancelled
	sent int64               // the highest id of a request of ours
}

func newPipe(s *server, in io.WriteCloser, out io.ReadCloser) *pipe {
	p := &pipe{server: s, in: in, out: out, reader: bufio.NewReaderSize(out, 64<<10),
		queue: make(chan []byte, 2*maxAsked), closed: make(chan struct{}), open: map[jsonrpc.ID]bool{}}
	s.tasks.Go(p.write)
	return p
}

// Connect makes a pipe its own transport.
func (p *pipe) Connect(context.Context) (sdk.Connection, error) { return p, nil }

// SessionID returns "": a pipe has one session.
func (p *pipe) SessionID() string { return "" }

// Close closes both ends, which ends a Read. The program sees the end of its input.
func (p *pipe) Close() error {
	p.once.Do(func() {
		close(p.closed)
		_ = p.in.Close()  // what was not written has no reader any more
		_ = p.out.Close() // only read from
	})
	return nil
}

func (p *pipe) write() {
	for {
		select {
		case line := <-p.queue:
			if _, err := p.in.Write(line); err != nil {
				return // Read notices that the program has ended
			}
		case <-p.closed:
			return
		}
	}
}

// Write queues a message. It waits while the queue is full, for at most the life of ctx and of the connection.
func (p *pipe) Write(ctx context.Context, message jsonrpc.Message) error {
	line, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	p.mu.Lock()
	switch m := message.(type) {
	case *jsonrpc.Response:
		delete(p.open, m.ID)
	case *jsonrpc.Request:
		if id, ok := m.ID.Raw().(int64); ok {
			p.sent = max(p.sent, id)
		}
	}
	p.mu.Unlock()
	select {
	case <-ctx.Done():
		return ctx.Err()
	default:
	}
	select {
	case p.queue <- append(line, '\n'):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-p.closed:
		return io.ErrClosedPipe
	}
}

// Read returns the next message that the SDK has to see.
func (p *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	for noise := 0; ; {
		line, err := readLine(p.reader, maxMessage)
		switch {
		case errors.Is(err, errTooLong):
			return nil, fmt.Errorf("it sent a message of more than %d MiB and was ended", maxMessage>>20)
		case err != nil && len(line) == 0:
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		message, err := jsonrpc.DecodeMessage(line)
		if err != nil {
			p.server.noteOdd("it wrote a line that is no message: " + oneLine(string(line[:min(len(line), lineChars)]), 100))
			if noise++; noise > maxNoise {
				return nil, errors.New("it writes lines that are no messages, and was ended")
			}
			continue
		}
		noise = 0
		if p.accepts(message) {
			return message, nil
		}
	}
}

// accepts handles what the SDK need not see, and reports whether it has to see the message.
func (p *pipe) accepts(message jsonrpc.Message) bool {
	switch m := message.(type) {
	case *jsonrpc.Response:
		p.mu.Lock()
		sent := p.sent
		p.mu.Unlock()
		if id, ok := m.ID.Raw().(int64); !ok || id > sent {
			p.server.noteOdd("it answered a request that was not made, id " + oneLine(fmt.Sprint(m.ID.Raw()), 40))
			return false
		}
		if m.Error == nil && len(m.Result) == 0 {
			m.Error = &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the answer has neither a result nor an error"}
		}
		return true
	case *jsonrpc.Request:
		if m.IsCall() {
			return p.acceptsCall(m)
		}
		return p.acceptsNotification(m)
	}
	return false
}

func (p *pipe) acceptsCall(m *jsonrpc.Request) bool {
	p.mu.Lock()
	_, twice := p.open[m.ID]
	full := len(p.open) >= maxAsked
	if !twice && !full {
		p.open[m.ID] = true
	}
	p.mu.Unlock()
	if !twice && !full {
		return true
	}
	p.server.noteOdd("it asks too much at once")
	refusal := &jsonrpc.Response{ID: m.ID, Error: &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "too many requests at once"}}
	if line, err := jsonrpc.EncodeMessage(refusal); err == nil && !twice {
		select {
		case p.queue <- append(line, '\n'):
		default: // it does not read what it asks for
		}
	}
	return false
}

func (p *pipe) acceptsNotification(m *jsonrpc.Request) bool {
	switch m.Method {
	case "notifications/progress":
		var progress sdk.ProgressNotificationParams
		if json.Unmarshal(m.Params, &progress) == nil {
			p.server.noteProgress(&progress)
		}
	case "notifications/message":
		var message sdk.LoggingMessageParams
		if json.Unmarshal(m.Params, &message) == nil {
			p.server.noteLog(&message)
		}
	case "notifications/tools/list_changed":
		return p.server.changing.CompareAndSwap(false, true) // the SDK forgets its copy of the list
	case "notifications/cancelled":
		var cancelled sdk.CancelledParams
		if json.Unmarshal(m.Params, &cancelled) != nil {
			return false
		}
		id, err := jsonrpc.MakeID(cancelled.RequestID)
		p.mu.Lock()
		defer p.mu.Unlock()
		if err == nil && p.open[id] {
			p.open[id] = false
			return true
		}
	}
	return false
}

// errTooLong means that a line has more bytes than are read.
var errTooLong = errors.New("the line is too long")

// readLine reads a line of at most most bytes.
func readLine(r *bufio.Reader, most int) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > most {
			return nil, errTooLong
		}
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

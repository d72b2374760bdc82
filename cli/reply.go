package cli

import (
	"fmt"
	"io"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui"
)

// replyWriter puts replies on standard output.
type replyWriter interface {
	write(delta string)
	discard() // what was written since the last message is void
	message(m conversation.AssistantMessage)
	end() error
}

// replyWriter is the form for the stream there is: rendered on a terminal,
// plain into a pipe or a file.
func (a *app) replyWriter() replyWriter {
	if terminal(a.env.Stdout) {
		return &renderedReply{out: a.env.Stdout, width: width(a.env.Stdout, 80), colourless: a.env.colourless(), environ: a.env.Environ}
	}
	return &plainReply{out: a.env.Stdout}
}

// plainReply streams the text as it comes. Text that a failed try left behind
// cannot be taken back from a pipe, so it waits until its message is complete
// only where a try was discarded.
type plainReply struct {
	out     io.Writer
	written strings.Builder // of the current message
	last    byte            // written last
	err     error
}

func (p *plainReply) write(delta string) {
	p.written.WriteString(delta)
	p.put(delta)
}

func (p *plainReply) put(text string) {
	if text == "" || p.err != nil {
		return
	}
	_, p.err = io.WriteString(p.out, text)
	p.last = text[len(text)-1]
}

func (p *plainReply) discard() {
	if p.written.Len() > 0 {
		p.put("\n[the connection broke here; the reply starts again]\n")
	}
	p.written.Reset()
}

func (p *plainReply) message(m conversation.AssistantMessage) {
	// What streamed is the message, unless it came whole or cleaned.
	if rest, ok := strings.CutPrefix(m.Text, p.written.String()); ok {
		p.put(rest)
	}
	if m.Text != "" && p.last != '\n' {
		p.put("\n")
	}
	p.written.Reset()
}

func (p *plainReply) end() error {
	if p.last != 0 && p.last != '\n' {
		p.put("\n")
	}
	if p.err != nil {
		return fmt.Errorf("writing the reply: %w", p.err)
	}
	return nil
}

// renderedReply renders each message when it is complete.
type renderedReply struct {
	out        io.Writer
	width      int
	colourless bool
	environ    []string
	err        error
}

func (r *renderedReply) write(string) {}
func (r *renderedReply) discard()     {}

func (r *renderedReply) message(m conversation.AssistantMessage) {
	if strings.TrimSpace(m.Text) == "" || r.err != nil {
		return
	}
	r.err = tui.PrintMarkdown(r.out, m.Text, min(r.width, maxRendered), r.colourless, r.environ)
}

func (r *renderedReply) end() error {
	if r.err != nil {
		return fmt.Errorf("writing the reply: %w", r.err)
	}
	return nil
}

// maxRendered is the widest a rendered reply gets, in columns.
const maxRendered = 100

// progressLine is a word on standard error, safe for a terminal.
func progressLine(text string) string { return plain.Line(text) }

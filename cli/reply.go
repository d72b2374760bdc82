package cli

import (
	"fmt"
	"io"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui"
)

// replyWriter puts replies on standard output, each once it is complete: what has
// been written cannot be undone, and of a reply that breaks off and is asked for
// again the first part must not stand in front of the second. A script reads
// exactly what the conversation holds; of a reply that broke off for good that is
// what arrived, and the exit code tells of it.
type replyWriter interface {
	message(m conversation.AssistantMessage)
	end() error
}

// replyWriter is the form for the stream there is: rendered on a terminal,
// plain into a pipe or a file.
func (c *console) replyWriter() replyWriter {
	if terminal(c.Stdout) {
		return &renderedReply{out: c.Stdout, width: width(c.Stdout, 80), colourless: c.colourless(), environ: c.Environ}
	}
	return &plainReply{out: c.Stdout}
}

// plainReply writes texts as they are, each with a line feed at its end.
type plainReply struct {
	out io.Writer
	err error
}

func (p *plainReply) message(m conversation.AssistantMessage) {
	if m.Text == "" || p.err != nil {
		return
	}
	text := m.Text
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, p.err = io.WriteString(p.out, text)
}

func (p *plainReply) end() error {
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

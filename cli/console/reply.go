package console

import (
	"fmt"
	"io"
	"strings"

	"plimsoll/cli/terminal"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui"
)

// ReplyWriter puts replies on standard output, each once it is complete: what has
// been written cannot be undone, and of a reply that breaks off and is asked for
// Again the first part must not stand in front of the second. A script reads
// exactly what the conversation holds; of a reply that broke off for good that is
// What arrived, and the exit code tells of it.
type ReplyWriter interface {
	Message(m conversation.AssistantMessage)
	End() error
}

// ReplyWriter is the form for the stream there is: rendered on a terminal,
// plain into a pipe or a file.
func (c *Console) ReplyWriter() ReplyWriter {
	if Terminal(c.Stdout) {
		return &renderedReply{out: c.Stdout, width: Width(c.Stdout, 80), colourless: c.Colourless(),
			links: terminal.New(c.Getenv, c.Environ).Links(), environ: c.Environ}
	}
	return &PlainReply{Out: c.Stdout}
}

// PlainReply writes texts as they are, each with a line feed at its end.
type PlainReply struct {
	Out io.Writer
	err error
}

func (p *PlainReply) Message(m conversation.AssistantMessage) {
	if m.Text == "" || p.err != nil {
		return
	}
	text := m.Text
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	_, p.err = io.WriteString(p.Out, text)
}

func (p *PlainReply) End() error {
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
	links      bool // the terminal knows them
	environ    []string
	err        error
}

func (r *renderedReply) Message(m conversation.AssistantMessage) {
	if strings.TrimSpace(m.Text) == "" || r.err != nil {
		return
	}
	r.err = tui.PrintMarkdown(r.out, m.Text, min(r.width, maxRendered), r.colourless, r.links, r.environ)
}

func (r *renderedReply) End() error {
	if r.err != nil {
		return fmt.Errorf("writing the reply: %w", r.err)
	}
	return nil
}

// maxRendered is the widest a rendered reply gets, in columns.
const maxRendered = 100

// ProgressLine is a word on standard error, safe for a terminal.
func ProgressLine(text string) string { return plain.Line(text) }

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

// ReplyWriter puts replies on standard output, each once it is complete: what has been written cannot be undone, and of a
// reply that breaks off and is asked for again the first part must not stand in front of the second.
type ReplyWriter interface {
	Message(m conversation.AssistantMessage)
	End() error
}

// maxRendered is the widest a rendered reply gets, in columns.
const maxRendered = 100

// ReplyWriter is the form for the stream there is: rendered on a terminal, plain into a pipe or a file.
func (c *Console) ReplyWriter() ReplyWriter {
	r := &Reply{Out: c.Stdout}
	if Terminal(c.Stdout) {
		links := terminal.New(c.Getenv).CanShowLinks()
		r.render = func(text string) error {
			return tui.PrintMarkdown(c.Stdout, text, min(Width(c.Stdout, 80), maxRendered), c.Colourless(), links, c.Environ)
		}
	}
	return r
}

// Reply writes texts, each with a line feed at its end.
type Reply struct {
	Out    io.Writer
	render func(text string) error // nil: as they are
	err    error
}

// Message writes the text of a reply.
func (r *Reply) Message(m conversation.AssistantMessage) {
	switch {
	case m.Text == "" || r.err != nil:
	case r.render == nil:
		_, r.err = io.WriteString(r.Out, strings.TrimSuffix(m.Text, "\n")+"\n")
	case strings.TrimSpace(m.Text) != "":
		r.err = r.render(m.Text)
	}
}

// End reports whether everything was written.
func (r *Reply) End() error {
	if r.err != nil {
		return fmt.Errorf("writing the reply: %w", r.err)
	}
	return nil
}

// ProgressLine is a word on standard error, safe for a terminal.
func ProgressLine(text string) string { return plain.Line(text) }

package console

import (
	"fmt"
	"io"
	"strings"

	"plimsoll/cli/terminal"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// ReplyWriter writes replies to standard output, each when it is complete: output cannot be undone, so the part of a reply
// that fails and is retried must not be written.
type ReplyWriter interface {
	Message(m conversation.AssistantMessage)
	End() error
}

// maxRendered is the widest a rendered reply gets, in columns.
const maxRendered = 100

// ReplyWriter returns a writer for standard output: rendered Markdown on a terminal, plain text in a pipe or a file.
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
	render func(text string) error // nil: plain text
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

package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/compact"
)

// printOptions says what of a conversation is written, and how.
type printOptions struct {
	json      bool
	compacted bool
}

func (a *app) printCommand() *cobra.Command {
	var o printOptions
	c := &cobra.Command{
		Use:   "print [ID]",
		Short: "Write a conversation to standard output",
		Long: `Print writes everything that was said in a conversation, or, with --compacted,
what the next request would carry: the system prompt, then the messages as the
model gets them.

` + idHelp + `

With --json every line is a chat-completions message. x_events lists the events
it stands for, x_turn is its turn, counted from 0, and x_state says how it
relates to what was said: verbatim, capped, masked, summarised, dropped, pinned.`,
		Example: `  plimsoll print
  plimsoll print 3kq7 --json | jq -r 'select(.role == "user").content'
  plimsoll print --compacted`,
		Args: positional(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return a.print(c.Context(), args, o) },
	}
	c.Flags().BoolVar(&o.json, "json", false, "write one JSON message per line")
	c.Flags().BoolVar(&o.compacted, "compacted", false, "write what the next request would carry")
	return c
}

func (a *app) print(ctx context.Context, args []string, o printOptions) error {
	r, err := a.read(ctx, args)
	if err != nil {
		return err
	}
	messages := r.view.Messages
	if o.compacted {
		if messages, err = a.request(ctx, r); err != nil {
			return err
		}
	}
	out := bufio.NewWriter(a.env.Stdout)
	for i := range messages {
		if o.json {
			err = writeLine(out, newRow(&messages[i]))
		} else {
			err = a.printPlain(out, &messages[i], i == 0)
		}
		if err != nil {
			return err
		}
	}
	return out.Flush()
}

// request is the messages that the next request would carry, the system prompt
// first.
func (a *app) request(ctx context.Context, r *reading) ([]compact.Message, error) {
	m, err := a.modelOf(ctx, r)
	if err != nil {
		return nil, err
	}
	system, err := r.prompt(ctx, a.workspace)
	if err != nil {
		return nil, err
	}
	hardened, err := compact.Harden(r.view, m.Caps)
	if err != nil && !errors.Is(err, compact.ErrNothingToSend) {
		// A trailing reply is shown: what is missing is the user's next message.
		return nil, err
	}
	out := make([]compact.Message, 0, len(hardened)+1)
	if system != "" {
		out = append(out, compact.Message{Role: compact.RoleSystem, Text: system, State: compact.StateVerbatim})
	}
	for _, msg := range hardened {
		if !m.Caps.EchoReasoning {
			msg.Reasoning = ""
		}
		out = append(out, msg)
	}
	return out, nil
}

// row is a message in `print --json`.
type row struct {
	Role      compact.Role  `json:"role"`
	Content   string        `json:"content"`
	Reasoning string        `json:"reasoning_content,omitempty"`
	Calls     []rowCall     `json:"tool_calls,omitempty"`
	CallID    string        `json:"tool_call_id,omitempty"`
	Name      string        `json:"name,omitempty"`
	Events    []uint64      `json:"x_events"`
	Turn      int           `json:"x_turn"`
	State     compact.State `json:"x_state"`
}

type rowCall struct {
	ID       string      `json:"id"`
	Type     string      `json:"type"`
	Function rowFunction `json:"function"`
}

type rowFunction struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

func newRow(m *compact.Message) row {
	r := row{Role: m.Role, Content: m.Text, Reasoning: m.Reasoning, CallID: m.CallID, Name: m.Tool,
		Events: m.Events, Turn: m.Turn, State: m.State}
	if r.Events == nil {
		r.Events = []uint64{}
	}
	if m.Role != compact.RoleTool {
		r.Name = ""
	}
	for _, c := range m.Calls {
		r.Calls = append(r.Calls, rowCall{c.ID, "function", rowFunction{c.Name, c.Arguments}})
	}
	return r
}

// printPlain writes a message for reading: a label, then its text as it is.
func (a *app) printPlain(w io.Writer, m *compact.Message, first bool) error {
	var b strings.Builder
	part := func(label, text string) {
		if !first {
			b.WriteByte('\n')
		}
		first = false
		b.WriteString(label)
		if text = strings.TrimRight(text, "\n"); text != "" {
			b.WriteString("\n" + text)
		}
		b.WriteByte('\n')
	}
	state := ""
	if m.State != compact.StateVerbatim {
		state = " (" + string(m.State) + ")"
	}
	switch m.Role {
	case compact.RoleUser:
		part(fmt.Sprintf("[turn %d] user%s:", m.Turn, state), m.Text)
	case compact.RoleTool:
		part(fmt.Sprintf("result of %s%s:", m.Tool, state), m.Text)
	default:
		if m.Reasoning != "" {
			part(string(m.Role)+" thinks:", m.Reasoning)
		}
		if m.Text != "" || len(m.Calls) == 0 && m.Reasoning == "" {
			part(string(m.Role)+state+":", m.Text)
		}
		for _, c := range m.Calls {
			part(fmt.Sprintf("%s calls %s %s", m.Role, c.Name, c.Arguments), "")
		}
	}
	_, err := io.WriteString(w, a.text(b.String()))
	return err
}

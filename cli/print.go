package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/agent/llm"
	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/cli/show"
	"plimsoll/compact/inspect"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// printCommand writes a conversation to standard output.
type printCommand struct {
	*app

	json      bool
	compacted bool
	preset    string
	request   int
	ledger    bool
	changed   func(flag string) bool // which flags were given
}

func (cmd *printCommand) cobra() *cobra.Command {
	c := &cobra.Command{
		Use:   "print [ID]",
		Short: "Print a conversation",
		Long: `Print writes all messages of a conversation. With --compacted it writes the next
request instead: the system prompt, then the messages as the model is sent them.

--preset previews the conversation under the rules of another preset, with an
extract where a model would write a summary. Nothing is saved. The result depends
on the window: --model and --window change it.

--request rebuilds a past request and writes its body, byte for byte as it was sent.
Standard error says whether it matches the recorded hash. If it does not, or cannot
be rebuilt, the exit code is 1.

--ledger lists every compaction, failed attempts, undos and redos, pins and rewinds,
oldest first, with the cost of summaries.

` + session.IDHelp + `

With --json every line is a chat-completions message. x_events lists its events,
x_turn is its turn, counted from 0, and x_state says how the model is sent it now:
verbatim, capped, masked, summarised, dropped or pinned. x_images names the images
of a message.`,
		Example: `  plimsoll print
  plimsoll print 3kq7 --json | jq -r 'select(.role == "user").content'
  plimsoll print --compacted
  plimsoll print --preset oneclaw --window 32000
  plimsoll print --request -1 | jq .messages
  plimsoll print --ledger`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error { return cmd.Run(c.Context(), args) },
	}
	c.Flags().BoolVar(&cmd.json, "json", false, "write one JSON message per line")
	c.Flags().BoolVar(&cmd.compacted, "compacted", false, "write what the next request would carry")
	c.Flags().StringVar(&cmd.preset, "preset", "", "write what it would carry under the preset `NAME`")
	c.Flags().IntVar(&cmd.request, "request", 0, "write the request `N` as it was sent: 1 is the first, -1 the newest")
	c.Flags().BoolVar(&cmd.ledger, "ledger", false, "write what was compacted, undone and pinned")
	cmd.changed = c.Flags().Changed
	return c
}

func (cmd *printCommand) Run(ctx context.Context, args []string) error {
	if cmd.changed("preset") && !slices.Contains(preset.All(), preset.Name(cmd.preset)) {
		return console.WrongUse("there is no preset %q; there are %s", cmd.preset, strings.Join(preset.Names(), ", "))
	}
	switch {
	case cmd.ledger:
		return cmd.printCompactionLog(ctx, args)
	case cmd.changed("request"):
		return cmd.printRequest(ctx, args)
	}
	return cmd.printMessages(ctx, args)
}

func (cmd *printCommand) printMessages(ctx context.Context, args []string) error {
	snapshot, err := cmd.Conversations.Read(ctx, args)
	if err != nil {
		return err
	}
	messages, err := cmd.messages(ctx, snapshot)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(cmd.Console.Stdout)
	log := snapshot.Events
	if cmd.json || cmd.compacted || cmd.preset != "" {
		log = nil // without the errors of failed turns
	}
	for i := range messages {
		m := &messages[i]
		m.Events = snapshot.StoredOnly(m.Events)
		if len(m.Events) > 0 {
			if log, err = cmd.writeFailures(out, log, m.Events[0]); err != nil {
				return err
			}
		}
		if cmd.json {
			err = console.WriteLine(out, session.NewRow(m))
		} else {
			err = cmd.writePlain(out, m, i == 0)
		}
		if err != nil {
			return err
		}
	}
	if _, err := cmd.writeFailures(out, log, math.MaxUint64); err != nil {
		return err
	}
	return out.Flush()
}

// writeFailures writes the errors of failed turns before an event, and returns the log from that event on.
func (cmd *printCommand) writeFailures(w io.Writer, log []conversation.Event, before uint64) ([]conversation.Event, error) {
	for len(log) > 0 && log[0].Seq < before {
		if f, ok := log[0].Body.(conversation.TurnFailed); ok {
			if _, err := io.WriteString(w, cmd.Console.Text(fmt.Sprintf("\n[turn %d] failed: %s\n", log[0].Turn, f.Message))); err != nil {
				return nil, err
			}
		}
		log = log[1:]
	}
	return log, nil
}

func (cmd *printCommand) messages(ctx context.Context, snapshot *session.Snapshot) ([]projection.Message, error) {
	if !cmd.compacted && cmd.preset == "" {
		return snapshot.OriginalMessages(), nil
	}
	if err := cmd.Settings.AdoptRecorded(snapshot.Events); err != nil {
		return nil, err
	}
	m, err := cmd.Models.ModelOf(ctx, snapshot.Events)
	if err != nil {
		return nil, err
	}
	view := snapshot.View
	if cmd.preset != "" {
		if view, err = cmd.presetView(snapshot, m); err != nil {
			return nil, err
		}
	}
	return cmd.requestMessages(ctx, snapshot, view, m)
}

// presetView is the view of a conversation under the rules of --preset.
func (cmd *printCommand) presetView(snapshot *session.Snapshot, m llm.Model) (projection.View, error) {
	cmd.Settings.NoteRefused()
	loaded, err := cmd.Settings.LoadedFor(snapshot.Events, map[string]string{"compaction.preset": cmd.preset})
	if err != nil {
		return projection.View{}, err
	}
	s := cmd.Conversations.StateWith(snapshot, loaded.Config, m)
	return inspect.PresetView(snapshot.WithPartial, s.Inputs, s.Rules)
}

// requestMessages are the messages of the next request, the system prompt first.
func (cmd *printCommand) requestMessages(ctx context.Context, snapshot *session.Snapshot, view projection.View, m llm.Model) ([]projection.Message, error) {
	system, err := snapshot.Prompt(ctx, cmd.Settings)
	if err != nil {
		return nil, err
	}
	hardened, err := projection.Harden(view, m.Caps)
	if err != nil && !errors.Is(err, projection.ErrNothingToSend) {
		// A trailing reply is shown: what is missing is the user's next message.
		return nil, err
	}
	out := make([]projection.Message, 0, len(hardened)+1)
	if system != "" {
		out = append(out, projection.Message{Role: projection.RoleSystem, Text: system, State: projection.StateVerbatim})
	}
	echoFrom := m.Caps.EchoFrom(hardened)
	for i, msg := range hardened {
		if i < echoFrom || !msg.CameFrom(m.Name()) {
			msg.Reasoning = ""
		}
		out = append(out, msg)
	}
	return out, nil
}

// writePlain writes a message for reading: a label, then its text.
func (cmd *printCommand) writePlain(w io.Writer, m *projection.Message, isFirst bool) error {
	var b strings.Builder
	writePart := func(label, text string) {
		if !isFirst {
			b.WriteByte('\n')
		}
		isFirst = false
		b.WriteString(label)
		if text = strings.TrimRight(text, "\n"); text != "" {
			b.WriteString("\n" + text)
		}
		b.WriteByte('\n')
	}
	state := ""
	if m.State != projection.StateVerbatim {
		state = " (" + m.State.Word() + ")"
	}
	switch m.Role {
	case projection.RoleUser:
		text := m.Text
		for _, image := range m.Images {
			text += fmt.Sprintf("\n[%s %s, %s]", image.What(), image.Label(), numbers.Bytes(int64(image.Bytes)))
		}
		writePart(fmt.Sprintf("[turn %d] user%s:", m.Turn, state), text)
	case projection.RoleTool:
		writePart(fmt.Sprintf("result of %s%s:", m.Tool, state), m.Text)
	default:
		if m.Reasoning != "" {
			writePart(string(m.Role)+" thinks:", m.Reasoning)
		}
		if m.Text != "" || len(m.Calls) == 0 && m.Reasoning == "" {
			writePart(string(m.Role)+state+":", m.Text)
		}
		for _, c := range m.Calls {
			writePart(fmt.Sprintf("%s%s calls %s %s", m.Role, state, c.Name, c.Arguments), "")
		}
	}
	_, err := io.WriteString(w, cmd.Console.Text(b.String()))
	return err
}

func (cmd *printCommand) printCompactionLog(ctx context.Context, args []string) error {
	if err := exclusive(cmd.changed, "ledger", "compacted", "preset", "request", "json"); err != nil {
		return err
	}
	snapshot, err := cmd.Conversations.Read(ctx, args)
	if err != nil {
		return err
	}
	entries := inspect.CompactionLog(snapshot.Events)
	if len(entries) == 0 {
		_, err := fmt.Fprintln(cmd.Console.Stdout, "Nothing was compacted, pinned or undone in this conversation yet.")
		return err
	}
	return show.WriteCompactionLog(cmd.Console.Stdout, cmd.Console.TableWidth(), entries)
}

package screen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/cli/owncommand"
	"plimsoll/cli/session"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/storage"
	"plimsoll/tui"
)

// Tasks lists the tasks of the conversation on the screen, in the order in which they began.
func (h *Host) Tasks(ctx context.Context) ([]tui.Task, error) {
	_, _, events, err := h.loadShown(ctx)
	if err != nil && !errors.Is(err, ErrNothingStored) {
		return nil, err
	}
	var running []string
	if r := h.running(); r != nil {
		running = r.RunningTasks()
	}
	var out []tui.Task
	for _, t := range conversation.Tasks(events) {
		one := tui.Task{ID: t.Conversation, Prompt: plain.Line(t.Prompt), Agent: plain.Line(t.Agent), State: cmp.Or(t.State, conversation.TaskInterrupted),
			Tokens: t.Tokens, CostUSD: t.CostUSD, Running: slices.Contains(running, t.Conversation)}
		if one.Running {
			one.State = "running"
		}
		out = append(out, one)
	}
	return out, nil
}

// taskPage is what a task has said and done so far.
func (h *Host) taskPage(ctx context.Context, id string) (string, error) {
	store, _, events, err := h.loadShown(ctx)
	if err != nil {
		return "", err
	}
	if !slices.ContainsFunc(conversation.Tasks(events), func(t conversation.Task) bool { return t.Conversation == id }) {
		return "", fmt.Errorf("this conversation has no task %s", plain.Line(id))
	}
	own, _, err := store.Load(ctx, id)
	if errors.Is(err, storage.ErrNotFound) {
		return "It has not begun.", nil
	}
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The conversation %s, as it is now. When it has ended, /tasks opens it.\n\n", id)
	for _, e := range own {
		switch body := e.Body.(type) {
		case conversation.UserMessage:
			b.WriteString("▌ " + body.Text + "\n\n")
		case conversation.AssistantMessage:
			b.WriteString(fullReplyText(body) + "\n\n")
		case conversation.ToolResult:
			fmt.Fprintf(&b, "%s: %s, ~%s tokens\n\n", body.Tool, body.Status, numbers.Grouped(int(meter.Estimate(body.Size))))
		}
	}
	shown, _ := conversation.Cut(plain.Text(strings.TrimSpace(b.String())), maxPageChars)
	return shown, nil
}

// agentsPage lists the agents of the user's own, with what each adds to the prompt of its tasks.
func (h *Host) agentsPage(running *session.Running) (string, error) {
	settings := h.deps.Settings
	list, err := settings.OwnAgents(running.InitialConfig)
	offered := settings.OfferedAgents(running.InitialConfig)
	var b strings.Builder
	for _, a := range list {
		notes := []string{string(a.Origin), "~" + numbers.Grouped(int(meter.Estimate(conversation.Measure(a.Body)))) + " tokens"}
		if a.Model != "" {
			notes = append(notes, a.Model)
		}
		if len(a.Tools) > 0 {
			notes = append(notes, "tools: "+strings.Join(a.Tools, ", "))
		}
		fmt.Fprintf(&b, "%s (%s)\n    %s\n    %s\n", a.Name, strings.Join(notes, ", "), a.Description, h.deps.Console.Home(a.Path))
		if _, ok := owncommand.Named(offered, a.Name); !ok {
			b.WriteString("    not offered: it waits for your yes, plimsoll config trust\n")
		}
	}
	if len(list) == 0 {
		b.WriteString("An agent is a Markdown file that says how a kind of task is done: in plimsoll/agents beside your configuration, or in " +
			".plimsoll/agents here. The model gives tasks to it.\n")
	}
	if err != nil {
		b.WriteString("\n" + err.Error() + "\n")
	}
	return plain.Text(b.String()), nil
}

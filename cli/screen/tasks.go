package screen

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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
	running := h.running()
	var out []tui.Task
	for _, t := range conversation.Tasks(events) {
		state := t.State
		if running != nil {
			state = cmp.Or(state, running.TaskState(t.Conversation))
		}
		out = append(out, tui.Task{ID: t.Conversation, Prompt: plain.Line(t.Prompt), Agent: plain.Line(t.Agent),
			State: cmp.Or(state, conversation.TaskInterrupted), Tokens: t.Tokens, CostUSD: t.CostUSD})
	}
	return out, nil
}

// EndTask ends a task that runs, whose call is then answered as interrupted.
func (h *Host) EndTask(ctx context.Context, id string) error {
	running := h.running()
	if running == nil {
		return errReadOnly
	}
	return running.EndTask(ctx, id)
}

// OpenTask shows a task of the open conversation and follows it. The conversation stays open behind it.
func (h *Host) OpenTask(ctx context.Context, id string) (tui.Conversation, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.isClosed {
		return tui.Conversation{}, errClosing
	}
	h.leaveTask(h.follower)
	parent := h.shown
	runs := func() bool { return parent.Running != nil && parent.Running.TaskState(id) == session.TaskRuns }
	opened, f, err := h.follow(ctx, id, taskStatus(runs() || h.deps.Resources.Store.IsOpenElsewhere(id)), runs)
	switch {
	case errors.Is(err, storage.ErrNotFound):
		return tui.Conversation{}, errors.New("the task has not begun, or was deleted")
	case err != nil:
		return tui.Conversation{}, err
	}
	opened.Leave = func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.leaveTask(f)
	}
	h.parent, h.shown = &parent, shown{ReadOnlyID: id, follower: f}
	return opened, nil
}

// leaveTask goes back from a task, if it is the one that f follows, to its conversation. The caller holds h.mu.
func (h *Host) leaveTask(f *follower) {
	if h.parent == nil || h.follower != f {
		return
	}
	f.close()
	h.shown, h.parent = *h.parent, nil
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
		b.WriteString("An agent is a Markdown file that says how a kind of task is done: in plimsoll/agents beside your " +
			"configuration, or in .plimsoll/agents here. The model gives tasks to it.\n")
	}
	if err != nil {
		b.WriteString("\n" + err.Error() + "\n")
	}
	return plain.Text(b.String()), nil
}

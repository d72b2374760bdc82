package screen

import (
	"context"
	"math"

	"plimsoll/compact/meter"
	"plimsoll/conversation/plain"
	"plimsoll/tui"
)

// Jobs lists the commands and tasks in the background of the open conversation.
func (h *Host) Jobs(context.Context) ([]tui.Job, error) {
	running := h.running()
	if running == nil {
		return nil, errReadOnly
	}
	var out []tui.Job
	for _, j := range running.Toolbox.Jobs().List() {
		out = append(out, tui.Job{ID: j.ID, Call: j.Call, Command: plain.Line(j.Command), How: j.How, Took: j.Took,
			Tail: plain.Text(j.Tail), Tokens: int(math.Ceil(meter.Estimate(j.Size)))})
	}
	return out, nil
}

// EndJob ends a command in the background.
func (h *Host) EndJob(_ context.Context, id string) error {
	running := h.running()
	if running == nil {
		return errReadOnly
	}
	return running.Toolbox.Jobs().End(id)
}

// MoveToBackground moves the commands and tasks that run in the foreground to the background.
func (h *Host) MoveToBackground(context.Context) error {
	running := h.running()
	if running == nil {
		return errReadOnly
	}
	return running.Toolbox.Jobs().MoveForeground()
}

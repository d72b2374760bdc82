package tui

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// Job is a command in the background.
type Job struct {
	ID      string
	Call    string // of a task, "" for a command
	Command string // or the first line of the task
	How     string // it ended, "" while it runs
	Took    time.Duration
	Tokens  int    // estimated, of the output
	Tail    string // the end of the output
}

const (
	jobPreview   = 4           // lines of the end of the output, at most
	jobsReadWait = time.Second // between two looks at the list that is shown
)

// backgroundJobs lists the commands in the background; the end of the chosen one's output is shown.
func (l *lists) backgroundJobs() pane.Action {
	return newReadAction(l.env.Backend.Jobs, "what is in the background is listed: /jobs shows it", func(jobs []Job) pane.Action {
		l.jobs = jobs
		l.jobPicker = dialog.NewPicker(dialog.PickerOptions{
			Title: "In the background", Items: l.jobItems(), Heads: []string{"state", "time", "tokens"}, Preview: jobPreview,
			Empty: "nothing is in the background; " + keyOr(l.env.Keys.Screen.Background, "a key") + " moves a running command or task there",
			Choose: func(id, _ string) pane.Action {
				i := slices.IndexFunc(l.jobs, func(j Job) bool { return j.ID == id })
				if call := l.jobs[i].Call; call != "" {
					return l.session.openTaskOf(call)
				}
				return openDialog{dialog.NewText(l.jobs[i].title(), outputOr(l.jobs[i].Tail)).AtEnd()}
			},
			Acts: []dialog.Act{{Key: l.env.Keys.Dialogs.Lists.Remove, Word: "end it", Do: l.endJob}},
		})
		l.previewJobs()
		return actionList{openDialog{l.jobPicker}, l.watchJobs(l.jobPicker)}
	})
}

func (j Job) title() string {
	title := j.ID + " · " + strings.Join(strings.Fields(j.Command), " ")
	if j.Call != "" {
		return title + " (task)"
	}
	return title
}

func outputOr(text string) string {
	if strings.TrimSpace(text) == "" {
		return "(no output)"
	}
	return text
}

func (l *lists) jobItems() []dialog.Item {
	items := make([]dialog.Item, len(l.jobs))
	for i, j := range l.jobs {
		items[i] = dialog.Item{ID: j.ID, Title: j.title(), Columns: []string{cmp.Or(j.How, "running"), j.Took.Truncate(time.Second).String(), fmt.Sprintf("%6s", pane.Tokens(j.Tokens))}}
	}
	return items
}

// previewJobs shows the last lines of each output.
func (l *lists) previewJobs() {
	for _, j := range l.jobs {
		lines := strings.Split(outputOr(j.Tail), "\n")
		l.jobPicker.SetPreview(j.ID, strings.Join(lines[max(0, len(lines)-jobPreview):], "\n"))
	}
}

// watchJobs reads the list again and again while it is shown.
func (l *lists) watchJobs(shown *dialog.Picker) pane.Action {
	return afterDelay(jobsReadWait, func() pane.Action {
		if !l.stack.Has(shown) {
			return nil
		}
		return actionList{l.readJobs(shown), l.watchJobs(shown)}
	})
}

// readJobs reads the list again.
func (l *lists) readJobs(shown *dialog.Picker) pane.Action {
	ctx, b := l.env.ctx, l.env.Backend
	return doAsync(func() ([]Job, error) { return b.Jobs(ctx) }, func(jobs []Job, err error) pane.Action {
		if err == nil && shown == l.jobPicker {
			l.jobs = jobs
			l.previewJobs()
			shown.SetItems(l.jobItems())
		}
		return nil // an error stays for the next time that the user asks
	})
}

func (l *lists) endJob(id string) pane.Action {
	b, shown := l.env.Backend, l.jobPicker
	return l.env.tryAsync(func(ctx context.Context) error { return b.EndJob(ctx, id) }, func(err error) pane.Action {
		if err != nil {
			shown.Failed(err.Error())
		}
		return l.readJobs(shown)
	})
}

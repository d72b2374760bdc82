package conversation

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A job is a command or a task that goes on in the background. Its start and its end are events. The model is told of an end that
// no result of a call told it: the next message or result says so, in a line that is a part of its text.

// JobStarted records that a command goes on in the background. It never changes the view.
type JobStarted struct {
	ID      string `json:"id"`              // as calls name it, unique within the conversation
	Command string `json:"command"`         // on one line, shortened
	Moved   bool   `json:"moved,omitempty"` // the user moved it there while it ran
	Call    string `json:"call,omitempty"`  // that started a task, "" for a command
}

// JobEnded records the end of a command in the background. It never changes the view.
type JobEnded struct {
	ID       string   `json:"id"`
	Command  string   `json:"command"`     // on one line, shortened
	How      string   `json:"how"`         // "exit code 1", "ended by the user" and so on
	Code     int      `json:"code"`        // exit status, -1 after a signal
	Duration int64    `json:"duration_ms"` // in the background
	Size     Size     `json:"size"`        // of the output that was kept
	By       JobEnder `json:"by,omitempty"`
	Told     bool     `json:"told,omitempty"` // a result tells the model
	Call     string   `json:"call,omitempty"` // that started a task, "" for a command
}

// JobEnder is who ended a job, "" if it ended by itself.
type JobEnder string

// Those who end jobs.
const (
	EndedByModel   JobEnder = "model"
	EndedByUser    JobEnder = "user"
	EndedByLimit   JobEnder = "limit"   // it ran too long
	EndedByProgram JobEnder = "program" // the conversation was left, or the program ended
)

// Text says in a few words what was started.
func (b JobStarted) Text() string {
	if b.Moved {
		return fmt.Sprintf("moved to the background as %s: %s", b.ID, b.Command)
	}
	return fmt.Sprintf("started in the background as %s: %s", b.ID, b.Command)
}

// Text says in a few words how the job ended.
func (b JobEnded) Text() string {
	kind := "command"
	if b.Call != "" {
		kind = "task"
	}
	text := fmt.Sprintf("background %s %s (%s): %s", kind, b.ID, b.Command, b.How)
	if d := time.Duration(b.Duration) * time.Millisecond; d >= time.Second {
		text += " after " + d.Truncate(time.Second).String()
	}
	return text
}

// UntoldJobs returns the jobs that ended after the newest message or result that was not undone, and that no result tells the
// model.
func UntoldJobs(log []Event) []JobEnded {
	if !slices.ContainsFunc(log, func(e Event) bool { return e.Body.Kind() == KindJobEnded }) {
		return nil
	}
	var ended []JobEnded
	rewound := RewoundBy(log)
	for i, e := range log {
		switch b := e.Body.(type) {
		case UserMessage, ToolResult:
			if rewound == nil || rewound[i] == 0 {
				ended = nil
			}
		case JobEnded:
			if !b.Told {
				ended = append(ended, b)
			}
		}
	}
	return ended
}

// LostJobs returns the ends of the jobs that ended with a run of the program, which could not record them.
func LostJobs(log []Event) []JobEnded {
	ended, tasks := map[string]bool{}, map[string]string{}
	for _, e := range log {
		switch b := e.Body.(type) {
		case JobEnded:
			ended[b.ID] = true
		case TaskStarted:
			tasks[b.Call] = b.Conversation
		}
	}
	var lost []JobEnded
	for _, e := range log {
		if b, ok := e.Body.(JobStarted); ok && !ended[b.ID] {
			how := "ended with the program"
			if id := tasks[b.Call]; id != "" {
				how = InterruptedTask(id)
			}
			lost = append(lost, JobEnded{ID: b.ID, Command: b.Command, Call: b.Call, How: how, Code: -1, By: EndedByProgram})
		}
	}
	return lost
}

// JobNote tells the model which jobs ended, a line for each; "" for none.
func JobNote(ended []JobEnded) string {
	var lines []string
	for _, b := range ended {
		what := "run_command with id reads its output"
		switch {
		case b.By == EndedByProgram && b.Call != "":
			what = "a call of task goes on with it"
		case b.By == EndedByProgram:
			what = "its output is gone"
		case b.Call != "":
			what = "run_command with id reads its answer"
		}
		lines = append(lines, fmt.Sprintf("[%s; %s]", b.Text(), what))
	}
	return strings.Join(lines, "\n")
}

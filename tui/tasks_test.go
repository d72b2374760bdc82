package tui_test

import (
	"testing"

	"plimsoll/tui"
)

func TestTasksAreListedAndOpened(t *testing.T) {
	cost := 0.25
	screen(t, func(r *rig, _ *tui.Options) {
		r.tasks = []tui.Task{
			{ID: "one", Prompt: "Check the ship", State: "running", Running: true},
			{ID: "two", Prompt: "Count the sails", Agent: "bosun", State: "done", Tokens: 84_000, CostUSD: &cost},
		}
	}, func(r *rig) {
		r.submit("/tasks")
		r.wantText("Tasks", "Check the ship", "running", "bosun: Count the sails", "done", "84k", "$0.25")
		r.press("enter")
		r.wantCalls("tasks", "page task one")
		r.press("esc")
		r.submit("/tasks")
		r.press("down", "enter")
		r.wantCalls("tasks", "resume two")
	})
}

package tui_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"plimsoll/conversation"
)

// wroteTodos returns a todo_write and its result. The n-th of the texts is in progress, and those before it are done.
func wroteTodos(id string, n int, texts ...string) []conversation.Body {
	var todos []conversation.Todo
	for i, text := range texts {
		status := []conversation.TodoStatus{conversation.TodoDone, conversation.TodoInProgress, conversation.TodoPending}[1+cmp.Compare(i, n)]
		todos = append(todos, conversation.Todo{Text: text, Status: status})
	}
	arguments, _ := json.Marshal(map[string]any{"todos": todos}) // texts can be marshalled
	return []conversation.Body{
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: conversation.ToolTodoWrite, Arguments: string(arguments)}}},
		conversation.ToolResult{CallID: id, Tool: conversation.ToolTodoWrite, Status: conversation.ResultOK},
	}
}

var todoTexts = []string{"read the server", "find the race", "write a test", "mend the port", "run it ten times", "say what was wrong", "clean up"}

func TestTodoAndPlanScreens(t *testing.T) {
	for _, at := range [][2]int{{120, 40}, {80, 24}, {40, 12}} {
		screenOf(t, fmt.Sprintf("%dx%d", at[0], at[1]), inPlanMode, func(r *rig) {
			r.resize(at[0], at[1])
			r.appendEvents(wroteTodos("1", 2, todoTexts...)...)
			listed := r.text()
			r.replied(planText, conversation.StopEnd)
			golden.RequireEqual(r.t, listed+"\n"+r.text()+"\n")
		})
	}
}

func TestTheChecklistGoesWhenAllIsDoneOrUndone(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.appendEvents(conversation.UserMessage{Text: "go"})
		r.appendEvents(wroteTodos("1", 1, "one thing", "another")...)
		r.wantText("1/2 another")
		r.appendEvents(conversation.UserMessage{Text: "more"})
		r.appendEvents(wroteTodos("2", 2, "one thing", "another")...)
		r.wantNoText("2/2", "another")
		r.appendEvents(conversation.Rewind{Turn: 1})
		r.wantText("1/2 another")
		r.submit("/new")
		r.wantNoText("1/2 another")
	})
}

// The list takes its lines from the transcript: the composer keeps its rows.
func TestTheChecklistLeavesTheComposerItsRows(t *testing.T) {
	for _, at := range [][2]int{{120, 40}, {80, 24}, {40, 12}, {40, 9}, {30, 6}} {
		for _, draft := range []string{"short", strings.Repeat("a line\n", 60)} {
			screenOf(t, fmt.Sprintf("%v %d", at, len(draft)), nil, func(r *rig) {
				r.resize(at[0], at[1])
				r.appendEvents(conversation.UserMessage{Text: "go"})
				r.send(tea.PasteMsg{Content: draft})
				top, bottom := r.row("╭"), r.row("╰")
				r.appendEvents(wroteTodos("1", 2, todoTexts...)...)
				if r.row("╭") != top || r.row("╰") != bottom {
					t.Errorf("the composer moved:\n%s", r.text())
				}
			})
		}
	}
}

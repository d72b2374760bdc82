package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/golden"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui"
)

// wroteTodos returns a todo_write and its result. The n-th of the texts is in progress, and those before it are done.
func wroteTodos(id string, n int, texts ...string) []conversation.Body {
	var todos []string
	for i, text := range texts {
		status := map[bool]string{true: "done", false: "pending"}[i < n]
		if i == n {
			status = "in_progress"
		}
		todos = append(todos, fmt.Sprintf(`{"text":%q,"status":%q}`, text, status))
	}
	return []conversation.Body{
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: "todo_write", Arguments: `{"todos":[` + strings.Join(todos, ",") + `]}`}}},
		conversation.ToolResult{CallID: id, Tool: "todo_write", Status: conversation.ResultOK},
	}
}

var todoTexts = []string{"read the server", "find the race", "write a test", "mend the port", "run it ten times", "say what was wrong", "clean up"}

func TestTodoScreens(t *testing.T) {
	for _, at := range [][2]int{{120, 40}, {80, 24}, {40, 12}} {
		screenOf(t, fmt.Sprintf("%dx%d", at[0], at[1]), nil, func(r *rig) {
			r.resize(at[0], at[1])
			r.appendEvents(append([]conversation.Body{conversation.UserMessage{Text: "why does TestUpload fail on CI?"}}, wroteTodos("1", 2, todoTexts...)...)...)
			golden.RequireEqual(r.t, r.text()+"\n")
		})
	}
}

func TestTheChecklistGoesWhenAllIsDone(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.appendEvents(append([]conversation.Body{conversation.UserMessage{Text: "go"}}, wroteTodos("1", 0, "one thing", "another")...)...)
		r.wantText("0/2 one thing")
		r.appendEvents(wroteTodos("2", 1, "one thing", "another")...)
		r.wantText("1/2 another")
		r.appendEvents(wroteTodos("3", 2, "one thing", "another")...)
		r.wantNoText("2/2", "another")
	})
}

func TestTheChecklistOfAnUndoneTurnGoes(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.appendEvents(append([]conversation.Body{conversation.UserMessage{Text: "go"}}, wroteTodos("1", 0, "one thing")...)...)
		r.appendEvents(append([]conversation.Body{conversation.UserMessage{Text: "more"}}, wroteTodos("2", 0, "its second")...)...)
		r.wantText("0/1 its second")
		r.appendEvents(conversation.Rewind{Turn: 1})
		r.wantText("0/1 one thing")
		r.submit("/new")
		r.wantNoText("0/1 one thing")
	})
}

// The list takes its lines from the transcript: the composer has what it has without a list.
func TestTheChecklistLeavesTheComposerItsRows(t *testing.T) {
	for _, at := range [][2]int{{120, 40}, {80, 24}, {40, 12}, {40, 9}, {30, 6}} {
		for _, draft := range []string{"short", strings.Repeat("a line\n", 60)} {
			rows := map[bool][2]int{}
			for _, listed := range []bool{false, true} {
				screenOf(t, fmt.Sprintf("%v %d %v", at, len(draft), listed), func(r *rig, _ *tui.Options) {
					r.first.Events = log(conversation.UserMessage{Text: "go"}, conversation.AssistantMessage{Text: "Fine.", Stop: conversation.StopEnd})
					if listed {
						r.first.Events = log(append([]conversation.Body{conversation.UserMessage{Text: "go"}}, wroteTodos("1", 2, todoTexts...)...)...)
					}
				}, func(r *rig) {
					r.resize(at[0], at[1])
					r.typeText("x")
					r.send(tea.PasteMsg{Content: draft})
					top, bottom := r.row("╭"), r.row("╰")
					rows[listed] = [2]int{top, bottom}
					if listed && at[1] >= 9 {
						r.wantText("2/7")
					}
				})
			}
			t.Cleanup(func() {
				if rows[true] != rows[false] {
					t.Errorf("%v, a draft of %d: the composer is at %v, without a list at %v", at, len(draft), rows[true], rows[false])
				}
			})
		}
	}
}

func TestTheChecklistIsHarmless(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.appendEvents(append([]conversation.Body{conversation.UserMessage{Text: "go"}}, wroteTodos("1", 1, "a\u202eb", "\u009b2J wipe \u202e"+strings.Repeat("漢字", 90))...)...)
		for _, at := range [][2]int{{120, 30}, {80, 24}, {40, 12}, {20, 6}, {3, 3}} {
			r.resize(at[0], at[1])
		}
		r.sendUpdates(updates.Status{Phase: updates.Running, Since: time.Now()})
		r.resize(120, 30)
		r.wantText("▸ ")
	})
}

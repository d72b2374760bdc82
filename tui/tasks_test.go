package tui_test

import (
	"testing"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
	"plimsoll/tui"
	"plimsoll/tui/dialog"
)

// taskUpdates are the states of a task that is shown.
var (
	taskRuns  = updates.OpenElsewhere{Open: true, Task: true, Why: "Read-only: the task runs"}
	taskEnded = updates.OpenElsewhere{Closed: true, Task: true, Why: "The task has ended"}
)

// withTask is a conversation with a task that can be opened; what the task does arrives in the mailbox.
func withTask(mailbox **updates.Mailbox) func(*rig, *tui.Options) {
	return func(r *rig, _ *tui.Options) {
		*mailbox = updates.NewMailbox()
		cost := 0.25
		r.tasks = []tui.Task{
			{ID: "one", Prompt: "Check the ship", State: "running"},
			{ID: "two", Prompt: "Count the sails", Agent: "bosun", State: "done", Tokens: 84_000, CostUSD: &cost},
		}
		r.next = r.conversation("task", *mailbox)
		r.next.Title, r.next.ReadOnly, r.next.Elsewhere = "Check the ship", taskRuns.Why, taskRuns
		r.next.Events = log(conversation.UserMessage{Text: "look at the hull"})
		r.next.Leave = func() { r.log("leave task") }
	}
}

func TestTasksAreListedAndOpened(t *testing.T) {
	screen(t, withTask(new(*updates.Mailbox)), func(r *rig) {
		r.submit("/tasks")
		r.wantText("Tasks", "Check the ship", "running", "bosun: Count the sails", "done", "84k", "$0.25")
		r.press("ctrl+x")
		r.wantCalls("tasks", "end task one", "tasks")
		r.press("down", "enter")
		r.wantCalls("open task two")
		r.wantText("▌ look at the hull", "the task runs · esc goes back")
		r.press("ctrl+c")
		r.wantCalls("leave task")
		r.wantNoText("look at the hull")
	})
}

// A running task is shown as it goes on, and its conversation goes on behind it: its question opens over the task, and what arrived
// meanwhile is there when the user goes back.
func TestARunningTaskIsShownBeforeItsConversation(t *testing.T) {
	var mailbox *updates.Mailbox
	screen(t, withTask(&mailbox), func(r *rig) {
		r.typeText("half a thought")
		r.sendAppended(conversation.UserMessage{Text: "check the ship"}, conversation.TaskStarted{Conversation: "one", Call: "t1"})
		r.sendUpdates(updates.Status{Phase: updates.Running})
		r.press("ctrl+c") // stops the turn
		r.wantCalls("first cancel")
		r.press("ctrl+s", "enter")
		r.wantCalls("open task one")
		r.wantText("▌ look at the hull", "Check the ship", "esc goes back")
		r.wantNoText("check the ship", "half a thought")
		mailbox.Put(updates.Delta{Text: "the hull is sound"})
		r.settle()
		r.sendUpdates(updates.Delta{Text: "meanwhile"})
		r.wantText("the hull is sound")
		r.wantNoText("meanwhile")
		r.press("ctrl+o")
		r.wantText("the hull is sound")
		r.resize(80, 24)
		r.sendUpdates(updates.AskApproval{Call: conversation.ToolCall{ID: "one task c"}, Review: conversation.Review{Title: "task Check the ship: rm", Need: conversation.NeedApproval}})
		r.wantText("task Check the ship: rm")
		r.wait(dialog.ReadingTime)
		r.press("y")
		r.wantCalls("first answer one task c once")
		r.typeText("a draft of the task")
		r.press("esc")
		r.wantCalls("leave task")
		r.wantText("▌ check the ship", "meanwhile")
		r.wantNoText("look at the hull", "a draft of the task")
		if got := r.drafts["task read"].Text; got != "a draft of the task" {
			t.Errorf("the draft of the task is %q", got)
		}
		r.sendAppended(conversation.TaskEnded{Conversation: "one", Call: "t1"})
		r.press("enter")
		r.wantCalls()
	})
}

// An ended task can be continued: then it is the open conversation. Another conversation replaces the task and its conversation.
func TestAnEndedTaskIsContinued(t *testing.T) {
	var mailbox *updates.Mailbox
	screen(t, withTask(&mailbox), func(r *rig) {
		r.submit("/tasks")
		r.press("enter")
		mailbox.Put(taskEnded)
		r.settle()
		r.wantText("The task has ended · enter continues it · esc goes back")
		r.typeText("go on")
		r.next = r.conversation("task", updates.NewMailbox())
		r.press("enter")
		r.wantCalls("tasks", "open task one", "resume task", "leave task")
		r.wantText("│ go on")
		r.press("enter")
		r.wantCalls("task send go on")
		r.next = r.conversation("first", updates.NewMailbox())
		r.press("esc")
		r.wantCalls("resume first")
		r.press("esc")
		r.wantCalls()
	})
	screenOf(t, "fork", withTask(new(*updates.Mailbox)), func(r *rig) {
		r.submit("/tasks")
		r.press("enter")
		r.submit("/fork")
		r.wantCalls("tasks", "open task one", "fork", "leave task")
	})
}

package e2e_test

import (
	"testing"

	"plimsoll/conversation"
)

// A plan that is accepted: the mode changes, the plan is pinned and stays through a compaction, and the checklist is seen.

func todosReply(id string, first, second conversation.TodoStatus) reply {
	return callReply(id, conversation.ToolTodoWrite, object{"todos": []object{
		{"text": "read ships.go", "status": string(first)}, {"text": "count one more", "status": string(second)}}})
}

func TestAnAcceptedPlanIsCarriedOutAndStays(t *testing.T) {
	t.Parallel()
	const proposed = "The plan:\n\n1. Read ships.go.\n2. Count one more ship."
	p := newSandbox(t, project)
	s := newServer(t, textReply(proposed),
		todosReply("c1", conversation.TodoDone, conversation.TodoInProgress),
		callReply("c2", "create_file", object{"path": "plan.txt", "content": "one more"}), textReply("One more is counted."),
		todosReply("c3", conversation.TodoDone, conversation.TodoDone), textReply("All is done."))
	term := p.startChat(defaultSize, s, "--cfg", "permissions.mode=plan")
	term.sendMessage("how would you count one more ship?")
	term.awaitQuestion("Carry out this plan?", "2. Count one more ship.", "1  yes · ask", "2  yes · edits", "3  no")
	term.typeText("2")
	term.awaitIdle("One more is counted.", "1/2 count one more")
	if got := p.readFile("plan.txt"); got != "one more" {
		t.Errorf("the plan was not carried out: %q", got)
	}
	if sent := parseMessages(t, s.request(1)); sent[len(sent)-1].Content != "Plan mode is off. Carry out the plan." {
		t.Errorf("the request ends with %q", sent[len(sent)-1].Content)
	}
	term.sendMessage("and the rest?")
	term.awaitIdle("All is done.")
	term.wait("no checklist", func(s screen) bool { return !s.has("2/2") && !s.has("1/2 count") })
	s.scriptSummaries(summaryReply(openGate()))
	term.slashCommand("/compact --profile heavy --keep-last 0")
	term.awaitIdle("Compacted turns 1–3")
	id := p.newestConversation(p.openStore())
	if next := p.nextMessages(id); !containText(next, proposed) || containText(next, "One more is counted.") {
		t.Errorf("what is sent after the compaction: %.3000v", next)
	}
	term.slashCommand("/undo")
	term.awaitText("undid 1 turn", "1/2 count one more")
}

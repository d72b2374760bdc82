package compacttest

import (
	"fmt"
	"strings"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// Tale is a log written down turn by turn.
type Tale struct {
	Log   conversation.Log
	calls int
}

// Add appends bodies.
func (l *Tale) Add(bodies ...conversation.Body) *Tale {
	if err := l.Log.Commit(l.Log.Prepare(conversationtest.Epoch, bodies...)); err != nil {
		panic(err)
	}
	return l
}

// User is a message of the user.
func (l *Tale) User(text string) *Tale { return l.Add(conversation.UserMessage{Text: text}) }

// Reply is a reply without calls.
func (l *Tale) Reply(text string) *Tale {
	return l.Add(conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd})
}

// Call is a reply with one call, and its result.
func (l *Tale) Call(tool, arguments string, status conversation.ResultStatus, result string) *Tale {
	l.calls++
	id := fmt.Sprintf("call_%d", l.calls)
	return l.Add(
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: tool, Arguments: arguments}}},
		conversation.ToolResult{CallID: id, Tool: tool, Status: status, Text: result})
}

// Events is the log.
func (l *Tale) Events() []conversation.Event { return l.Log.Events() }

// All is the span of the whole log.
func (l *Tale) All() []conversation.Span {
	return []conversation.Span{{First: 1, Last: uint64(l.Log.Len())}}
}

// Mask hides the newest result.
func (l *Tale) Mask(preview int) *Tale {
	return l.Add(conversation.Mask{Style: conversation.StylePlimsoll, Version: projection.StubVersion, Preview: preview,
		Items: []conversation.MaskItem{{Event: uint64(l.Log.Len()), Part: conversation.PartResult}}})
}

// Summary covers the events from one on to another, in the words of version 2.
func (l *Tale) Summary(style conversation.Style, first, last uint64, from, to int, text string) *Tale {
	return l.Add(conversation.Summary{Style: style, Version: 2, FromTurn: from, ToTurn: to, Text: text,
		Spans: []conversation.Span{{First: first, Last: last}}, Transcript: "transcripts/transcript_1.jsonl"})
}

// Again is a call whose result repeats that of event 3, which is the first.
func (l *Tale) Again(tool, arguments string) *Tale {
	r, _ := l.Events()[2].Body.(conversation.ToolResult) // by the tale
	id := fmt.Sprint("again_", l.Log.Len())
	return l.Add(conversation.AssistantMessage{Calls: []conversation.ToolCall{{ID: id, Name: tool, Arguments: arguments}}},
		conversation.ToolResult{CallID: id, Tool: tool, Text: r.Text, Repeats: 3})
}

// EpochOf appends overlays as one epoch of so many tokens before and after.
func (l *Tale) EpochOf(m conversation.Origin, bodies ...conversation.Body) *Tale {
	m.Epoch = 0
	return l.Add(conversation.AssignEpoch(bodies, uint64(l.Log.Len()+1), m)...)
}

// Says is a message of the user of so many tokens.
func (l *Tale) Says(tokens int) *Tale { return l.User(Words(tokens)) }

// Answers is a reply of so many tokens.
func (l *Tale) Answers(tokens int) *Tale { return l.Reply(Words(tokens)) }

// Reads is a call of five tokens and a result of so many.
func (l *Tale) Reads(tokens int) *Tale { return l.Uses("read_file", `{"p":"a.b"}`, tokens) }

// Uses is a call of a tool and a result of so many tokens.
func (l *Tale) Uses(tool, arguments string, tokens int) *Tale {
	return l.Call(tool, arguments, conversation.ResultOK, Words(tokens))
}

// Stints are turns of 5,000 tokens: a message of the user, a call, a result of
// 4,975 and a reply, four events. As a stub the result has about 173 tokens.
func (l *Tale) Stints(n int) *Tale {
	for range n {
		l.Says(10).Reads(4975).Answers(10)
	}
	return l
}

// Talks are turns of 5,000 tokens without calls, two events each.
func (l *Tale) Talks(n int) *Tale {
	for range n {
		l.Says(10).Answers(4990)
	}
	return l
}

// Bands are summaries of two events each, from event 2 on, of so many tokens.
func (l *Tale) Bands(n, tokens int) *Tale {
	for i := range n {
		first := uint64(2 + 2*i)
		l.Add(conversation.Summary{Style: conversation.StylePlimsoll, Version: 2, Spans: []conversation.Span{Span(first, first+1)},
			FromTurn: i, ToTurn: i + 1, Text: Words(tokens), Appendix: "### Files read"})
	}
	return l
}

// Asked is a reply with a call that has no result yet.
func (l *Tale) Asked(id string) *Tale {
	return l.Add(conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: "read_file", Arguments: "{}"}}})
}

// Answered is the result of a call.
func (l *Tale) Answered(id, text string) *Tale {
	return l.Add(conversation.ToolResult{CallID: id, Tool: "read_file", Status: conversation.ResultOK, Text: text})
}

// Epoch appends overlays as one epoch.
func (l *Tale) Epoch(bodies ...conversation.Body) *Tale {
	return l.Add(conversation.AssignEpoch(bodies, uint64(l.Log.Len()+1), conversation.Origin{Source: conversation.SourceManual, Before: 900, After: 100, Why: "asked for"})...)
}

// Band is a summary with an appendix, of the version of the words around it.
func (l *Tale) Band(version int, style conversation.Style, name string, spans ...conversation.Span) *Tale {
	return l.Epoch(conversation.Summary{Style: style, Version: version, Spans: spans, Text: "text " + name, Appendix: "### Appendix " + name,
		Transcript: "t.jsonl"})
}

// Harbor is a conversation of four turns with a bit of everything.
func Harbor() *Tale {
	l := &Tale{}
	l.User("The upload test fails on CI. Find out why.\nYou must never touch hull/hull.go, and keep port 8080.")
	l.Add(conversation.AssistantMessage{Text: "I'll look at the test first.", Reasoning: "The port may be taken.", Stop: conversation.StopCalls,
		Calls: []conversation.ToolCall{{ID: "a", Name: "read_file", Arguments: `{"path":"upload/server_test.go"}`}, {ID: "b", Name: "grep_files", Arguments: `{"pattern":"8080","path":"upload"}`}}},
		conversation.ToolResult{CallID: "a", Tool: "read_file", Status: conversation.ResultOK, Text: "1\tpackage upload\n2\t\n3\tfunc TestUpload(t *testing.T) {"},
		conversation.ToolResult{CallID: "b", Tool: "grep_files", Status: conversation.ResultOK, Text: "upload/server.go:41: addr := \":8080\""})
	l.Call("run_command", `{"command":"go test ./upload"}`, conversation.ResultError, "--- FAIL: TestUpload\n    server_test.go:12: listen: address already in use\nerror: exit status 1\nFAIL")
	l.Reply("Two runs share port 8080. I decided to let the test ask for a free port instead of a fixed one, because CI runs both at once.")
	l.User("Good. Do that, and add a test for the second listener.")
	l.Call("todo_write", `{"todos":[{"text":"free port in the test","status":"done"},{"text":"test for the second listener","status":"in_progress"},{"text":"run the suite twice","status":"pending"}]}`, conversation.ResultOK, "1 of 3 done")
	l.Call("modify_file", `{"path":"upload/server_test.go","old":":8080","new":":0"}`, conversation.ResultOK, "modified")
	l.Call("create_file", `{"path":"upload/second_test.go","content":"package upload\n"}`, conversation.ResultOK, "created")
	l.Reply("Both are done. Shall I run the suite twice?")
	l.User("Yes, but only ./upload.")
	l.Call("load_skill", `{"name":"release"}`, conversation.ResultOK, "# Release\n1. tag\n2. push")
	l.Reply("The suite passed twice.")
	l.User("Thanks. What is next?")
	return l
}

// FirstTurns is the span of the turns 0 and 1 of Harbor.
func FirstTurns(l *Tale) []conversation.Span {
	last := uint64(0)
	for _, e := range l.Events() {
		if e.Turn <= 1 {
			last = e.Seq
		}
	}
	return []conversation.Span{{First: 1, Last: last}}
}

// Words is a text of so many tokens.
func Words(tokens int) string { return strings.Repeat("word", tokens) }

// FilesRead is a conversation of turns in which a file is read each.
func FilesRead(turns, lines int) *Tale {
	l := &Tale{}
	for i := range turns {
		l.User(fmt.Sprintf("Read file %d.", i))
		l.Call("read_file", fmt.Sprintf(`{"path":"%d.go"}`, i), conversation.ResultOK, Numbered(lines, fmt.Sprintf("line of file %d", i)))
		l.Reply("Read.")
	}
	return l
}

package compacttest

import (
	"fmt"
	"strings"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

// LogBuilder builds a conversation log. Its methods append events, and return the builder so that calls can be chained.
type LogBuilder struct {
	Log   conversation.Log
	calls int
}

func (l *LogBuilder) Add(bodies ...conversation.Body) *LogBuilder {
	if err := l.Log.Commit(l.Log.Prepare(conversationtest.Epoch, bodies...)); err != nil {
		panic(err)
	}
	return l
}

func (l *LogBuilder) User(text string) *LogBuilder {
	return l.Add(conversation.UserMessage{Text: text})
}

// Reply appends a reply without calls.
func (l *LogBuilder) Reply(text string) *LogBuilder {
	return l.Add(conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd})
}

// Call appends a reply with one call, and its result.
func (l *LogBuilder) Call(tool, arguments string, status conversation.ResultStatus, result string) *LogBuilder {
	l.calls++
	id := fmt.Sprintf("call_%d", l.calls)
	return l.Add(
		conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: tool, Arguments: arguments}}},
		conversation.ToolResult{CallID: id, Tool: tool, Status: status, Text: result})
}

func (l *LogBuilder) Events() []conversation.Event { return l.Log.Events() }

// All returns the span of the whole log.
func (l *LogBuilder) All() []conversation.Span {
	return []conversation.Span{{First: 1, Last: uint64(l.Log.Len())}}
}

// Mask appends a mask of the newest event, which must be a tool result. The stub has up to preview characters of it.
func (l *LogBuilder) Mask(preview int) *LogBuilder {
	return l.Add(conversation.Mask{Style: conversation.StylePlimsoll, Version: projection.StubVersion, Preview: preview,
		Items: []conversation.MaskItem{{Event: uint64(l.Log.Len()), Part: conversation.PartResult}}})
}

// Summary appends a summary of the events first to last, with the texts of version 2.
func (l *LogBuilder) Summary(style conversation.Style, first, last uint64, from, to int, text string) *LogBuilder {
	return l.Add(conversation.Summary{Style: style, Version: 2, FromTurn: from, ToTurn: to, Text: text,
		Spans: []conversation.Span{{First: first, Last: last}}, Transcript: "transcripts/transcript_1.jsonl"})
}

// EpochOf appends overlays as one epoch with an origin.
func (l *LogBuilder) EpochOf(origin conversation.Origin, bodies ...conversation.Body) *LogBuilder {
	origin.Epoch = 0
	return l.Add(conversation.AssignEpoch(bodies, uint64(l.Log.Len()+1), origin)...)
}

// UserTokens appends a user message of a size in tokens.
func (l *LogBuilder) UserTokens(tokens int) *LogBuilder { return l.User(TextOfTokens(tokens)) }

// ReplyTokens appends a reply of a size in tokens.
func (l *LogBuilder) ReplyTokens(tokens int) *LogBuilder { return l.Reply(TextOfTokens(tokens)) }

// ReadTokens appends a read_file call of five tokens, and a result of a size in tokens.
func (l *LogBuilder) ReadTokens(tokens int) *LogBuilder {
	return l.CallTokens("read_file", `{"p":"a.b"}`, tokens)
}

// CallTokens appends a call of a tool, and a result of a size in tokens.
func (l *LogBuilder) CallTokens(tool, arguments string, tokens int) *LogBuilder {
	return l.Call(tool, arguments, conversation.ResultOK, TextOfTokens(tokens))
}

// ToolTurns appends n turns of 5,000 tokens and four events: a user message, a call, a result of 4,975 tokens and a
// reply. A stub of the result has about 173 tokens.
func (l *LogBuilder) ToolTurns(n int) *LogBuilder {
	for range n {
		l.UserTokens(10).ReadTokens(4975).ReplyTokens(10)
	}
	return l
}

// ChatTurns appends n turns of 5,000 tokens and two events: a user message and a reply.
func (l *LogBuilder) ChatTurns(n int) *LogBuilder {
	for range n {
		l.UserTokens(10).ReplyTokens(4990)
	}
	return l
}

// Summaries appends n summaries of a size in tokens. The first replaces the events 2 and 3, the next 4 and 5, and so on.
func (l *LogBuilder) Summaries(n, tokens int) *LogBuilder {
	for i := range n {
		first := uint64(2 + 2*i)
		l.Add(conversation.Summary{Style: conversation.StylePlimsoll, Version: 2, Spans: []conversation.Span{Span(first, first+1)},
			FromTurn: i, ToTurn: i + 1, Text: TextOfTokens(tokens), Appendix: "### Files read"})
	}
	return l
}

// OpenCall appends a reply with a call that has no result yet.
func (l *LogBuilder) OpenCall(id string) *LogBuilder {
	return l.Add(conversation.AssistantMessage{Stop: conversation.StopCalls, Calls: []conversation.ToolCall{{ID: id, Name: "read_file", Arguments: "{}"}}})
}

// Result appends the result of a call.
func (l *LogBuilder) Result(id, text string) *LogBuilder {
	return l.Add(conversation.ToolResult{CallID: id, Tool: "read_file", Status: conversation.ResultOK, Text: text})
}

// Epoch appends overlays as one epoch.
func (l *LogBuilder) Epoch(bodies ...conversation.Body) *LogBuilder {
	return l.Add(conversation.AssignEpoch(bodies, uint64(l.Log.Len()+1), conversation.Origin{Source: conversation.SourceManual, Before: 900, After: 100, Why: "asked for"})...)
}

// SummaryEpoch appends an epoch of one summary. version selects the texts around the summary, name is part of its own text.
func (l *LogBuilder) SummaryEpoch(version int, style conversation.Style, name string, spans ...conversation.Span) *LogBuilder {
	return l.Epoch(conversation.Summary{Style: style, Version: version, Spans: spans, Text: "text " + name,
		Appendix: "### Appendix " + name, Transcript: "t.jsonl"})
}

// SampleLog returns a conversation of four turns: with failed calls, edits, a todo list, a skill and constraints of the user.
func SampleLog() *LogBuilder {
	l := &LogBuilder{}
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

// FirstTwoTurns returns the span of turns 0 and 1 of a log.
func FirstTwoTurns(l *LogBuilder) []conversation.Span {
	last := uint64(0)
	for _, e := range l.Events() {
		if e.Turn <= 1 {
			last = e.Seq
		}
	}
	return []conversation.Span{{First: 1, Last: last}}
}

// TextOfTokens returns a text of a size in tokens.
func TextOfTokens(tokens int) string { return strings.Repeat("word", tokens) }

// FilesRead returns a conversation in turns. In each turn the model reads one file with a number of lines.
func FilesRead(turns, lines int) *LogBuilder {
	l := &LogBuilder{}
	for i := range turns {
		l.User(fmt.Sprintf("Read file %d.", i))
		l.Call("read_file", fmt.Sprintf(`{"path":"%d.go"}`, i), conversation.ResultOK, NumberedLines(lines, fmt.Sprintf("line of file %d", i)))
		l.Reply("Read.")
	}
	return l
}

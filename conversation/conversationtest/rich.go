package conversationtest

import (
	"fmt"
	"strings"
	"time"

	"pgregory.net/rapid"

	"plimsoll/conversation"
)

// Rich logs have texts so long that compaction has an effect. Rules:
//
//   - A text needs few draws, so that rapid shrinks it fast: a line in some script, how often it repeats, and an end.
//   - Results repeat earlier ones, with right and wrong references. They are capped, and fail in every way. They come
//     from tools that presets have rules for.

// Tools are the names of the tools in rich logs.
var Tools = []string{"read_file", "run_command", "create_file", "modify_file", "todo_write", conversation.ToolRecall, "fs_read_file"}

// lines are the lines of long texts.
var lines = []string{
	"the quick brown fox jumps over it", "漢字かな交じり文、世界", "Привет, мир", "👩‍👩‍👧 family", "error: no such file", "",
	"\tindented {\"json\": true}\r", strings.Repeat("minified;", 40), "\x1b[31mred\x1b[0m",
}

// longText draws a text of up to several thousand characters.
func longText(t *rapid.T, label string) string {
	n := rapid.SampledFrom([]int{60, 20, 0, 150, 3, 1}).Draw(t, label+" lines")
	if n == 0 {
		return text(t, label)
	}
	line := rapid.SampledFrom(lines).Draw(t, label+" line")
	end := rapid.SampledFrom([]string{"", "\n", "done", "fatal error: it ended here\n", "\n\n"}).Draw(t, label+" end")
	return strings.Repeat(line+"\n", n) + end
}

// arguments draws the arguments of a call to a tool.
func arguments(t *rapid.T, tool string, seq int) string {
	switch tool {
	case conversation.ToolRecall:
		return fmt.Sprintf(`{"id":"e%d"}`, rapid.IntRange(0, seq+2).Draw(t, "recalled"))
	case "create_file", "modify_file":
		content, _ := conversation.EncodeJSON(longText(t, "content")) // a string always encodes
		return `{"path":"a.go","content":` + string(content) + `,"mode":420}`
	}
	return rapid.SampledFrom([]string{`{}`, `{"path":"a.go"}`, ` { "path" : "\u00e4\u2028", "n": [1, 2] } `, `not json`}).Draw(t, "arguments")
}

// smallNumber draws 0 to 3. Rapid shrinks towards the first value, so 0 is rare.
func smallNumber(t *rapid.T, label string) int {
	return rapid.SampledFrom([]int{2, 1, 3, 0}).Draw(t, label)
}

// Writer adds random turns and overlays to a log.
type Writer struct{ log conversation.Log }

// NewWriter returns a Writer that continues a log.
func NewWriter(t *rapid.T, events []conversation.Event) *Writer {
	l, err := conversation.NewLog(events)
	Must(t, err)
	return &Writer{log: *l}
}

// Events returns the log so far.
func (w *Writer) Events() []conversation.Event { return w.log.Events() }

// Add appends bodies. Their times are not ascending, because no code may depend on that.
func (w *Writer) Add(t *rapid.T, bodies ...conversation.Body) {
	at := Epoch.Add(time.Duration(w.log.Len()*7919%1000) * time.Minute)
	Must(t, w.log.Commit(w.log.Prepare(at, bodies...)))
}

// Turn appends a turn: a user message, replies, their calls and the results. Sometimes a call at the end has no result.
func (w *Writer) Turn(t *rapid.T) {
	w.Add(t, conversation.UserMessage{Text: "u " + longText(t, "user")})
	for range smallNumber(t, "steps") {
		reply := conversation.AssistantMessage{Text: text(t, "reply"), Reasoning: text(t, "reasoning"), Stop: conversation.StopEnd}
		for k := range smallNumber(t, "calls") {
			tool := rapid.SampledFrom(Tools).Draw(t, "tool")
			id := fmt.Sprintf("call_%d_%d", w.log.Len(), k)
			reply.Calls = append(reply.Calls, conversation.ToolCall{ID: id, Name: tool, Arguments: arguments(t, tool, w.log.Len())})
			reply.Stop = conversation.StopCalls
		}
		w.Add(t, reply)
		w.Add(t, conversation.Usage{Reply: uint64(w.log.Len()), Prompt: -1, Cached: -1, Completion: -1, Reasoning: -1, CacheWrite: -1})
		for _, c := range reply.Calls {
			if rapid.IntRange(0, 30).Draw(t, "has result") < 30 {
				w.Add(t, w.result(t, c))
			}
		}
	}
}

// result draws the result of a call.
func (w *Writer) result(t *rapid.T, c conversation.ToolCall) conversation.ToolResult {
	b := conversation.ToolResult{CallID: c.ID, Tool: c.Name, Status: conversation.ResultOK}
	switch rapid.IntRange(0, 9).Draw(t, "result is") {
	case 0, 1, 2:
		b.Text, b.Repeats = w.earlier(t)
	case 3:
		b.Text = longText(t, "result")
		b.Repeats = uint64(rapid.IntRange(0, w.log.Len()+3).Draw(t, "repeats wrongly"))
	case 4:
		b.Text, b.Total = conversation.Cut(longText(t, "result")+strings.Repeat("x", 3000), 3000)
	case 5:
		b.Text = longText(t, "result")
		b.Status = rapid.SampledFrom([]conversation.ResultStatus{
			conversation.ResultError, conversation.ResultDenied, conversation.ResultInterrupted, "", "odd",
		}).Draw(t, "status")
	default:
		b.Text = longText(t, "result")
	}
	return b
}

// earlier returns the text of an earlier result and its Seq; if there is none, a new text and 0.
func (w *Writer) earlier(t *rapid.T) (string, uint64) {
	var seqs []uint64
	for _, e := range w.log.Events() {
		if _, ok := e.Body.(conversation.ToolResult); ok {
			seqs = append(seqs, e.Seq)
		}
	}
	if len(seqs) == 0 {
		return longText(t, "result"), 0
	}
	seq := rapid.SampledFrom(seqs).Draw(t, "repeats")
	b, _ := w.log.Events()[seq-1].Body.(conversation.ToolResult) // chosen because it is one
	return b.Text, seq
}

// Rich draws a log as the agent writes it, with long texts and without overlays.
func Rich(t *rapid.T) []conversation.Event {
	w := &Writer{}
	for range smallNumber(t, "turns") {
		w.Turn(t)
	}
	return w.Events()
}

package summary

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"

	"plimsoll/compact/projection"
	"plimsoll/compact/snippet"
	"plimsoll/conversation"
)

// What holds at the end of a stretch: the checklist and the newest error, as the
// calls and their results say.

// openTodo is an entry of a checklist that is not done.
type openTodo struct {
	text    string
	started bool
}

// openTodos lists what the newest checklist of a log leaves open, if it was
// written by one of the calls; the turn is that of the call. A list that a later
// one replaced, outside of the calls, says nothing any more.
func openTodos(log []conversation.Event, calls []madeCall) (todos []openTodo, turn int) {
	c := newestList(calls)
	if c == nil {
		return nil, 0
	}
	if hasListBehind(log, c.seq) {
		return nil, 0
	}
	return todosIn(c.args), c.turn
}

// hasListBehind reports whether a checklist was written behind an event of a log. It
// looks at the newest events first, since they mostly tell.
func hasListBehind(log []conversation.Event, seq uint64) bool {
	const first = 64
	for n := uint64(first); ; n *= 2 {
		from := max(seq+1, uint64(len(log))-min(n, uint64(len(log)))+1)
		if newestList(callsIn(conversation.MessagesIn(log, []conversation.Span{{First: from, Last: math.MaxUint64}}))) != nil {
			return true
		}
		if from == seq+1 {
			return false
		}
	}
}

// newestList is the newest call that wrote a checklist, nil if none did.
func newestList(calls []madeCall) *madeCall {
	for i := len(calls) - 1; i >= 0; i-- {
		if c := &calls[i]; c.tool.todos && c.went(conversation.ResultOK) {
			return c
		}
	}
	return nil
}

const (
	maxTodoText = 200 // code points of an entry that are kept
	maxTodoList = 100 // entries that are looked at
)

// todosIn reads the arguments of todo_write, and of its like in other clients.
func todosIn(arguments string) []openTodo {
	var args struct {
		Todos []map[string]any `json:"todos"`
		Plan  []map[string]any `json:"plan"`
	}
	if json.Unmarshal([]byte(arguments), &args) != nil {
		return nil
	}
	var out []openTodo
	list := append(args.Todos, args.Plan...)
	for _, entry := range list[:min(len(list), maxTodoList)] {
		text := ""
		for _, name := range [...]string{"text", "content", "step", "title", "task", "description"} {
			if s, _ := entry[name].(string); text == "" {
				text = inLine(s, maxTodoText)
			}
		}
		status, _ := entry["status"].(string)
		switch status {
		case "done", "completed", "complete", "cancelled", "canceled":
			continue
		}
		if text != "" {
			out = append(out, openTodo{text, status == "in_progress"})
		}
	}
	return out
}

// failedCall is the newest error of a tool.
type failedCall struct {
	tool string
	turn int
	seq  uint64
	line string // the last line that says what went wrong
}

// newestFailure is the newest call that went wrong, nil if none did.
func newestFailure(calls []madeCall) *madeCall {
	for i := len(calls) - 1; i >= 0; i-- {
		if calls[i].went(conversation.ResultError) {
			return &calls[i]
		}
	}
	return nil
}

// failures lists the newest error of each tool that had one, the newest one at
// the end.
func failures(calls []madeCall) []failedCall {
	var out []failedCall
	for _, c := range calls {
		if !c.went(conversation.ResultError) {
			continue
		}
		f := failureOf(c)
		for i := range out {
			if out[i].tool == f.tool {
				out = append(out[:i], out[i+1:]...)
				break
			}
		}
		out = append(out, f)
	}
	return out
}

// errorBytes is how much of the end of a result is looked at for an error.
const errorBytes = 8 << 10

// failureChars is how much of the line that names it is shown.
const failureChars = 300

// lastBytes is the end of a text, of whole characters.
func lastBytes(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return text[runeEnd(text, len(text)-n):]
}

// failureOf is a call that went wrong, or was denied.
func failureOf(c madeCall) failedCall {
	f := failedCall{projection.ToolName(c.name), c.turn, c.seq, inLine(tellingLine(lastBytes(c.output, errorBytes)), failureChars)}
	if f.line == "" {
		f.line = "(no output)"
	}
	return f
}

// tellingLine is the last line of a text that says what went wrong, an earlier
// one where the last is a word such as FAIL.
func tellingLine(text string) string {
	line := snippet.ErrorLine(text)
	if line == "" || strings.ContainsAny(line, " \t") {
		return line
	}
	if earlier := snippet.ErrorLine(text[:strings.LastIndex(text, line)]); snippet.NamesError(earlier) {
		return earlier
	}
	return line
}

// turnMarks names turns as recall takes them, the newest if there are many.
func turnMarks(list []int) string {
	const most = 4
	var b strings.Builder
	if len(list) > most {
		b.WriteString("t" + strconv.Itoa(list[0]) + " … ")
		list = list[len(list)-most+1:]
	}
	for i, t := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("t" + strconv.Itoa(t))
	}
	return b.String()
}

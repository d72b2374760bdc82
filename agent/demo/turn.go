package demo

import (
	"encoding/json"
	"slices"
	"strings"

	"plimsoll/conversation"
)

// A turn is the newest user message and the steps since: each an assistant
// message with its calls and their results. What is done next is a function of
// these alone, so nothing is remembered between requests, and a turn that was
// compacted, edited or resumed elsewhere goes on all the same.

// maxSteps bounds the requests with calls in one turn.
const maxSteps = 4

// turn is what a reply is made from.
type turn struct {
	wish  intent
	said  string // the newest user message
	steps []step
	taken int // steps of the turn, also those that belong to an answered question

	greeted bool // the model has said what it is
	history []message
	toolbox map[string]schema
	system  string // the system prompt

	prompt, window int // tokens
	room           int // tokens left for the reply
}

// step is one round of calls.
type step []exchange

// exchange is a call and its result.
type exchange struct {
	name   string
	args   map[string]any
	result string
}

// reply is what the model says next. With calls, the text leads up to them.
type reply struct {
	reasoning, text string
	calls           []call
}

// call is a tool call with its arguments as JSON.
type call struct{ name, arguments string }

// arg is one argument under its canonical name. A zero value is left out.
type arg struct {
	name  string
	value any
}

// wanted is a call before the request's schema is looked at.
type wanted struct {
	tool string
	args []arg
}

func want(tool string, args ...arg) wanted { return wanted{tool, args} }

// newTurn reads the history of a request.
func newTurn(r *request, prompt, window, room int) *turn {
	t := &turn{history: r.Messages, toolbox: make(map[string]schema), prompt: prompt, window: window, room: room}
	for _, tool := range r.tools {
		t.toolbox[tool.Function.Name] = tool.Function.Parameters
	}
	last := -1
	for i, m := range r.Messages {
		switch m.Role {
		case "system", "developer":
			t.system += m.Content.Text + "\n"
		case "user":
			last = i
		}
	}
	if last < 0 {
		return t
	}
	for _, m := range r.Messages[:last+1] {
		// A summary of earlier turns mentions it too: it need not be said again after a compaction.
		t.greeted = t.greeted || m.Role == "assistant" || m.Role == "user" && strings.Contains(m.Content.Text, "rule program")
	}
	t.said = r.Messages[last].Content.Text
	t.wish = parseIntent(t.said)
	t.read(r.Messages[last+1:])
	return t
}

// read collects the steps after the user's message.
func (t *turn) read(messages []message) {
	at := make(map[string]*exchange)
	for _, m := range messages {
		if m.Role == "assistant" && len(m.Calls) > 0 {
			s := make(step, len(m.Calls))
			for i, c := range m.Calls {
				s[i] = exchange{name: c.Function.Name, args: make(map[string]any)}
				// Arguments that are no object were refused with the request.
				_ = json.Unmarshal([]byte(c.Function.Arguments), &s[i].args)
				at[c.ID] = &s[i]
			}
			t.steps = append(t.steps, s)
		}
		if x := at[m.CallID]; m.Role == "tool" && x != nil {
			x.result = m.Content.Text
		}
	}
	t.taken = len(t.steps)
}

// use makes the calls that the request has tools for. Without any, or when the
// turn has had its steps, it says so instead.
func (t *turn) use(lead string, calls ...wanted) reply {
	if t.taken >= maxSteps {
		return reply{text: "I stop here: I take at most four steps in a turn. Ask again for the next one."}
	}
	var r reply
	var missing []string
	for _, w := range calls {
		if s, ok := t.toolbox[w.tool]; ok {
			r.calls = append(r.calls, call{name: w.tool, arguments: arguments(w, s)})
		} else if !slices.Contains(missing, w.tool) {
			missing = append(missing, w.tool)
		}
	}
	switch {
	case len(r.calls) > 0:
		r.text = lead
	case len(t.toolbox) == 0:
		r.text = "For that I would use " + codeList(missing) + ", but this request gives me no tools. Without them I can tell a long story, " +
			"summarise this conversation, or show `help`."
	default:
		r.text = "For that I would use " + codeList(missing) + ", which is not among the tools I was given: " + codeList(t.toolNames()) + "."
	}
	return r
}

func (t *turn) has(tool string) bool {
	_, ok := t.toolbox[tool]
	return ok
}

func (t *turn) toolNames() []string {
	var names []string
	for name := range t.toolbox {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// lines is how many lines of a file may be read when n files are read at once:
// a third of what is free, at some twelve tokens a line.
func (t *turn) lines(n int) int {
	return min(max((t.window-t.prompt)/3/12/n, 20), 200)
}

// synonyms are the property names that tools elsewhere use for an argument.
var synonyms = map[string][]string{
	"path":     {"file", "file_path", "filename", "filepath", "dir", "directory", "folder"},
	"offset":   {"start", "start_line", "from", "from_line", "line", "first_line"},
	"limit":    {"lines", "count", "max_lines", "num_lines", "line_count"},
	"depth":    {"max_depth", "levels"},
	"pattern":  {"query", "regex", "text", "search", "name", "glob"},
	"glob":     {"include", "files", "file_pattern"},
	"content":  {"contents", "text", "body"},
	"old":      {"old_text", "old_string", "search", "find", "old_str"},
	"new":      {"new_text", "new_string", "replace", "replacement", "new_str"},
	"command":  {"cmd", "script"},
	"todos":    {"items", "tasks"},
	"text":     {"content", "title", "task", "description"},
	"status":   {"state"},
	"question": {"prompt", "text"},
	"options":  {"choices", "answers"},
	"id":       {"ref", "event", "event_id"},
	"query":    {"search", "pattern", "text"},
}

// property is the name that s has for an argument, "" if it has none.
func (s schema) property(name string) string {
	if len(s.Properties) == 0 {
		return name
	}
	for _, candidate := range append([]string{name}, synonyms[name]...) {
		if _, ok := s.Properties[candidate]; ok {
			return candidate
		}
	}
	return ""
}

// arguments writes the arguments of a call in the order given, under the names
// of the schema; what the schema does not know is left out.
func arguments(w wanted, s schema) string {
	var b strings.Builder
	b.WriteByte('{')
	for _, a := range w.args {
		name := s.property(a.name)
		zero := a.value == "" || a.value == 0 || a.value == false
		if name == "" || zero && !slices.Contains(s.Required, name) {
			continue
		}
		value := a.value
		if list, ok := value.([]todo); ok {
			value = todoItems(list, s.Properties[name])
		}
		body, err := conversation.EncodeJSON(value)
		if err != nil { // strings, numbers and lists of them always encode
			continue
		}
		if b.Len() > 1 {
			b.WriteString(", ")
		}
		b.WriteString(quoteJSON(name) + ": " + string(body))
	}
	b.WriteByte('}')
	return b.String()
}

func quoteJSON(s string) string {
	body, err := conversation.EncodeJSON(s)
	if err != nil { // a string always encodes
		return `""`
	}
	return string(body)
}

// argument is what a call was made with, under the canonical name.
func (x exchange) argument(name string) string {
	for _, candidate := range append([]string{name}, synonyms[name]...) {
		if v, ok := x.args[candidate].(string); ok {
			return v
		}
	}
	return ""
}

// offset is the first line a read_file call asked for, 1 if it did not say.
func (x exchange) offset() int {
	for _, candidate := range append([]string{"offset"}, synonyms["offset"]...) {
		if v, ok := x.args[candidate].(float64); ok && v >= 1 && v < 1e9 {
			return int(v)
		}
	}
	return 1
}

func codeList(names []string) string {
	if len(names) > 6 {
		names = append(slices.Clone(names[:6]), "…")
	}
	return "`" + strings.Join(names, "`, `") + "`"
}

package demo

import (
	"path"
	"slices"
	"strings"
)

// Calls that change something. Each is asked for by its exact content, and the
// user is asked before it runs; a refusal is reported and not tried again.

func (t *turn) create() reply {
	if len(t.steps) == 0 {
		if t.wish.Text == "" {
			return reply{text: "Tell me what to write, for example: `create " + t.wish.Path + " with Hello`"}
		}
		text := t.wish.Text
		if !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		return t.use("I'll write it; you see it before it happens.", want("create_file", arg{"path", t.wish.Path}, arg{"content", text}))
	}
	return reply{text: "Done: " + quoteLine(t.wish.Path, 160) + " holds what you gave me. It said: " + quoteLine(t.last()[0].result, 160)}
}

func (t *turn) replace() reply {
	if len(t.steps) == 0 {
		return t.use("I'll replace it; you see the difference before it happens.",
			want("modify_file", arg{"path", t.wish.Path}, arg{"old", t.wish.Text}, arg{"new", t.wish.With}))
	}
	where := quoteLine(t.wish.Path, 160)
	if m := changedLine().FindStringSubmatch(t.last()[0].result); m != nil {
		where = at(strings.ReplaceAll(t.wish.Path, "`", "'"), digits(m[1]))
	}
	return reply{text: "Done: in " + where + ", " + quoteLine(t.wish.Text, 80) + " became " +
		quoteLine(t.wish.With, 80) + ". It said: " + quoteLine(t.last()[0].result, 160)}
}

var changedLine = lazy(`\bline (\d+)`)

func (t *turn) run() reply {
	if len(t.steps) == 0 {
		return t.use("I'll run it if you agree.", want("run_command", arg{"command", t.wish.Text}))
	}
	return reply{text: describeRun(t.last()[0])}
}

// describeRun shows how a command ended and the end of what it printed.
func describeRun(x exchange) string {
	text := "I ran " + quoteLine(x.argument("command"), 160) + "."
	lines := strings.Split(strings.TrimSpace(x.result), "\n")
	if lines[0] == "" {
		return text + " It said nothing."
	}
	// The first line says how the command ended; of the output the end matters.
	text += " Result: " + quoteLine(lines[0], 160) + "."
	output := lines[1:]
	shown := output[max(len(output)-12, 0):]
	if len(shown) == 0 {
		return text
	}
	for i, l := range shown {
		shown[i] = clipText(strings.TrimRight(l, "\r"), 160)
	}
	if len(shown) < len(output) {
		text += " The last " + itoa(len(shown)) + " of " + plural(len(output), "line") + ":"
	}
	return text + "\n\n" + fence("", shown)
}

// testCommands are the usual commands by the file that announces them.
var testCommands = [][2]string{
	{"go.mod", "go test ./..."},
	{"cargo.toml", "cargo test"},
	{"package.json", "npm test"},
	{"pyproject.toml", "python -m pytest"},
	{"setup.py", "python -m pytest"},
	{"mix.exs", "mix test"},
	{"gemfile", "bundle exec rake test"},
	{"pom.xml", "mvn test"},
	{"makefile", "make test"},
}

func (t *turn) tests() reply {
	switch len(t.steps) {
	case 0:
		return t.use("I'll see what kind of project this is.", want("list_files", arg{"path", "."}, arg{"depth", 1}))
	case 1:
		entries := t.steps[0][0].entries()
		for _, c := range testCommands {
			if slices.ContainsFunc(entries, func(e string) bool { return strings.EqualFold(path.Base(e), c[0]) }) {
				return t.use("There is a "+c[0]+", so the tests are `"+c[1]+"`.", want("run_command", arg{"command", c[1]}))
			}
		}
		return reply{text: "I see no file that says how the tests are run. Tell me the command: `run COMMAND`."}
	}
	return reply{text: describeRun(t.last()[0])}
}

// todo is an item of the checklist.
type todo struct{ text, status string }

// todos shows the checklist, adds to it, or marks an item; the list is read
// first and written whole.
func (t *turn) todos() reply {
	show := t.wish.Kind == kindTodoShow
	switch {
	case len(t.steps) == 0 && (t.has("todo_read") || show):
		return t.use("I'll look at the list.", want("todo_read"))
	case len(t.steps) == 0 || len(t.steps) == 1 && !show && t.last()[0].name == "todo_read":
		var list []todo
		if len(t.steps) > 0 {
			list = parseTodos(t.last()[0].result)
		}
		if t.wish.Kind == kindTodoDone {
			i := slices.IndexFunc(list, func(item todo) bool {
				return strings.Contains(strings.ToLower(item.text), strings.ToLower(t.wish.Text))
			})
			if i < 0 {
				return reply{text: "There is no todo like " + quoteLine(t.wish.Text, 120) + ". " + describeTodos(list)}
			}
			list[i].status = "done"
		} else {
			list = append(list, todo{t.wish.Text, "pending"})
		}
		return t.use("I'll write the list.", want("todo_write", arg{"todos", list}))
	case show:
		return reply{text: describeTodos(parseTodos(t.last()[0].result))}
	}
	verb := "Added"
	if t.wish.Kind == kindTodoDone {
		verb = "Marked as done"
	}
	return reply{text: verb + ": " + quoteLine(t.wish.Text, 200) + ". `show todos` lists them."}
}

var todoLine = lazy(`(?i)^\s*(?:[-*•]|\d+[.)])?\s*(?:\[(?P<mark>[^\]]*)\]|(?P<sign>[✓✔☑☐○●◐]))\s*(?P<text>\S.*)$`)

// parseTodos reads a checklist as it is shown: a mark in brackets and a text.
func parseTodos(s string) []todo {
	var list []todo
	for l := range strings.Lines(s) {
		m := todoLine().FindStringSubmatch(strings.TrimRight(l, "\r\n"))
		if m == nil {
			continue
		}
		status := "pending"
		switch strings.ToLower(strings.TrimSpace(m[1] + m[2])) {
		case "x", "done", "completed", "✓", "✔", "☑", "●":
			status = "done"
		case "~", "-", ">", "/", "*", "doing", "in progress", "in_progress", "◐":
			status = "in progress"
		case "cancelled", "canceled", "dropped":
			status = "cancelled"
		}
		list = append(list, todo{strings.TrimSpace(m[3]), status})
	}
	return list
}

func describeTodos(list []todo) string {
	if len(list) == 0 {
		return "The todo list is empty. `add todo TEXT` adds one."
	}
	text := plural(len(list), "todo") + ":\n"
	for _, item := range list {
		mark := "[ ]"
		switch item.status {
		case "done":
			mark = "[x]"
		case "in progress":
			mark = "[~]"
		case "cancelled":
			mark = "[-]"
		}
		text += "\n- " + mark + " " + clipText(item.text, 200)
	}
	return text
}

// statusWords are the values that tools use for a status, ours first.
var statusWords = map[string][]string{
	"pending":     {"pending", "open", "todo", "not_started"},
	"in progress": {"in_progress", "in progress", "doing", "active", "started"},
	"done":        {"done", "completed", "complete", "finished", "closed"},
	"cancelled":   {"cancelled", "canceled", "dropped", "done", "completed"},
}

// todoItems writes the items under the names and values of the schema.
func todoItems(list []todo, s schema) any {
	var item schema
	if s.Items != nil {
		item = *s.Items
	}
	text, status := item.property("text"), item.property("status")
	items := []map[string]string{}
	for _, one := range list {
		fields := map[string]string{text: one.text}
		if status != "" {
			fields[status] = statusWord(one.status, item.Properties[status].Enum)
		}
		items = append(items, fields)
	}
	return items
}

func statusWord(status string, allowed []any) string {
	for _, word := range statusWords[status] {
		if len(allowed) == 0 || slices.Contains(allowed, any(word)) {
			return word
		}
	}
	return statusWords[status][0]
}

// askUser asks what to do and then does it.
func (t *turn) askUser() reply {
	if len(t.steps) == 0 {
		options := []string{suggestions[0].say, suggestions[1].say, "help"}
		return t.use("Gladly.", want("ask_user", arg{"question", "What would you like to see?"}, arg{"options", options}))
	}
	said := strings.TrimSpace(t.steps[0][0].result)
	if said == "" || strings.HasPrefix(said, "the user did not answer") || strings.HasPrefix(said, "no user ") {
		return reply{text: "No answer came, so I leave it at that."}
	}
	after := *t
	after.said, after.wish, after.steps = said, parseIntent(said), t.steps[1:]
	if after.wish.Kind == kindUnknown || after.wish.Kind == kindAsk {
		return reply{text: "You answered " + quoteLine(said, 200) + ". " + after.unknown()}
	}
	return after.next()
}

func (t *turn) recall() reply {
	if len(t.steps) == 0 {
		return t.use("I'll fetch the original.", want("recall", arg{"id", t.wish.Path}, arg{"query", t.wish.Text}))
	}
	text := strings.TrimSpace(t.last()[0].result)
	if text == "" {
		return reply{text: "The original of " + quoteLine(t.wish.Path, 80) + " is empty."}
	}
	lines := strings.Split(text, "\n")
	shown := lines[:min(len(lines), 10)]
	for i, l := range shown {
		shown[i] = clipText(strings.TrimRight(l, "\r"), 160)
	}
	return reply{text: "The original of " + quoteLine(t.wish.Path, 80) + " has " + plural(len(lines), "line") + ", beginning:\n\n" + fence("", shown)}
}

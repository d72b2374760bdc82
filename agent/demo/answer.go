package demo

import (
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"slices"
	"strings"
	"unicode/utf8"
)

// What is said is made of fixed sentences and of what the tools returned. In a
// conversation's first reply the program says what it is before anything else.

const guide = "I know these sentences, and use the tools I am given on your real files:\n\n" +
	"- **look**: `what is in this project?`, `list DIR`, `read FILE lines 10-40`, `search TEXT in DIR`\n" +
	"- **change** (you are asked first, with the diff or the command): `create FILE with TEXT`, `replace X with Y in FILE`, `run COMMAND`\n" +
	"- **watch the gauge**: `fill the gauge`, `tell me a long story`, and `recall ID` for what a stub or a note stands for\n" +
	"- put `think` before anything to see my reasoning\n\n" +
	"My window is small on purpose, so that you can watch the gauge fill. To talk to a real model set a key such as OPENAI_API_KEY, or start Ollama."

// answer is the model: it decides what to say and which tools to call.
func (t *turn) answer() reply {
	if asked, ok := t.summaryRequest(); ok {
		return reply{text: t.summary(asked)}
	}
	r := t.next()
	if t.think && len(t.steps) == 0 {
		r.reasoning = t.reasoning(r)
	}
	if !t.greeted && len(t.steps) == 0 {
		r.text = strings.TrimSpace(introduction + " " + r.text)
	}
	// What fills the gauge counts its tokens, and tells of compaction anyway.
	if fills := t.rule != nil && t.rule.name == "fill the gauge"; len(r.calls) == 0 && !fills && t.madeRoom() {
		r.text += "\n\n" + roomMade
	}
	return r
}

func (t *turn) next() reply {
	switch {
	case t.rule == nil:
		return reply{text: "I only know a few fixed sentences, and that isn't one of them. " + guide}
	case t.rule.answer != nil:
		return t.rule.answer(t)
	case len(t.steps) == 0:
		return t.use(t.rule.lead, t.rule.call(t.found))
	}
	return reply{text: t.last()[0].report()}
}

// last is the newest step; only called after a step was taken.
func (t *turn) last() step { return t.steps[len(t.steps)-1] }

// reasoning says which rule fits and what it leads to.
func (t *turn) reasoning(r reply) string {
	text := "I have no thoughts, only rules, but I can show how they are applied. "
	if t.rule == nil {
		text += "I compared the message with every pattern I know, and none matches. "
	} else {
		text += "The first pattern that matches the message is \"" + t.rule.name + "\". "
	}
	for _, c := range r.calls {
		text += "That needs " + c.tool + "; my answer depends on what it returns. "
	}
	return text + "The prompt took " + numbers.Grouped(t.prompt) + " of " + numbers.Grouped(t.window) + " tokens, so there is room for " + numbers.Grouped(t.room) + " more."
}

func (t *turn) help() reply {
	if strings.HasPrefix(strings.ToLower(t.said), "thank") && t.greeted {
		return reply{text: "You're welcome. `help` shows what else I know."}
	}
	return reply{text: guide}
}

func (t *turn) tests() reply {
	return reply{text: "Tell me the command, for example `run go test ./...`."}
}

// manifests say what a project is.
var manifests = []string{"readme.md", "readme", "readme.txt", "go.mod", "package.json", "cargo.toml", "pyproject.toml", "makefile"}

// project lists the files, reads up to three that say what it is, and quotes them.
func (t *turn) project() reply {
	switch len(t.steps) {
	case 0:
		return t.use("I'll list the files first.", wanted{"list_files", args{"path": ".", "depth": 1}})
	case 1:
		entries := t.steps[0][0].entries()
		var read []wanted
		for _, name := range manifests {
			at := slices.IndexFunc(entries, func(e string) bool { return strings.EqualFold(e, name) })
			if at >= 0 && len(read) < 3 {
				read = append(read, wanted{"read_file", args{"path": entries[at], "limit": 40}})
			}
		}
		if len(read) == 0 || !t.tools["read_file"] {
			return reply{text: t.steps[0][0].report()}
		}
		return t.use("I'll read the files that say most about it.", read...)
	}
	entries := t.steps[0][0].entries()
	var b strings.Builder
	held := numbers.Grouped(len(entries)) + " entries"
	if len(entries) == 1 {
		held = "1 entry"
	}
	b.WriteString("Here are " + held + ": " + codeList(entries) + ". What the files say:\n")
	for _, x := range t.last() {
		for _, l := range x.firstLines(3) {
			b.WriteString("\n- " + code(x.argument("path")) + " " + code(l))
		}
	}
	b.WriteString("\n\nNext: `read FILE`, `search TEXT`, or `fill the gauge`.")
	return reply{text: b.String()}
}

// entries are the names of a listing, without the sizes behind them and without
// notes in brackets.
func (x exchange) entries() []string {
	var out []string
	for l := range strings.Lines(x.result) {
		name, _, _ := strings.Cut(strings.TrimSpace(l), "  ")
		if name != "" && !strings.HasPrefix(name, "[") {
			out = append(out, name)
		}
	}
	return out
}

// firstLines are the first lines of a file with words in them, of what was
// returned where no line is numbered.
func (x exchange) firstLines(n int) []string {
	var out []string
	for l := range strings.Lines(x.result) {
		if at, text, ok := strings.Cut(l, "\t"); ok && number(at) > 0 && strings.TrimSpace(text) != "" && len(out) < n {
			out = append(out, text)
		}
	}
	if out == nil {
		return []string{x.result}
	}
	return out
}

const (
	linesShown = 12  // of a result
	lineShown  = 160 // code points of a line
)

// report shows what a call returned. Of a command the first line says how it
// ended, and of its output the end matters.
func (x exchange) report() string {
	if strings.HasPrefix(x.result, "denied") {
		return "`" + x.tool + "` was not allowed, so I did nothing. It said: " + code(x.result)
	}
	text := strings.TrimRight(x.result, "\r\n")
	if strings.TrimSpace(text) == "" {
		return "`" + x.tool + "` returned nothing."
	}
	lines := strings.Split(text, "\n")
	if x.tool == "run_command" && len(lines) == 2 && lines[1] == "(no output)" { // how it ended is said at the call
		return "The command printed nothing."
	}
	if len(lines) == 1 {
		return "The result: " + code(text)
	}
	head := "`" + x.tool + "` returned " + numbers.Count(len(lines), "line")
	if subject := x.subject(); subject != "" {
		head += " for " + code(subject)
	}
	if left := len(lines) - linesShown; left > 0 {
		cut := linesShown
		if x.tool == "run_command" {
			cut = 1
		}
		lines = slices.Concat(lines[:cut], []string{"… " + numbers.Count(left, "line") + " left out …"}, lines[cut+left:])
	}
	for i, l := range lines {
		lines[i] = clip(strings.TrimRight(l, "\r"), lineShown)
	}
	return head + ":\n\n" + fence(lines)
}

// code shows foreign text as code, on one line.
func code(s string) string {
	s = conversation.OneLine(strings.ReplaceAll(s, "`", "'"), lineShown)
	if s == "" {
		return "(nothing)"
	}
	return "`" + s + "`"
}

func codeList(names []string) string {
	var out []string
	for _, n := range names[:min(len(names), 6)] {
		out = append(out, code(n))
	}
	if len(names) > 6 {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}

// fence shows foreign lines as a code block that they cannot close.
func fence(lines []string) string {
	mark := "```"
	for _, l := range lines {
		for strings.Contains(l, mark) {
			mark += "`"
		}
	}
	return mark + "\n" + strings.Join(lines, "\n") + "\n" + mark
}

// clip cuts s to n code points and marks the cut.
func clip(s string, n int) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:max(n-1, 0)]) + "…"
}

package demo

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// A reply is made of fixed sentences and of what the tools returned. It is made whole, cut to the room it has, and then sent
// token by token, so that the usage counts what was sent. In a conversation's first reply the program says what it is before
// anything else.

const introduction = "I'm a small scripted bot built into Plimsoll, not an AI: no language model, no network."

const guide = "I know six sentences, and use the tools I am given on your real files:\n\n" +
	"- `what is in this project?`\n" +
	"- `read FILE` or `read FILE lines 10-40`\n" +
	"- `search TEXT in DIR`\n" +
	"- `create FILE with TEXT` or `replace X with Y in FILE`; you see the change before it happens\n" +
	"- `run COMMAND`, if you agree\n" +
	"- `fill the gauge`\n\n" +
	"My window is small on purpose, so that you can watch the gauge fill. To talk to a real model set a key such as OPENAI_API_KEY, or start Ollama."

// noteMark is how a note on evicted turns begins.
const noteMark = "\n## Note on turn"

// summaryMark opens every summary, so that a reader knows what it is.
const summaryMark = "Extract made by fixed rules, not by an AI."

// roomMade is said once after a compaction, at the end of what is answered.
const roomMade = "The oldest turns were compacted: I am sent a note instead, with a summary where one was written. The line in the transcript says which turns. " +
	"`ctrl+x` or `/undo-compact` undoes it; `ctrl+t` or `/history` shows the originals next to what I am sent."

// reply is what the model says next. With calls, the text leads up to them.
type reply struct {
	text  string
	calls []call
}

// call is a tool call with its arguments as JSON.
type call struct{ tool, arguments string }

// answer is the model: it decides what to say and which tools to call.
func (t *turn) answer() reply {
	if asked, ok := t.summaryRequest(); ok {
		return reply{text: t.summary(asked)}
	}
	r := t.next()
	if !t.greeted && len(t.steps) == 0 {
		r.text = strings.TrimSpace(introduction + " " + r.text)
	}
	if len(r.calls) == 0 && !t.fills && t.madeRoom() {
		r.text += "\n\n" + roomMade
	}
	return r
}

func (t *turn) next() reply {
	switch {
	case t.rule == nil:
		return reply{text: guide}
	case t.rule.answer != nil:
		return t.rule.answer(t)
	case len(t.steps) == 0:
		return t.use(t.rule.lead, t.rule.call(t.found))
	}
	return reply{text: t.last()[0].report()}
}

// last is the newest step; only called after a step was taken.
func (t *turn) last() step { return t.steps[len(t.steps)-1] }

// project lists the files, reads up to three that say what the project is, and quotes them.
func (t *turn) project() reply {
	switch len(t.steps) {
	case 0:
		return t.use("I'll list the files first.", wanted{"list_files", args{"path": ".", "depth": 1}})
	case 1:
		var read []wanted
		for _, f := range t.last()[0].files() {
			manifest := []string{"readme.md", "readme", "go.mod", "package.json", "cargo.toml", "pyproject.toml", "makefile"}
			if slices.Contains(manifest, strings.ToLower(f.name)) && len(read) < 3 {
				read = append(read, wanted{"read_file", args{"path": f.name, "limit": 40}})
			}
		}
		if len(read) == 0 || !t.tools["read_file"] {
			return reply{text: t.last()[0].report()}
		}
		return t.use("I'll read the files that say most about it.", read...)
	}
	text := "The files here say:\n"
	for _, x := range t.last() {
		for _, l := range x.firstLines(3) {
			text += "\n- " + code(x.argument("path")) + " " + code(l)
		}
	}
	return reply{text: text + "\n\nNext: `read FILE`, `search TEXT`, or `fill the gauge`."}
}

// file is an entry of a listing.
type file struct {
	name string
	size int // bytes, 0 where the listing gives none
}

// files are the files of a listing.
func (x exchange) files() (out []file) {
	for l := range strings.Lines(x.result) {
		name, size, ok := strings.Cut(strings.TrimSpace(l), "  ")
		if !ok || strings.HasSuffix(name, "/") {
			continue
		}
		var n float64
		var unit string
		f := file{name: name}
		if _, err := fmt.Sscan(size, &n, &unit); err == nil {
			f.size = int(n * map[string]float64{"B": 1, "bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[unit])
		}
		out = append(out, f)
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
	if left := len(lines) - linesShown; left > 0 {
		cut := linesShown
		if x.tool == "run_command" {
			cut = 1
		}
		lines = slices.Concat(lines[:cut], []string{"… " + numbers.Count(left, "line") + " left out …"}, lines[cut+left:])
	}
	for i, l := range lines {
		if l = strings.TrimRight(l, "\r"); utf8.RuneCountInString(l) > lineShown {
			l = string([]rune(l)[:lineShown-1]) + "…"
		}
		lines[i] = l
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

// abortIf breaks the connection: returning would end the stream as if it were
// complete.
func abortIf(err error) {
	if err != nil {
		panic(http.ErrAbortHandler)
	}
}

// pace is how many tokens of a reply of n are sent per second.
func (o Options) pace(n int) int {
	if o.Pace <= 0 {
		return o.Pace
	}
	return max(o.Pace, n/int(longestReply/time.Second)+1)
}

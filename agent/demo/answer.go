package demo

import (
	"slices"
	"strings"
)

// What is said is made of three sources: fixed sentences, what the tools found,
// quoted with its place, and numbers counted from it. In a conversation's first
// reply the program says what it is before anything else.

const (
	introduction = "I'm a small rule program built into Plimsoll, not an AI: no language model, no network."

	guide = `I know these sentences, and use the tools I am given on your real files:

- **look**: ` + "`what is in this project?`, `list DIR`, `tree`, `read FILE lines 10-40`, `find *.go`, `search TEXT in DIR`" + `
- **compare and count**: ` + "`compare A B`, `how many lines in FILE`, `summarise FILE`, `summarise this conversation`" + `
- **change** (you are asked first, with the diff or the command): ` + "`create FILE with TEXT`, `replace X with Y in FILE`, `run COMMAND`, `run the tests`" + `
- **keep track**: ` + "`add todo TEXT`, `show todos`, `recall ID`, `ask me`" + `
- **fill the context window**: ` + "`fill the gauge`, `tell me a long story`, `write 800 words`, `fill the window`" + `; put ` + "`think`" + ` before anything to see my reasoning

My window is small on purpose, so that you can watch the gauge fill. To talk to a real model set a key such as OPENAI_API_KEY, or start Ollama.`
)

// suggestion is something to try, with the words that make it fit.
type suggestion struct {
	say, why string
	words    string
}

var suggestions = []suggestion{
	{"what is in this project?", "lists and reads, and quotes what it finds", "project repo code explain understand about overview app program describe purpose"},
	{"tell me a long story", "streams Markdown while the gauge fills", "story write poem joke sing tell text chat talk fun"},
	{"search TODO", "looks through every file", "bug error fix issue problem wrong todo search fail failing broken crash where why"},
	{"run the tests", "asks you before it runs anything", "test tests build compile run make ci check passing lint"},
	{"read README.md", "shows a file with its line numbers", "readme docs documentation install usage how start setup manual"},
	{"create notes.txt with Hello", "shows you the diff first", "write create file new save add implement make edit change refactor generate"},
	{"summarise this conversation", "picks the sentences that say most", "summary summarise shorten recap conversation said earlier before context"},
	{"add todo water the plants", "keeps a checklist", "todo task plan list remember remind later steps"},
	{"fill the gauge", "reads files until it is above the load line, where room is made by itself", "window context token tokens gauge memory limit compaction compact full"},
}

// answer is the model: it decides what to say and which tools to call.
func answer(t *turn) reply {
	if asked, ok := t.summaryRequest(); ok {
		return reply{text: t.summary(asked)}
	}
	r := t.next()
	if t.wish.Think && t.taken == 0 {
		r.reasoning = t.reasoning(r)
	}
	if !t.greeted && t.taken == 0 {
		r.text = strings.TrimSpace(introduction + " " + r.text)
	}
	if len(r.calls) == 0 && t.madeRoom() {
		r.text += "\n\n" + roomMade
	}
	return r
}

// roomMade is said once after a compaction, at the end of what is answered.
const roomMade = "Room was made in my window: a note stands for the oldest turns by now, and a summary where one was written. The line in the transcript says which they are. " +
	"`ctrl+x` or `/undo-compact` takes that back; `ctrl+t` or `/history` shows what was said beside what I see."

// noteMark is how a note on evicted turns begins.
const noteMark = "\n## Note on turn"

// madeRoom reports whether earlier turns were evicted or summarised and nobody has said
// so. What fills the window counts its tokens, and tells of compaction anyway.
func (t *turn) madeRoom() bool {
	switch t.wish.Kind {
	case kindFillGauge, kindFill, kindStory:
		return false
	}
	summarised := false
	for _, m := range t.history {
		switch m.Role {
		case "user":
			summarised = summarised || strings.Contains(m.Content.Text, summaryMark) || strings.Contains(m.Content.Text, noteMark)
		case "assistant":
			if strings.Contains(m.Content.Text, roomMade) {
				return false
			}
		}
	}
	return summarised
}

func (t *turn) next() reply {
	if len(t.steps) > 0 {
		if sorry, ok := t.sorry(); ok {
			return sorry
		}
	}
	act, ok := map[kind]func(*turn) reply{
		kindHelp: (*turn).help, kindGreeting: (*turn).greeting, kindRecall: (*turn).recall,
		kindTodoAdd: (*turn).todos, kindTodoDone: (*turn).todos, kindTodoShow: (*turn).todos,
		kindTests: (*turn).tests, kindRun: (*turn).run, kindReplace: (*turn).replace, kindCreate: (*turn).create,
		kindCompare: (*turn).compare, kindCount: (*turn).count, kindSummarise: (*turn).summarise, kindAsk: (*turn).askUser,
		kindFillGauge: (*turn).fillGauge, kindFill: (*turn).story, kindStory: (*turn).story,
		kindProject: (*turn).project, kindList: (*turn).list, kindRead: (*turn).readFile, kindGrep: (*turn).grep, kindFind: (*turn).find,
	}[t.wish.Kind]
	if !ok {
		return reply{text: t.unknown()}
	}
	return act(t)
}

func (t *turn) help() reply {
	text := guide + "\n\n" + tryThese(suggestions[:3])
	if t.greeted { // otherwise it is said anyway
		text = introduction + " " + text
	}
	return reply{text: text}
}

func (t *turn) greeting() reply {
	if strings.Contains("thanks thank cheers bye goodbye", strings.ToLower(firstWord(t.said))) && t.greeted {
		return reply{text: "You're welcome. `help` shows what else I know."}
	}
	return reply{text: "Hello! " + tryThese(suggestions[:3]) + "\n\nSay `help` for everything I know."}
}

func tryThese(some []suggestion) string {
	var b strings.Builder
	b.WriteString("Try one of these:\n")
	for _, s := range some {
		b.WriteString("\n- `" + s.say + "` " + s.why)
	}
	return b.String()
}

// unknown admits that no rule matched and offers what comes nearest.
func (t *turn) unknown() string {
	near := related(t.said)
	for word := range strings.FieldsSeq(clipText(t.said, 2000)) {
		if path := cleanPath(word); looksLikePath(path) && len(path) < 120 {
			path = strings.ReplaceAll(path, "`", "'")
			near = append([]suggestion{{say: "read " + path, why: "shows it"}, {say: "summarise " + path, why: "picks its main sentences"}}, near...)
			break
		}
	}
	return "I only know a few fixed sentences, and none of my rules matches that. " + tryThese(near[:3]) +
		"\n\n`help` lists them all. For real answers, connect a model: set a key such as OPENAI_API_KEY, or start Ollama."
}

// related orders the suggestions by how many of their words the text uses.
func related(text string) []suggestion {
	used := make(map[string]bool)
	for word := range strings.FieldsFuncSeq(strings.ToLower(clipText(text, 2000)), func(r rune) bool { return r < 'a' || r > 'z' }) {
		used[word] = true
	}
	overlap := func(s suggestion) int {
		n := 0
		for word := range strings.FieldsSeq(s.words) {
			if used[word] {
				n++
			}
		}
		return n
	}
	sorted := slices.Clone(suggestions)
	slices.SortStableFunc(sorted, func(a, b suggestion) int { return overlap(b) - overlap(a) })
	return sorted
}

// reasoning says what the rules saw in the message, for "think".
func (t *turn) reasoning(r reply) string {
	var b strings.Builder
	b.WriteString("I have no thoughts, only rules, but I can show how they are applied. ")
	b.WriteString("The message has " + plural(len(strings.Fields(t.said)), "word") + ". ")
	if t.wish.Kind == kindUnknown {
		b.WriteString("I compared it with every sentence pattern I know and none fits. ")
	} else {
		b.WriteString("The first pattern that fits is \"" + string(t.wish.Kind) + "\". ")
	}
	if t.wish.Path != "" {
		b.WriteString("I read " + quoteLine(t.wish.Path, 80) + " as a path. ")
	}
	if t.wish.Other != "" {
		b.WriteString("I read " + quoteLine(t.wish.Other, 80) + " as a second path. ")
	}
	switch {
	case len(r.calls) > 0:
		var names []string
		for _, c := range r.calls {
			names = append(names, c.name)
		}
		b.WriteString("That needs " + codeList(names) + "; what comes back decides the answer. ")
	case len(t.toolbox) == 0:
		b.WriteString("The request offers no tools, so I answer from what is in it. ")
	default:
		b.WriteString("Of the " + plural(len(t.toolbox), "tool") + " offered none is needed, so I answer at once. ")
	}
	b.WriteString("The prompt took " + itoa(t.prompt) + " of " + itoa(t.window) + " tokens, so there is room for " + itoa(t.room) + " more.")
	return b.String()
}

package demo

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll/compact/extract"
)

// A summary request is answered with an extract under the headings such
// requests ask for: sentences of the history, the calls that were made, and the
// names in it, nothing made up. It calls no tool, is always shorter than 40 %
// of what it covers, and never covers an earlier summary: those are recognised
// by the mark they open with.

// summaryMark opens every summary, so that a reader knows what it is.
const summaryMark = "Extract made by fixed rules, not by an AI."

const (
	summaryShare = 30   // percent of what it covers, in characters; below the 40 that a summary may have
	summaryMost  = 2400 // characters: the window is small
)

// asks are the things that a summary request names; four of them tell it from
// a user who wants something summarised.
var asks = lazy(`(?i)\b(?:goals?|constraints?|preferences?|decisions?|errors?|state|open questions?|next steps?|identifiers?|exact paths?|unresolved|progress|todos?|accomplished)\b`)

var summarising = lazy(`(?i)\b(?:summar(?:y|ies|i[sz]e\w*|i[sz]ing)|compact(?:ing|ion)?|hand[- ]?over|handoff)\b`)

// wantsSummary reports whether instructions ask for a summary of the whole.
func wantsSummary(instructions string) bool {
	named := make(map[string]bool)
	for _, word := range asks().FindAllString(instructions, 60) {
		named[strings.TrimSuffix(strings.ToLower(word), "s")] = true
	}
	return len(named) >= 4 && summarising().MatchString(instructions)
}

// summaryRequest reports whether the request asks for a summary, and returns
// the instructions: the newest user message, or in a request without tools the
// system prompt.
func (t *turn) summaryRequest() (string, bool) {
	if n := len(t.history); n == 0 || t.history[n-1].Role != "user" {
		return "", false
	}
	said := t.said
	if before, _, ok := readWritten(said); ok { // what was written out is no instruction
		said = before
	}
	switch {
	case wantsSummary(said):
		return said, true
	case len(t.toolbox) == 0 && wantsSummary(t.system):
		return t.system, true
	}
	return "", false
}

// toCover is the history that a summary request speaks of: without the
// instructions, and with what its last message writes out read back.
func (t *turn) toCover() []message {
	last := len(t.history) - 1
	earlier := t.history[:last:last]
	if _, written, ok := readWritten(t.said); ok {
		return append(earlier, written...)
	}
	if !wantsSummary(t.said) {
		return t.history
	}
	// Beside the instructions it holds the history only in the form without tools.
	text := strings.Join(slices.DeleteFunc(paragraphs(t.said), wantsSummary), "\n\n")
	if utf8.RuneCountInString(text) < 1000 {
		return earlier
	}
	return append(earlier, message{Role: "user", Content: content{Text: text, Present: true}})
}

// digest is what a summary is made from.
type digest struct {
	user, assistant, results []string // paragraphs
	last                     string   // the newest user message covered
	answered                 bool     // a reply without calls follows it
	calls                    []exchange
	whole                    strings.Builder
}

// covered reads the history up to the request.
func (t *turn) covered() *digest {
	d := new(digest)
	history, before := t.toCover(), &turn{}
	for _, m := range history {
		text := m.Content.Text
		if strings.Contains(text, summaryMark) {
			continue
		}
		switch m.Role {
		case "user":
			d.user, d.last, d.answered = append(d.user, paragraphs(text)...), text, false
		case "assistant":
			d.answered = len(m.Calls) == 0
			d.assistant = append(d.assistant, paragraphs(strings.ReplaceAll(text, introduction, ""))...)
		case "tool":
			d.results = append(d.results, paragraphs(lineNumbers().ReplaceAllString(text, ""))...)
		default:
			continue
		}
		d.whole.WriteString(text + "\n")
		for _, c := range m.Calls {
			d.whole.WriteString(c.Function.Name + " " + c.Function.Arguments + "\n")
		}
	}
	before.read(history)
	for _, s := range before.steps {
		d.calls = append(d.calls, s...)
	}
	return d
}

var lineNumbers = lazy(`(?m)^\s*\d+\t`)

var lengthLimit = lazy(`(?i)(?:at most|under|below|no more than|within|maximum(?: of)?|max\.?|up to|limit(?: of)?|fewer than|less than)\s+(\d[\d,]*)\s+(tokens?|words?|characters?|chars?)`)

// summary answers a summary request.
func (t *turn) summary(instructions string) string {
	d := t.covered()
	whole := d.whole.String()
	chars := min(utf8.RuneCountInString(whole)*summaryShare/100, summaryMost)
	tokens := min(countTokens(whole)*38/100, t.room-8)
	if m := lengthLimit().FindStringSubmatch(instructions); m != nil {
		n := number(m[1])
		switch m[2][0] | 0x20 {
		case 't':
			tokens = min(tokens, n)
		case 'w':
			chars = min(chars, n*5)
		default:
			chars = min(chars, n)
		}
	}
	for ; chars > 0; chars = chars*9/10 - 1 {
		text := d.write(chars)
		if countTokens(text) <= tokens && utf8.RuneCountInString(text) <= chars {
			return text
		}
	}
	return fewer(foldSpace(whole), max(tokens, 1))
}

// section is a heading with what stands under it.
type section struct {
	title string
	share int // percent of the room
	write func(room int) string
}

// write makes the summary, of about room characters. What sections leave over
// goes to the state.
func (d *digest) write(room int) string {
	if room < 500 { // too little for headings
		return strings.TrimSpace(summaryMark + " " + extract.Summary(append(slices.Clone(d.user), d.assistant...), room-len(summaryMark)-1))
	}
	sections := []section{
		{"Goal", 14, d.goal},
		{"Constraints and preferences", 10, d.matching(constraintWords(), d.user)},
		{"Decisions", 12, d.decisions},
		{"Done", 14, d.done},
		{"Errors", 10, d.errors},
		{"State", 16, nil},
		{"Open questions", 6, d.questions},
		{"Next step", 6, d.next},
		{"Identifiers", 8, d.identifiers},
	}
	left := room - len(summaryMark)
	for _, s := range sections {
		left -= len(s.title) + 6
	}
	body := make([]string, len(sections))
	spare := left
	for i, s := range sections {
		if s.write != nil {
			body[i] = s.write(left * s.share / 100)
			spare -= utf8.RuneCountInString(body[i])
		}
	}
	said := append(slices.Clone(d.assistant), d.results...)
	var b strings.Builder
	b.WriteString(summaryMark)
	for i, s := range sections {
		if s.write == nil {
			body[i] = extract.Summary(said, spare)
		}
		if body[i] != "" {
			b.WriteString("\n\n## " + s.title + "\n" + body[i])
		}
	}
	return b.String()
}

var (
	constraintWords = lazy(`(?i)\b(?:must|never|always|do not|don't|should(?:n't| not)?|only|prefer|please use|at most|at least|avoid|keep|without)\b`)
	decisionWords   = lazy(`(?i)\b(?:decided?|decision|chose|we will|we'll|let's|instead of|because|so that|therefore|agreed|going with)\b`)
	outrightWords   = lazy(`(?i)\b(?:decided?|decision|i chose|we chose|agreed)\b`)
	errorWords      = lazy(`(?i)\b(?:errors?|fail(?:s|ed|ure)?|panic|exception|cannot|fixed|broken?|denied)\b`)
)

// decisions are what the user decided, and what a reply says outright.
func (d *digest) decisions(room int) string {
	users := d.matching(decisionWords(), d.user)(room)
	rest := d.matching(outrightWords(), d.assistant)(room - utf8.RuneCountInString(users) - 1)
	return strings.TrimSpace(users + "\n" + rest)
}

// goal quotes the first and the newest request.
func (d *digest) goal(room int) string {
	if len(d.user) == 0 {
		return ""
	}
	first := foldSpace(d.user[0])
	last := foldSpace(d.last)
	if last == first {
		return clipText("First asked: "+first, max(room, 1))
	}
	return clipText("First asked: "+first, max(room/2, 1)) + "\n" + clipText("Asked last: "+last, max(room/2-1, 1))
}

// matching chooses among the sentences that hold one of the words.
func (d *digest) matching(words *regexp.Regexp, from ...[]string) func(int) string {
	var found []string
	for _, group := range from {
		for _, p := range group {
			for _, s := range extract.Sentences(p) {
				if words.MatchString(s) && !slices.Contains(found, s) {
					found = append(found, s)
				}
			}
		}
	}
	return func(room int) string { return extract.Summary(found, room) }
}

// done lists the calls by tool, with what each was about, letter for letter.
func (d *digest) done(room int) string {
	var tools []string
	subjects := make(map[string][]string)
	for _, x := range d.calls {
		if !slices.Contains(tools, x.name) {
			tools = append(tools, x.name)
		}
		about := ""
		for _, name := range []string{"path", "command", "pattern", "url", "question"} {
			if about = x.argument(name); about != "" {
				break
			}
		}
		if about != "" && !slices.Contains(subjects[x.name], about) {
			subjects[x.name] = append(subjects[x.name], clipText(foldSpace(about), 80))
		}
	}
	var lines []string
	for _, name := range tools {
		lines = append(lines, strings.TrimSuffix(name+": "+strings.Join(subjects[name], ", "), ": "))
	}
	return extract.Summary(lines, room)
}

func (d *digest) errors(room int) string {
	var lines []string
	for _, x := range d.calls {
		if x.failed() {
			lines = append(lines, fmt.Sprintf("%s: %s", x.name, clipText(foldSpace(x.result), 160)))
		}
	}
	failed := extract.Summary(lines, room)
	rest := d.matching(errorWords(), d.user)(room - utf8.RuneCountInString(failed) - 1)
	return strings.TrimSpace(failed + "\n" + rest)
}

// questions are the newest ones: older ones were probably answered.
func (d *digest) questions(room int) string {
	var asked []string
	for _, group := range [][]string{lastOf(d.user, 3), lastOf(d.assistant, 3)} {
		for _, p := range group {
			for _, s := range extract.Sentences(p) {
				if strings.HasSuffix(s, "?") {
					asked = append(asked, s)
				}
			}
		}
	}
	return extract.Summary(asked, room)
}

// next says whose turn it is: the history shows no more than that.
func (d *digest) next(room int) string {
	if d.answered {
		return clipText("The newest request was answered; the user speaks next.", max(room, 1))
	}
	return clipText("Go on with: "+foldSpace(d.last), max(room, 1))
}

func lastOf(list []string, n int) []string { return list[max(len(list)-n, 0):] }

// identifiers are the names and numbers used most, letter for letter.
func (d *digest) identifiers(room int) string {
	whole := d.whole.String()
	names := extract.Identifiers(whole, 400)
	counts := make(map[string]int, len(names))
	for _, name := range names {
		counts[name] = strings.Count(whole, name)
	}
	slices.SortStableFunc(names, func(a, b string) int { return counts[b] - counts[a] })
	var b strings.Builder
	for _, name := range names {
		if len(name) < 3 { // small numbers are everywhere
			continue
		}
		if utf8.RuneCountInString(b.String())+utf8.RuneCountInString(name)+2 > room {
			break
		}
		if b.Len() > 0 {
			b.WriteString(", ")
		}
		b.WriteString(name)
	}
	return b.String()
}

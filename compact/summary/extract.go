package summary

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"plimsoll/compact/extract"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// The extract is the summary that needs no model: for replay, for print with a
// preset, and where no model can be asked. It is made of sentences of the
// conversation, letter for letter, each with its turn. Rules:
//
//   - What the user said that binds comes first: sentences with must, never,
//     always, only or don't, with quotes, links or numbers; then what was done to
//     files, the last error of each tool that had one, how each reply begins, and
//     what was decided.
//   - It reads what was said, never a summary of it (S64), and has no part in
//     chance: the same job gives the same text.
//   - It keeps to the job's bound and well below what Accept takes.

// Extractive writes summaries by rule. Log is the log that jobs speak of.
type Extractive struct{ Log []conversation.Event }

const (
	// extractShare is the share of what is covered that an extract may have.
	extractShare = 0.35
	// extractMark opens every extract, so that a reader knows what it is.
	extractMark = "Extract made by fixed rules, not by an AI."

	extractSentence = 400 // code points of one sentence
	extractFirst    = 240 // code points of the first line of a reply
)

// Summarise makes the extract. The error is that of ctx.
func (x Extractive) Summarise(ctx context.Context, job Job) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	said := conversation.MessagesIn(x.Log, job.Spans)
	covered := job.CoveredTokens
	if covered == 0 {
		covered = meter.TokensOf(said)
	}
	room := extractShare * float64(covered)
	for _, most := range []int{job.MaxTokens, job.ask.Room} {
		if most > 0 {
			room = min(room, float64(most))
		}
	}
	return Answer{Text: extractOf(said, job.Focus, room), Stop: conversation.StopEnd, Input: preset.InputExtract}, nil
}

// extractOf chooses and writes.
func extractOf(said []conversation.Event, focus string, room float64) string {
	found := excerpts{focus: focusWords(focus)}
	found.read(said)
	room -= textTokens(extractMark)
	// The shares keep a chatty list from taking everything; what they leave is
	// then given out in the same order.
	for _, round := range []bool{true, false} {
		for _, s := range found.sections() {
			limit := room
			if round {
				limit = min(room, s.share*room)
			}
			room -= s.choose(limit)
		}
	}
	var b strings.Builder
	b.WriteString(extractMark)
	for _, s := range found.printed() {
		s.writeTo(&b)
	}
	if b.Len() == len(extractMark) {
		outline := prefixWithin(outlineOf(said), max(room-textTokens("\n"), 0))
		b.WriteString(strings.TrimRight("\n"+outline, "\n "))
	}
	return b.String()
}

// excerpts is what an extract can be made from.
type excerpts struct {
	focus                                              []string
	binding, files, errors, replies, decisions, spoken excerptSection
	known                                              map[string]bool // sentences that have a place
}

// excerptSection is lines under a heading, in the order of the conversation.
type excerptSection struct {
	title string
	share float64 // of the room, in the first round
	lines []excerpt
}

type excerpt struct {
	text   string
	rank   int // lower ones are chosen first
	chosen bool
}

// The ranks of lines.
const (
	rankFirst = iota // how it all began, and what the focus names
	rankFirm         // demands
	rankRest
	ranks
)

// sections lists the sections in the order in which they choose.
func (x *excerpts) sections() []*excerptSection {
	return []*excerptSection{&x.binding, &x.files, &x.errors, &x.replies, &x.decisions, &x.spoken}
}

// printed lists the sections in the order in which they are read.
func (x *excerpts) printed() []*excerptSection {
	return []*excerptSection{&x.binding, &x.spoken, &x.decisions, &x.files, &x.errors, &x.replies}
}

func (x *excerpts) read(said []conversation.Event) {
	x.known = map[string]bool{}
	x.binding = excerptSection{title: "Asked and required", share: 0.6}
	x.files = excerptSection{title: "Files", share: 0.4}
	x.errors = excerptSection{title: "Errors", share: 0.3}
	x.replies = excerptSection{title: "Replies", share: 0.5}
	x.decisions = excerptSection{title: "Decided", share: 0.5}
	x.spoken = excerptSection{title: "Also said", share: 0}
	for _, e := range said {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			x.readUser(e, b.Text)
		case conversation.AssistantMessage:
			x.readReply(e, b.Text)
		}
	}
	calls := callsIn(said)
	for _, f := range filesIn(fileCallsIn(calls)) {
		how := "read "
		if f.modified {
			how = "modified "
		}
		x.files.add(how+f.path+" ("+turnMarks(f.turns)+")", rankRest)
	}
	for _, f := range failures(calls) {
		x.errors.add(turnMarks([]int{f.turn})+" "+f.tool+": "+f.line, rankRest)
	}
}

func (x *excerpts) readUser(e conversation.Event, text string) {
	for _, s := range extract.Sentences(text) {
		s = conversation.OneLine(s, extractSentence)
		if !x.isNew(s) {
			continue
		}
		line := turnMarks([]int{e.Turn}) + " " + s
		switch {
		case len(x.binding.lines) == 0:
			x.binding.add(line, rankFirst)
		case firmWords().MatchString(s):
			x.binding.add(line, min(rankFirm, x.rank(s)))
		case bindingMarks().MatchString(s):
			x.binding.add(line, x.rank(s))
		default:
			x.spoken.add(line, x.rank(s))
		}
	}
}

func (x *excerpts) readReply(e conversation.Event, text string) {
	for i, s := range extract.Sentences(text) {
		s = conversation.OneLine(s, extractSentence)
		if !x.isNew(s) {
			continue
		}
		switch {
		case decisionWords().MatchString(s):
			x.decisions.add(turnMarks([]int{e.Turn})+" "+s, x.rank(s))
		case i == 0:
			x.replies.add(turnMarks([]int{e.Turn})+" "+conversation.OneLine(s, extractFirst), x.rank(s))
		}
	}
}

// isNew reports whether a sentence was not seen yet, and sees it.
func (x *excerpts) isNew(s string) bool {
	if x.known[s] {
		return false
	}
	x.known[s] = true
	return true
}

// rank is that of a sentence by the focus alone.
func (x *excerpts) rank(s string) int {
	s = strings.ToLower(s)
	for _, word := range x.focus {
		if strings.Contains(s, word) {
			return rankFirst
		}
	}
	return rankRest
}

// focusWords are the words of a focus that say something.
func focusWords(focus string) []string {
	var out []string
	for _, w := range strings.Fields(strings.ToLower(conversation.OneLine(focus, maxFocus))) {
		if w = strings.Trim(w, `.,;:!?"'()`); utf8.RuneCountInString(w) > 3 || len(w) > utf8.RuneCountInString(w) {
			out = append(out, w)
		}
	}
	return out
}

// Sentences of the user that hold for what comes later: demands, and sentences
// with quotes, links and numbers.
var (
	firmWords = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(?:must|never|always|don['’]?t|do not)\b|必[須须ず]|禁止|不要|决不|絕不|绝不|決して|始终|始終|[总總]是|常に`)
	})
	bindingMarks = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\bonly\b|["“”„«»「」]|https?://|\d|只[能有]|だけ`)
	})
)

var decisionWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:decid(?:e|ed|es)|decisions?|(?:i|we) chose|instead of|agreed|going with|settled on)\b|決め|决定|決定`)
})

func (s *excerptSection) add(line string, rank int) {
	s.lines = append(s.lines, excerpt{text: line, rank: rank})
}

// choose takes lines as long as they have room, by rank and of one rank the
// newest first, and reports what they cost. The heading is paid by the first one.
func (s *excerptSection) choose(room float64) (cost float64) {
	title := textTokens(s.title) + 3
	for i := range s.lines {
		if s.lines[i].chosen {
			title = 0
			break
		}
	}
	for rank := range ranks {
		for i := len(s.lines) - 1; i >= 0; i-- {
			l := &s.lines[i]
			if l.chosen || l.rank != rank {
				continue
			}
			price := textTokens(l.text) + 1
			if cost+price+title > room {
				continue
			}
			l.chosen = true
			cost += price + title
			title = 0
		}
	}
	return cost
}

// writeTo writes what was chosen.
func (s *excerptSection) writeTo(b *strings.Builder) {
	titled := false
	for _, l := range s.lines {
		if !l.chosen {
			continue
		}
		if !titled {
			b.WriteString("\n\n### " + s.title)
			titled = true
		}
		b.WriteString("\n- " + l.text)
	}
}

// outlineOf says how much was said where there is no sentence to choose.
func outlineOf(said []conversation.Event) string {
	var b strings.Builder
	for i := range said {
		m, ok := projection.MessageOf(&said[i])
		if !ok {
			continue
		}
		b.WriteString("\n- " + mark(said[i]) + " " + string(m.Role) + ", " + numbers.Count(m.Size.Chars(), "character"))
		for _, c := range m.Calls {
			b.WriteString(", call of " + projection.ToolName(c.Name))
		}
	}
	return b.String()
}

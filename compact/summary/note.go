package summary

import (
	"fmt"
	"slices"
	"strings"

	"plimsoll/compact/projection"
	"plimsoll/compact/snippet"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// A note replaces all evicted units, those of this eviction and of earlier ones. The program
// writes it together with the eviction, so that nothing important depends on a model. Rules:
//
//   - First come the lists of what was done, files, todos and the last error, then
//     quotations of the user, then what the agent found and decided, and an index of names.
//   - What clients wrote into messages is no word of the user. It stands apart, as far as
//     the user's words leave room.
//   - Every line names its turn or event, in the form that recall accepts.
//   - Quoted text of users, files and tools has a mark at the start of every line, so that
//     the model cannot take it for a heading or for text of the program.
//   - The same events always give the same note.

const (
	// doneShare is the largest share of the room for lists that the list of turns gets.
	doneShare = 0.5
	// newestShare is the share of the room for quotations that the newest user messages
	// get, which are quoted in full.
	newestShare = 0.5
)

// NoteLimits limits the parts of a note, in tokens: lists, quotations of the user, and index.
type NoteLimits struct{ Lists, Quotes, Index float64 }

// Scaled returns the limits multiplied by a factor.
func (l NoteLimits) Scaled(by float64) NoteLimits {
	return NoteLimits{Lists: by * l.Lists, Quotes: by * l.Quotes, Index: by * l.Index}
}

// Within returns the limits, reduced so that all parts together have at most so many tokens.
func (l NoteLimits) Within(most float64) NoteLimits { return l.Scaled(min(1, most/l.All())) }

// All returns the limit of the whole note.
func (l NoteLimits) All() float64 { return l.Lists + l.Quotes + l.Index }

// Note writes the note for spans of a log, which must include the units evicted before.
// The index leaves out names that the view shows outside of the spans. It is "" if the
// spans contain no message.
func Note(log []conversation.Event, v projection.View, spans []conversation.Span, limits NoteLimits) string {
	covered := projection.WithEarlier(log, spans)
	events, clients := byAuthor(conversation.MessagesIn(log, covered))
	if len(events) == 0 {
		return ""
	}
	from, to := conversation.TurnRange(events)
	head := fmt.Sprintf("%s%s (e%d-%d)", NoteTitle, numbers.Turns(from, to), events[0].Seq, events[len(events)-1].Seq)
	left := limits.Lists - textTokens(head)
	done := listTurns(events, min(doneShare*limits.Lists, left))
	sections := append([]string{head, done}, factSections(log, events, left-textTokens(done))...)
	newest, shown := quoteNewest(events, newestShare*limits.Quotes)
	demands := bindingSentences(demandsTitle, events, shown, limits.Quotes-textTokens(newest), preference)
	rules := bindingSentences(clientTitle, clients, shown, limits.Quotes-textTokens(newest)-textTokens(demands), demand)
	told := findings(events, shown, findingShare*limits.Index)
	sections = append(sections, rules, demands, newest, told)
	sections = append(sections, nameIndex(events, shownNames{view: v, covered: events, sections: sections}, limits.Index-textTokens(told)))
	return strings.Join(slices.DeleteFunc(sections, func(s string) bool { return s == "" }), "\n\n")
}

// NoteTitle opens the first line of a note.
const NoteTitle = "## Note on "

// quoteMark begins every line of a text that is quoted.
const quoteMark = "> "

// quoted returns a text with a mark before each line, without control characters.
func quoted(text string) string {
	text = strings.TrimRight(printable(withNewlines(conversation.Clean(text))), "\n ")
	var b strings.Builder
	b.Grow(len(text) + len(text)/16)
	for line := range strings.SplitSeq(text, "\n") {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(strings.TrimRight(quoteMark+line, " "))
	}
	return b.String()
}

func withNewlines(text string) string {
	if snippet.IsASCII(text) && !strings.ContainsAny(text, "\r\v\f") {
		return text
	}
	return lineBreaks.Replace(text)
}

// printable returns a text without control characters except tabs and newlines.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || 0x7f <= r && r < 0xa0 {
			return -1
		}
		return r
	}, text)
}

// onOneLine returns a text on one line, at most n code points of it.
func onOneLine(text string, n int) string {
	text = conversation.OneLine(text, n)
	if clean := printable(text); clean != text {
		return conversation.OneLine(clean, n)
	}
	return text
}

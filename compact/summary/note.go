package summary

import (
	"slices"
	"strconv"
	"strings"

	"plimsoll/compact/projection"
	"plimsoll/compact/snippet"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// A note stands for what was evicted, and for what was evicted before. The program
// writes it when the step is made, so that what must not be lost does not hang on
// a model. Rules:
//
//   - What was done by turn, files, todos and the last error come first, then
//     the user's words, then an index of names.
//   - Every line names the turn or the event it comes from, as recall takes them.
//   - Only the program writes at the margin: what users, files and tools said stands
//     behind a mark on every line, so that it cannot pass for a heading or for words
//     of the program.
//   - The same events give the same note.

const (
	// doneShare is the part of the room for lists that what was done by turn gets
	// at most.
	doneShare = 0.5
	// newestShare is the part of the room for the user's words that the newest
	// messages get, word for word.
	newestShare = 0.5
)

// NoteRoom is how many tokens each part of a note may have.
type NoteRoom struct{ Lists, Words, Index float64 }

// Scaled is the room in another measure.
func (r NoteRoom) Scaled(by float64) NoteRoom {
	return NoteRoom{Lists: by * r.Lists, Words: by * r.Words, Index: by * r.Index}
}

// Within is the room, or less, so that all parts together have at most so many tokens.
func (r NoteRoom) Within(most float64) NoteRoom { return r.Scaled(min(1, most/r.All())) }

func (r NoteRoom) All() float64 { return r.Lists + r.Words + r.Index }

// Note writes a note on spans of a log, which stands for what was evicted before
// as well. View is what is sent without them: what it shows anyway is not in the
// index. It is "" if spans hold nothing that is sent.
func Note(log []conversation.Event, v projection.View, spans []conversation.Span, room NoteRoom) string {
	told := projection.WithEarlier(log, spans)
	said := conversation.MessagesIn(log, told)
	if len(said) == 0 {
		return ""
	}
	head := noteHead(said)
	left := room.Lists - textTokens(head)
	done := turnsDone(said, min(doneShare*room.Lists, left))
	sections := append([]string{head, done}, facts(log, said, left-textTokens(done))...)
	newest, shown := verbatim(said, newestShare*room.Words)
	sections = append(sections, bindingSentences(said, shown, room.Words-textTokens(newest)), newest)
	sections = append(sections, nameIndex(said, shownNames{view: v, told: said, sections: sections}, room.Index))
	return strings.Join(slices.DeleteFunc(sections, func(s string) bool { return s == "" }), "\n\n")
}

// NoteTitle opens the first line of a note.
const NoteTitle = "## Note on "

func noteHead(said []conversation.Event) string {
	from, to := conversation.TurnRange(said)
	first, last := said[0].Seq, said[len(said)-1].Seq
	return NoteTitle + numbers.Turns(from, to) + " (e" + strconv.FormatUint(first, 10) + "-" + strconv.FormatUint(last, 10) + ")"
}

// quoteMark begins every line of a text that is quoted.
const quoteMark = "> "

// quoted is a text with a mark before each of its lines, without control
// characters.
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

// printable is a text without control characters but tabs and ends of lines.
func printable(text string) string {
	if !mayControl(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || 0x7f <= r && r < 0xa0 {
			return -1
		}
		return r
	}, text)
}

func mayControl(text string) bool {
	const firstOfC1 = 0xc2 // the byte that begins those above ASCII, and other characters
	for i := range len(text) {
		if c := text[i]; c < ' ' && c != '\n' && c != '\t' || c == 0x7f || c == firstOfC1 {
			return true
		}
	}
	return false
}

// inLine is a text on one line, at most n code points of it.
func inLine(text string, n int) string {
	if len(text) <= n && isPlain(text) {
		return text
	}
	text = conversation.OneLine(text, n)
	if clean := printable(text); clean != text {
		return conversation.OneLine(clean, n)
	}
	return text
}

func isPlain(text string) bool {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] >= 0x7f {
			return false
		}
	}
	return true
}

package compact

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
)

// The appendix stands behind a summary and is written by code, so that what
// must not be lost does not hang on a model. Every line names the turn it comes
// from. Rules:
//
//   - The newest messages of the user come word for word as far as the budget
//     goes, the newest first in choosing; what is cut says so.
//   - Files, todos, skills and the last error have a quarter of the budget on
//     top; what is newest stays. So has, three quarters of it, an index of names.
//   - The same events give the same text, and none at all if there is nothing.

const (
	// verbatimMost and verbatimShare are the budget for the user's own words: in
	// tokens, and as a share of the window (a flat 8,000 would be a quarter of a
	// small window).
	verbatimMost  = 8000
	verbatimShare = 0.05
	// factsShare is what the other lists may have, as a share of that budget.
	factsShare = 0.25
	// verbatimChars is how much of one message of the user is kept, in code points.
	verbatimChars = 8000
	// minVerbatim is the least room in which a cut message still says something,
	// in tokens.
	minVerbatim = 40.0
)

// AppendixBudget is how many tokens of the user's own words a summary is given,
// for a window of so many tokens, 0 unknown. It has to be bounded by what the
// summary covers besides: the appendix shall not undo what it saves.
func AppendixBudget(window int) int {
	if window <= 0 {
		return verbatimMost
	}
	return min(verbatimMost, int(verbatimShare*float64(window)))
}

// Appendix is what the program adds to the summary of the spans of a log: files,
// todos, skills, the last error, the newest messages of the user with at most
// budgetTokens estimated tokens, and an index of names. The lists have at most a
// quarter of that on top, the index three quarters. It is "" where there is nothing to add.
func Appendix(log []conversation.Event, spans []conversation.Span, budgetTokens int) string {
	said := saidIn(log, spans)
	var sections []string
	budget := float64(budgetTokens)
	parts := append(facts(log, said, factsShare*budget), verbatim(said, budget), namesIn(said, min(namesShare*budget, namesMost)))
	for _, s := range parts {
		if s != "" {
			sections = append(sections, s)
		}
	}
	return strings.Join(sections, "\n\n")
}

// factSection is a list under a heading.
type factSection struct {
	title string
	lines []string // the one that matters most at the end
	more  string   // what lines that have no room are called
}

// facts are the lists, in the order they are printed. The room is given out in
// the order of what would be missed most.
func facts(log, said []conversation.Event, room float64) []string {
	calls := callsIn(said)
	var modified, read factSection
	modified.title, modified.more = "Files modified", "more"
	read.title, read.more = "Files read", "more"
	for _, f := range filesIn(calls) {
		line := "- " + f.path + " (" + turnMarks(f.turns) + ")"
		if f.modified {
			modified.lines = append(modified.lines, line)
		} else {
			read.lines = append(read.lines, line)
		}
	}
	todos := todoSection(log, calls)
	skills := factSection{title: "Skills in force", more: "more"}
	for _, s := range skillsIn(calls) {
		skills.lines = append(skills.lines, "- "+s.name+" (t"+strconv.Itoa(s.turn)+")")
	}
	failed := factSection{title: "Last error of a tool"}
	if all := failures(calls); len(all) > 0 {
		f := all[len(all)-1]
		failed.lines = []string{f.tool + " (t" + strconv.Itoa(f.turn) + ", e" + strconv.FormatUint(f.seq, 10) + "): " + f.line}
	}
	text := map[string]string{}
	for _, s := range []factSection{failed, todos, skills, modified, read} {
		text[s.title] = s.within(&room)
	}
	return []string{text[modified.title], text[read.title], text[todos.title], text[skills.title], text[failed.title]}
}

// todoSection lists what is open on the checklist, its first entries last,
// because they come next.
func todoSection(log []conversation.Event, calls []madeCall) factSection {
	todos, turn := openTodos(log, calls)
	s := factSection{title: "Open todos (t" + strconv.Itoa(turn) + ")", more: "more after these"}
	for _, t := range slices.Backward(todos) {
		mark := "[ ] "
		if t.started {
			mark = "[>] "
		}
		s.lines = append(s.lines, "- "+mark+t.text)
	}
	return s
}

// within is the section with the lines that have room, which is taken from it;
// "" if none has.
func (s factSection) within(room *float64) string {
	text := "### " + s.title
	left := *room - textTokens(text) - 6 // a line that says how many there are besides
	kept := len(s.lines)
	for ; kept > 0; kept-- {
		cost := textTokens(s.lines[kept-1]) + 1
		if left < cost {
			break
		}
		left -= cost
	}
	if kept == len(s.lines) {
		return ""
	}
	shown := slices.Clone(s.lines[kept:])
	if strings.HasPrefix(s.title, "Open todos") {
		slices.Reverse(shown)
	}
	if kept > 0 {
		shown = append(shown, "- and "+number(kept)+" "+s.more)
	}
	text += "\n" + strings.Join(shown, "\n")
	*room -= textTokens(text) + 2
	return text
}

// verbatim is the newest messages of the user that have room, in their order.
func verbatim(said []conversation.Event, room float64) string {
	const title = "### Said by the user, word for word"
	room -= textTokens(title) + 1
	var chosen []string
	for _, e := range slices.Backward(said) {
		b, ok := e.Body.(conversation.UserMessage)
		if !ok || strings.TrimSpace(b.Text) == "" {
			continue
		}
		text := spoken(e, b.Text, room)
		if text == "" {
			break
		}
		chosen = append(chosen, text)
		room -= textTokens(text) + 1
	}
	if len(chosen) == 0 {
		return ""
	}
	slices.Reverse(chosen)
	return title + "\n" + strings.Join(chosen, "\n\n")
}

// spoken is one message under its place, cut at verbatimChars and at the room;
// "" where there is no room for it.
func spoken(e conversation.Event, text string, room float64) string {
	head := "t" + strconv.Itoa(e.Turn) + " (e" + strconv.FormatUint(e.Seq, 10)
	text = strings.TrimSpace(text)
	whole := utf8.RuneCountInString(text)
	shown := firstChars(text, verbatimChars)
	if room -= textTokens(head) + 2; textTokens(shown) > room {
		if room < minVerbatim {
			return ""
		}
		shown = prefixWithin(shown, room-20) // the note of the cut
	}
	if kept := utf8.RuneCountInString(shown); kept < whole {
		head += ", the first " + number(kept) + " of " + number(whole) + " characters"
	}
	return head + "):\n" + shown
}

package summary

import (
	"slices"
	"strconv"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// The lists of a note: what was done to files, what is open, and the last error, as
// the calls and their results say. Every line names the turns it comes from. What
// would be missed most has the room first; of each list what is newest stays, and a
// line says how many there are besides.

const (
	// failedFilesMost is how many files are told that calls failed on, the newest.
	failedFilesMost = 20
	// failedChars is how much is told of why, in code points.
	failedChars = 100
)

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
	files := fileCallsIn(calls)
	var modified, read, unread factSection
	modified.title, modified.more = "Files modified", "more"
	read.title, read.more = "Files read", "more"
	unread.title, unread.more = "Files that calls failed on", "more"
	for _, f := range filesIn(files) {
		line := "- " + f.path + " (" + turnMarks(f.turns) + ")"
		if f.modified {
			modified.lines = append(modified.lines, line)
		} else {
			read.lines = append(read.lines, line)
		}
	}
	failures := failedFiles(files)
	for _, f := range failures[max(0, len(failures)-failedFilesMost):] {
		why := conversation.OneLine(failureOf(*f.call).line, failedChars)
		unread.lines = append(unread.lines, "- "+f.path+" (t"+strconv.Itoa(f.call.turn)+", e"+strconv.FormatUint(f.call.seq, 10)+"): "+why)
	}
	todos := todoSection(log, calls)
	failed := factSection{title: "Last error of a tool"}
	if c := newestFailure(calls); c != nil {
		f := failureOf(*c)
		failed.lines = []string{"- " + f.tool + " (t" + strconv.Itoa(f.turn) + ", e" + strconv.FormatUint(f.seq, 10) + "): " + f.line}
	}
	text := map[string]string{}
	for _, s := range []factSection{failed, todos, modified, unread, read} {
		text[s.title] = s.within(&room)
	}
	return []string{text[modified.title], text[read.title], text[unread.title], text[todos.title], text[failed.title]}
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
		shown = append(shown, "- and "+numbers.Grouped(kept)+" "+s.more)
	}
	text += "\n" + strings.Join(shown, "\n")
	*room -= textTokens(text) + 2
	return text
}

package summary

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

const (
	failedFilesMost = 20  // files that calls failed on are listed, the newest
	failedChars     = 100 // code points of why
	skillNameChars  = 64  // code points of the name of a skill
	turnsMost       = 4   // turns of a file are named, the newest
)

// factSections returns the lists of a note: what hooks want kept, files, open todos, and the last error. What hooks want kept,
// the last error and the todos get their room first. Of each list the newest lines stay, and a line says how many are left out.
func factSections(log, events []conversation.Event, room float64) []string {
	calls := callsIn(events)
	var modified, read, failed, last []string
	for _, f := range filesIn(calls) {
		line := "- " + f.path + " (" + turnMarks(f.turns) + ")"
		switch {
		case f.modified:
			modified = append(modified, line)
		case f.turns != nil:
			read = append(read, line)
		}
		if c := f.failedCall; c != nil {
			failed = append(failed, "- "+f.path+" ("+c.turnAndEvent()+"): "+conversation.OneLine(c.errorLine(), failedChars))
		}
	}
	if c := newestFailure(calls); c != nil {
		last = []string{"- " + projection.ToolName(c.name) + " (" + c.turnAndEvent() + "): " + c.errorLine()}
	}
	keep, asked := conversation.KeptByHooks(log)
	var kept []string
	for _, text := range keep {
		kept = append(kept, quoted(text))
	}
	hooks := factSection("To be kept, by the user's hooks (e"+strconv.FormatUint(asked, 10)+")", kept, &room)
	skills := factSection("Skills loaded; load_skill brings one back", skillLines(calls), &room)
	todos, turn := openTodos(log, calls)
	var todoLines []string
	for _, t := range slices.Backward(todos) { // factSection keeps the last lines
		mark := "[ ] "
		if t.started {
			mark = "[>] "
		}
		todoLines = append(todoLines, "- "+mark+t.text)
	}
	lastError := factSection("Last error of a tool", last, &room)
	open := factSection("Open todos (t"+strconv.Itoa(turn)+")", todoLines, &room)
	return []string{
		hooks,
		factSection("Files modified", modified, &room),
		factSection("Files read", read, &room),
		factSection("Files that calls failed on", failed[max(0, len(failed)-failedFilesMost):], &room),
		skills, open, lastError,
	}
}

// skillLines lists the skills whose text calls loaded, each with its newest call.
func skillLines(calls []callWithResult) []string {
	var lines []string
	seen := map[string]bool{}
	for _, c := range slices.Backward(calls) {
		var args struct{ Name, Skill string }
		if plainTool(c.name) != "loadskill" || c.status != conversation.ResultOK || json.Unmarshal([]byte(c.args), &args) != nil {
			continue
		}
		if name := onOneLine(cmp.Or(args.Name, args.Skill), skillNameChars); name != "" && !seen[name] {
			seen[name] = true
			lines = append(lines, "- "+name+" ("+c.turnAndEvent()+")")
		}
	}
	slices.Reverse(lines)
	return lines
}

// turnAndEvent names the turn and the event of a call, in the form that recall accepts.
func (c *callWithResult) turnAndEvent() string {
	return "t" + strconv.Itoa(c.turn) + ", e" + strconv.FormatUint(c.seq, 10)
}

// factSection returns a heading and the last lines that fit into the room, and reduces the room; "" if no line fits.
func factSection(title string, lines []string, room *float64) string {
	text := "### " + title
	left := *room - textTokens(text) - 6 // for the line that says how many are left out
	kept := len(lines)
	for ; kept > 0; kept-- {
		cost := textTokens(lines[kept-1]) + 1
		if left < cost {
			break
		}
		left -= cost
	}
	if kept == len(lines) {
		return ""
	}
	shown, more := slices.Clone(lines[kept:]), "more"
	if strings.HasPrefix(title, "Open todos") {
		slices.Reverse(shown)
		more = "more after these"
	}
	if kept > 0 {
		shown = append(shown, "- and "+numbers.Grouped(kept)+" "+more)
	}
	text += "\n" + strings.Join(shown, "\n")
	*room -= textTokens(text) + 2
	return text
}

// turnMarks names turns in the form that recall accepts, the first and the newest if there are many.
func turnMarks(turns []int) string {
	var marks []string
	for i, t := range turns {
		if i == 0 || len(turns)-i < turnsMost || len(turns) <= turnsMost {
			marks = append(marks, "t"+strconv.Itoa(t))
		}
	}
	if len(turns) > turnsMost {
		return marks[0] + " … " + strings.Join(marks[1:], ", ")
	}
	return strings.Join(marks, ", ")
}

package summary

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/names"
)

// Findings tell what happened inside long turns, of which the list of turns has one line each. Candidates are the first sentence
// of each text of the agent, and its first sentence that gives a reason. Points decide, then the newest: in recordings, sentences
// with a name are used again three times as often as others, and those beside edits half as often again.

const (
	findingShare = 1.0 / 3 // of the room for the index
	reasonPoints = 4
	namePoints   = 2
	eventPoints  = 1 // an error before it, or an edit or a new plan after it
	maxFinding   = 300
	// maxFindingsRead is how many bytes of the newest texts are searched.
	maxFindingsRead = 64 << 10
	minFinding      = 20    // bytes
	findingsRoom    = 100.0 // tokens; in less the index serves more replies
)

var (
	reasonSigns = []string{"decided", "root cause", "because", "turns out", "the fix ", "the problem ", "the issue ", "the bug ", "instead of", "won't", "won’t"}
	noFindings  = []string{"let me ", "now let me ", "i'll ", "let's ", "first, let me"}
)

type finding struct {
	sentence
	seq    uint64
	points int
}

// findings lists the sentences of the agent that fit into the room, in their order, without those that are shown.
func findings(events []conversation.Event, shown map[string]bool, room float64) string {
	const title = "### What the agent found and decided"
	if room < findingsRoom {
		return ""
	}
	room -= textTokens(title) + 1
	found := findingsIn(events, shown)
	slices.SortStableFunc(found, func(a, b finding) int { return cmp.Or(b.points-a.points, b.event-a.event) })
	left := 0
	for _, f := range found {
		if cost := textTokens(f.text) + 4; cost <= room {
			room -= cost
			found[left] = f
			left++
		}
	}
	if found = found[:left]; left == 0 {
		return ""
	}
	slices.SortFunc(found, func(a, b finding) int { return cmp.Or(a.event-b.event, a.index-b.index) })
	var out strings.Builder
	out.WriteString(title)
	turn := -1
	for _, f := range found {
		if f.turn != turn {
			turn = f.turn
			out.WriteString("\nt" + strconv.Itoa(turn) + ":")
		}
		out.WriteString("\n- e" + strconv.FormatUint(f.seq, 10) + ": " + f.text)
	}
	return out.String()
}

func findingsIn(events []conversation.Event, shown map[string]bool) []finding {
	var found []finding
	seen := map[string]bool{}
	failed := false
	from := len(events)
	for left := maxFindingsRead; from > 0 && left > 0; from-- {
		if b, ok := events[from-1].Body.(conversation.AssistantMessage); ok {
			left -= len(b.Text)
		}
	}
	for i := from; i < len(events); i++ {
		switch b := events[i].Body.(type) {
		case conversation.ToolResult:
			failed = failed || b.Status == conversation.ResultError
		case conversation.AssistantMessage:
			beside := 0
			if failed || slices.ContainsFunc(b.Calls, changes) {
				beside = eventPoints
			}
			failed = false
			reasoned := false
			all := sentences(b.Text)
			for k, s := range all {
				reasons := !reasoned && givesReason(s)
				if k+1 < len(all) && strings.HasSuffix(s, ":") && len(s)+len(all[k+1]) < maxFinding { // what was found stands behind it
					s += " " + all[k+1]
				}
				if k > 0 && !reasons || len(s) < minFinding || len(s) > maxFinding || seen[s] || shown[s] {
					continue
				}
				seen[s], reasoned = true, reasoned || reasons
				if points := beside + pointsOf(s, reasons); points >= 0 {
					found = append(found, finding{sentence{events[i].Turn, i, k, s}, events[i].Seq, points})
				}
			}
		}
	}
	return found
}

// changes reports whether a call edits a file or the plan.
func changes(c conversation.ToolCall) bool {
	tool := plainTool(projection.ToolName(c.Name))
	return writingTools[tool] || todoTools[tool] || tool == "applypatch"
}

func givesReason(s string) bool {
	s = strings.ToLower(s)
	return slices.ContainsFunc(reasonSigns, func(sign string) bool { return strings.Contains(s, sign) })
}

func pointsOf(s string, reasons bool) int {
	points, named := 0, false
	if reasons {
		points += reasonPoints
	}
	names.Scan(s, func(string) { named = true })
	if named {
		points += namePoints
	}
	start := strings.ToLower(s[:min(len(s), 20)])
	if slices.ContainsFunc(noFindings, func(p string) bool { return strings.HasPrefix(start, p) }) {
		points--
	}
	return points
}

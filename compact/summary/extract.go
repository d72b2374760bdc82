package summary

import (
	"strings"

	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

const (
	// extractShare is the longest extract, as a share of the covered tokens.
	extractShare = 0.35
	// extractMark is the first line of every extract.
	extractMark = "Extract made by fixed rules, not by an AI."
	// extractChars is how many code points of one sentence are shown.
	extractChars = 400
)

// Extract answers a job on a log without a model, for replay, for print with a preset and
// for the demo model. It lists unchanged sentences of the messages, each with its turn,
// within the job's bound.
func Extract(log []conversation.Event, job Job) Answer {
	events := conversation.MessagesIn(log, job.Spans)
	covered := job.CoveredTokens
	if covered == 0 {
		covered = meter.EstimateEvents(events)
	}
	room := extractShare * float64(covered)
	for _, most := range []int{job.MaxTokens, job.options.MaxText} {
		if most > 0 {
			room = min(room, float64(most))
		}
	}
	return Answer{Text: extractOf(events, room), Stop: conversation.StopEnd, Input: preset.InputExtract}
}

// extractSection is a list of lines under a heading, with a share of the remaining room.
type extractSection struct {
	title string
	share float64
	lines []string
}

// extractOf returns the sections of an extract with the newest lines that fit.
func extractOf(events []conversation.Event, room float64) string {
	text := extractMark
	room -= textTokens(text)
	for _, s := range extractSections(events) {
		left := s.share*room - textTokens(s.title) - 3
		from := len(s.lines)
		for ; from > 0; from-- {
			if left -= textTokens(s.lines[from-1]) + 1; left < 0 {
				break
			}
		}
		if from < len(s.lines) {
			section := "\n\n### " + s.title + "\n- " + strings.Join(s.lines[from:], "\n- ")
			text += section
			room -= textTokens(section)
		}
	}
	return text
}

func extractSections(events []conversation.Event) []extractSection {
	asked, others := extractSection{title: "Asked and required", share: 0.8}, extractSection{title: "Also said", share: 1}
	files, errors := extractSection{title: "Files", share: 0.4}, extractSection{title: "Errors", share: 0.3}
	replies := extractSection{title: "Replies", share: 0.6}
	known := map[string]bool{}
	for _, e := range events {
		turn := turnMarks([]int{e.Turn}) + " "
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			for _, s := range sentences(b.Text) {
				switch s = conversation.OneLine(s, extractChars); {
				case known[s]:
				case strengthOf(s) == demand || len(asked.lines) == 0:
					asked.lines = append(asked.lines, turn+s)
				default:
					others.lines = append(others.lines, turn+s)
				}
				known[s] = true
			}
		case conversation.AssistantMessage:
			if first := sentences(b.Text); len(first) > 0 {
				replies.lines = append(replies.lines, turn+conversation.OneLine(first[0], extractChars))
			}
		}
	}
	calls := callsIn(events)
	for _, f := range filesIn(calls) {
		how := "read "
		if f.modified {
			how = "modified "
		}
		if f.turns != nil {
			files.lines = append(files.lines, how+f.path+" ("+turnMarks(f.turns)+")")
		}
	}
	if c := newestFailure(calls); c != nil {
		errors.lines = []string{turnMarks([]int{c.turn}) + " " + c.errorLine()}
	}
	return []extractSection{asked, files, errors, replies, others}
}

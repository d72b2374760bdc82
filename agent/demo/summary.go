package demo

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"plimsoll/agent/wire"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// A summary request is answered with the extract that Plimsoll makes where no model
// can be asked: sentences of the history and the files that were touched, nothing
// made up. It calls no tool, is always shorter than 40 % of what it covers, and never
// covers an earlier summary unless it is given one to read: those are recognised by
// the mark they open with.

const (
	summaryShare = 30  // percent of what it covers; below the 40 that a summary may have
	summaryMost  = 600 // tokens: the window is small
)

// lazy compiles a pattern when it is first used.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// topics are the things that a summary request names; four of them tell it from
// a user who wants something summarised.
var topics = lazy(`(?i)\b(?:goals?|constraints?|preferences?|decisions?|errors?|state|open questions?|next steps?|identifiers?|exact paths?|unresolved|progress|todos?|accomplished)\b`)

var summarising = lazy(`(?i)\b(?:summar(?:y|ies|i[sz]e\w*|i[sz]ing)|compact(?:ing|ion)?|hand[- ]?over|handoff)\b`)

// wantsSummary reports whether instructions ask for a summary of the whole.
func wantsSummary(instructions string) bool {
	named := make(map[string]bool)
	for _, word := range topics().FindAllString(instructions, 60) {
		named[strings.TrimSuffix(strings.ToLower(word), "s")] = true
	}
	return len(named) >= 4 && summarising().MatchString(instructions)
}

// summaryRequest reports whether the request asks for a summary, and returns
// the instructions: the newest user message, or in a request without tools the
// system prompt.
func (t *turn) summaryRequest() (string, bool) {
	if t.history[len(t.history)-1].Role != "user" {
		return "", false
	}
	said, _ := readWritten(t.said) // what was written out is no instruction
	switch {
	case wantsSummary(said):
		return said, true
	case len(t.tools) == 0 && wantsSummary(t.system):
		return t.system, true
	}
	return "", false
}

// covered is the history that a summary request speaks of: what its last
// message writes out, else the messages before it.
func (t *turn) covered() []message {
	last := len(t.history) - 1
	earlier := slices.DeleteFunc(slices.Clone(t.history[:last]), func(m message) bool {
		return m.Role == "system" || m.Role == "developer" || strings.Contains(m.Content.Text, summaryMark)
	})
	if _, written := readWritten(t.said); len(written) > 0 {
		return append(earlier, written...)
	}
	if len(earlier) > 0 && wantsSummary(t.said) {
		return earlier
	}
	return append(earlier, t.history[last])
}

// events is a history as the log has it, and all its words. A reply counts by its
// paragraphs: of each the extract has the beginning.
func events(history []message) (log []conversation.Event, words string) {
	var whole strings.Builder
	var open []conversation.ToolCall
	add := func(b conversation.Body) {
		log = append(log, conversation.Event{Seq: uint64(len(log) + 1), Turn: unknownTurn, Body: b})
	}
	for _, m := range history {
		text := frames().ReplaceAllString(strings.NewReplacer(introduction, "", summaryMark, "").Replace(m.Content.Text), "")
		whole.WriteString(text + "\n")
		switch m.Role {
		case "user":
			add(conversation.UserMessage{Text: text})
		case "tool":
			if len(open) == 0 {
				continue
			}
			status := conversation.ResultOK
			if open[0].Name == "read_file" && !strings.Contains(text, "\n") { // why there are no lines
				status = conversation.ResultError
			}
			add(conversation.ToolResult{CallID: open[0].ID, Tool: open[0].Name, Status: status, Text: text})
			open = open[1:]
		default:
			for paragraph := range strings.SplitSeq(text, "\n\n") {
				add(conversation.AssistantMessage{Text: paragraph})
			}
		}
		if len(m.Calls) == 0 {
			continue
		}
		open = nil
		for i, c := range m.Calls {
			whole.WriteString(c.Function.Name + " " + c.Function.Arguments + "\n")
			open = append(open, conversation.ToolCall{ID: strconv.Itoa(i), Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		add(conversation.AssistantMessage{Calls: open})
	}
	return log, whole.String()
}

// unknownTurn stands for the turns of messages, which a request does not tell; a summary
// does not name it.
const unknownTurn = -1

var withoutTurns = strings.NewReplacer("t-1 ", "", " (t-1)", "")

// frames are headings, fences, the marks of lists, and the numbers of lines of a file.
var frames = lazy("(?m)^(?:#+ .*|```.*|[-*] (?:t\\d+ )?|\\s*\\d+\\t)")

var lengthLimit = lazy(`(?i)(?:at most|under|below|no more than|within|maximum(?: of)?|up to|limit(?: of)?|fewer than|less than)\s+(\d+)\s+(tokens?|words?|characters?)`)

// summary answers a summary request.
func (t *turn) summary(instructions string) string {
	log, whole := events(t.covered())
	covered := countTokens(whole)
	tokens := min(covered*summaryShare/100, summaryMost, t.room-8)
	if m := lengthLimit().FindStringSubmatch(instructions); m != nil {
		n := number(m[1])
		switch m[2][0] | 0x20 {
		case 'w':
			n = n * 5 / tokenBytes
		case 'c':
			n /= tokenBytes
		}
		tokens = min(tokens, n)
	}
	job := summary.Job{Spans: []conversation.Span{{First: 1, Last: uint64(len(log))}}, CoveredTokens: covered}
	for job.MaxTokens = tokens; job.MaxTokens > 0; job.MaxTokens = job.MaxTokens*9/10 - 1 {
		text := withoutTurns.Replace(summary.Extract(log, job).Text)
		if text != summaryMark && countTokens(text) <= tokens {
			return text
		}
	}
	words := pieces(strings.Join(strings.Fields(whole), " "))
	return strings.Join(words[:min(len(words), max(tokens, 1))], "")
}

// A summary may be asked for with the history written out in one message:
// Plimsoll's form has a line at the margin before each text ("t3 e17 user:") and
// indents the text, J-CLI's is a list of messages as JSON, cut at its beginning
// where it was too long. Both are read back into messages, so that the summary
// covers the messages and not their frame.

var partLine = lazy(`(?m)^(?:t\d+ e\d+ (user|assistant, thinking|assistant(?: \(\w+\))?|assistant, call of (\S+)|result of \S+ \(\w+\))|Earlier summary of turns? .*):$`)

var jsonMessage = lazy(`"role":"(\w+)","content":("(?:[^"\\]|\\.)*")`)

// readWritten returns what stands before the messages that are written out in a
// text, and the messages.
func readWritten(text string) (before string, messages []message) {
	if at := partLine().FindAllStringSubmatchIndex(text, -1); len(at) > 0 {
		for i, m := range at {
			end := len(text)
			if i+1 < len(at) {
				end = at[i+1][0]
			}
			messages = append(messages, readPart(partLine().FindStringSubmatch(text[m[0]:m[1]]), outdented(text[m[1]:end])))
		}
		return text[:at[0][0]], messages
	}
	before, list, ok := strings.Cut(text, "\n\n")
	if !ok || !strings.HasSuffix(list, "}]") {
		return text, nil
	}
	for _, m := range jsonMessage().FindAllStringSubmatch(list, -1) {
		var said string
		if json.Unmarshal([]byte(m[2]), &said) == nil { // half a string is cut at the beginning
			messages = append(messages, message{Role: m[1], Content: content{Text: said}})
		}
	}
	return before, messages
}

// readPart is the message that a line at the margin and its text stand for.
func readPart(line []string, text string) message {
	m := message{Role: "assistant", Content: content{Text: text}}
	switch {
	case line[1] == "user", line[1] == "": // an earlier summary counts as what was asked
		m.Role = "user"
	case line[1] == "assistant, thinking":
		m.Content.Text = ""
	case line[2] != "":
		m.Content.Text, m.Calls = "", []wire.Call{{Function: wire.Function{Name: line[2], Arguments: text}}}
	case strings.HasPrefix(line[1], "result"):
		m.Role = "tool"
	}
	return m
}

// outdented is the indented text that follows a line at the margin.
func outdented(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.TrimPrefix(text, "\n")) {
		rest, indented := strings.CutPrefix(line, "  ")
		if !indented && strings.TrimSpace(line) != "" {
			break
		}
		b.WriteString(rest)
	}
	return strings.TrimRight(b.String(), "\n")
}

package demo

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"plimsoll/agent/wire"
	"plimsoll/compact/extract"
)

// A summary request is answered with an extract: sentences of the history and
// the calls that were made, nothing made up. It calls no tool, is always shorter
// than 40 % of what it covers, and never covers an earlier summary unless it is
// given one to read: those are recognised by the mark they open with.

const (
	summaryShare = 30   // percent of what it covers; below the 40 that a summary may have
	summaryMost  = 2400 // characters: the window is small
	titledLeast  = 400  // characters below which there is no room for headings
	sectionRoom  = 30   // characters for a heading
)

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

// digest is what a summary is made from.
type digest struct {
	asked, done, said []string // paragraphs of the user, calls, and what came back
	whole             string
}

func newDigest(history []message) *digest {
	d := new(digest)
	var whole strings.Builder
	for _, m := range history {
		text := strings.ReplaceAll(strings.ReplaceAll(m.Content.Text, introduction, ""), summaryMark, "")
		if m.Role == "tool" {
			text = lineNumbers().ReplaceAllString(text, "")
		}
		whole.WriteString(text + "\n")
		paragraphs := strings.Split(text, "\n\n")
		if m.Role == "user" {
			d.asked = append(d.asked, paragraphs...)
		} else {
			d.said = append(d.said, paragraphs...)
		}
		for _, c := range m.Calls {
			whole.WriteString(c.Function.Name + " " + c.Function.Arguments + "\n")
			x := exchange{tool: c.Function.Name, arguments: c.Function.Arguments}
			if line := strings.TrimSpace(x.tool + " " + x.subject()); !slices.Contains(d.done, line) {
				d.done = append(d.done, line)
			}
		}
	}
	d.whole = whole.String()
	return d
}

var lineNumbers = lazy(`(?m)^\s*\d+\t`)

var lengthLimit = lazy(`(?i)(?:at most|under|below|no more than|within|maximum(?: of)?|up to|limit(?: of)?|fewer than|less than)\s+(\d+)\s+(tokens?|words?|characters?)`)

// summary answers a summary request.
func (t *turn) summary(instructions string) string {
	d := newDigest(t.covered())
	chars := min(utf8.RuneCountInString(d.whole)*summaryShare/100, summaryMost)
	tokens := min(countTokens(d.whole)*summaryShare/100, t.room-8)
	if m := lengthLimit().FindStringSubmatch(instructions); m != nil {
		switch n := number(m[1]); m[2][0] | 0x20 {
		case 't':
			tokens = min(tokens, n)
		case 'w':
			chars = min(chars, n*5)
		default:
			chars = min(chars, n)
		}
	}
	for ; chars > 0; chars = chars*9/10 - 1 {
		if text := d.write(chars); text != "" && countTokens(text) <= tokens {
			return text
		}
	}
	words := pieces(strings.Join(strings.Fields(d.whole), " "))
	return strings.Join(words[:min(len(words), max(tokens, 1))], "")
}

// write makes the summary, of about room characters.
func (d *digest) write(room int) string {
	if room < titledLeast {
		if room -= len(summaryMark) + 1; room <= 0 {
			return ""
		}
		return summaryMark + " " + extract.Summary(slices.Concat(d.asked, d.said), room)
	}
	left := room - len(summaryMark) - 3*sectionRoom
	text := summaryMark
	section := func(title string, paragraphs []string, room int) {
		if body := extract.Summary(paragraphs, room); body != "" {
			text += "\n\n## " + title + "\n" + body
			left -= utf8.RuneCountInString(body)
		}
	}
	section("Asked and required", d.asked, left*50/100)
	section("Calls", d.done, left*40/100)
	section("Replies and results", d.said, left)
	return text
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
	case line[1] == "user":
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

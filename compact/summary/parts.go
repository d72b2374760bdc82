package summary

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"plimsoll/compact/meter"
	"plimsoll/compact/projection"
	"plimsoll/compact/snippet"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// A transcript has one part for each text: a line that names its turn, event and author
// ("t3 e17 user:"), and below it the text with every line indented. Rules:
//
//   - Only lines of the program are not indented, so no text can imitate another part or
//     the end of the conversation.
//   - Results, arguments and reasoning are clipped to their two ends. Where there
//     is a bound, no part has more than a quarter of it; then the oldest parts
//     are left out, never the newest, and a line says so.

const (
	// clipChars is how many code points of a result, of arguments or of reasoning the
	// transcript has, half from each end.
	clipChars = 2000
	// partShare is the largest share of the bound that one part gets.
	partShare = 0.25
	// minRoom is the least room in tokens, however small the bound is.
	minRoom = 64.0

	indent = "  "
)

// part is one text of a transcript.
type part struct {
	turn int
	seq  uint64 // 0 for an earlier summary
	head string // the line that is not indented
	body string // not indented
}

// partsOf returns the parts of events. clip is how many code points of results, arguments
// and reasoning are kept, 0 for all.
func partsOf(events []conversation.Event, clip int) []part {
	var out []part
	add := func(e conversation.Event, author, body string) {
		if strings.TrimSpace(body) != "" {
			out = append(out, part{e.Turn, e.Seq, fmt.Sprintf("t%d e%d %s:", e.Turn, e.Seq, author), body})
		}
	}
	for _, e := range events {
		switch b := e.Body.(type) {
		case conversation.UserMessage:
			add(e, "user", b.Text)
		case conversation.AssistantMessage:
			add(e, "assistant, thinking", clipMiddle(b.Reasoning, clip))
			add(e, "assistant"+stopNote(b.Stop), b.Text)
			for _, c := range b.Calls {
				add(e, "assistant, call of "+projection.ToolName(c.Name), clipMiddle(c.Arguments, clip))
			}
		case conversation.ToolResult:
			text := clipMiddle(b.Text, clip)
			if strings.TrimSpace(text) == "" {
				text = projection.NoOutput
			}
			status := string(b.Status)
			if b.Status != conversation.ResultDenied {
				status = projection.StatusWord(b.Status)
			}
			add(e, "result of "+projection.ToolName(b.Tool)+" ("+status+")", text)
		}
	}
	return out
}

func stopNote(s conversation.StopReason) string {
	if s == "" || s == conversation.StopEnd || s == conversation.StopCalls {
		return ""
	}
	if !s.IsComplete() && s != conversation.StopCancelled && s != conversation.StopFailed {
		s = conversation.StopInterrupted
	}
	return " (" + string(s) + ")"
}

func (p part) text() string { return p.head + "\n" + indented(p.body) }

// tokens estimates the length of the part with the blank line after it.
func (p part) tokens() float64 { return textTokens(p.text()) + 1 }

// shortenedTo returns the part with at most so many tokens, cut in the middle.
func (p part) shortenedTo(tokens float64) part {
	if p.tokens() <= tokens {
		return p
	}
	room := tokens - textTokens(p.head) - 12 // the note between the ends
	for body := p.body; ; room *= 0.9 {      // what indenting adds depends on the lines
		p.body = endsWithin(body, room)
		if p.tokens() <= tokens || room < 1 {
			return p
		}
	}
}

func textTokens(text string) float64 { return meter.Estimate(conversation.Measure(text)) }

var lineBreaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

func indented(text string) string {
	text = strings.TrimRight(lineBreaks.Replace(conversation.Clean(text)), "\n")
	var b strings.Builder
	b.Grow(len(text) + len(text)/16)
	for line := range strings.Lines(text) {
		if line != "\n" {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return b.String()
}

// clipMiddle returns the two ends of a text, so many code points in all; 0 keeps everything.
func clipMiddle(text string, chars int) string {
	if chars <= 0 || len(text) <= chars || utf8.RuneCountInString(text) <= chars {
		return text
	}
	return joinEnds(text, snippet.First(text, chars/2), snippet.Last(text, chars-chars/2))
}

func joinEnds(text, head, tail string) string {
	n := utf8.RuneCountInString(text) - utf8.RuneCountInString(head) - utf8.RuneCountInString(tail)
	return head + "\n(" + numbers.Count(n, "character") + " between are not shown here)\n" + tail
}

// endsWithin returns the two ends of a text that together have at most so many tokens.
func endsWithin(text string, tokens float64) string {
	if textTokens(text) <= tokens {
		return text
	}
	head := prefixWithin(text, tokens/2)
	tail := suffixWithin(text[len(head):], tokens/2)
	return joinEnds(text, head, tail)
}

// bytesPerToken is the largest size of an estimated token: two characters of four bytes.
const bytesPerToken = 8

// prefixWithin returns the longest beginning of a text with at most so many tokens.
func prefixWithin(text string, tokens float64) string {
	most := min(len(text), bytesPerToken*int(max(tokens, 0)+1))
	n := sort.Search(most, func(i int) bool { return textTokens(text[:runeStart(text, i+1)]) > tokens })
	return text[:runeStart(text, n)]
}

// suffixWithin returns the longest end of a text with at most so many tokens.
func suffixWithin(text string, tokens float64) string {
	most := min(len(text), bytesPerToken*int(max(tokens, 0)+1))
	from := len(text) - most
	n := sort.Search(most, func(i int) bool { return textTokens(text[runeEnd(text, from+i):]) <= tokens })
	return text[runeEnd(text, from+n):]
}

// runeStart returns the offset of the character that byte i belongs to.
func runeStart(text string, i int) int {
	for i > 0 && i < len(text) && !utf8.RuneStart(text[i]) {
		i--
	}
	return i
}

// runeEnd returns i, or the offset of the next character if byte i is inside one.
func runeEnd(text string, i int) int {
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	return i
}

// newestThatFit returns the newest parts that fit into the room, and how many of the oldest are
// left out.
func newestThatFit(parts []part, room float64) (kept []part, left int) {
	room = max(room, minRoom)
	left = len(parts)
	for bound := partShare * room; left > 0; left-- {
		p := parts[left-1].shortenedTo(max(bound, minRoom/2))
		if room -= p.tokens(); room < 0 {
			break
		}
		kept = append(kept, p)
	}
	slices.Reverse(kept)
	return kept, left
}

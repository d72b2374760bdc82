package agenttest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"plimsoll/agent/llm"
	"plimsoll/conversation"
)

// What models do when they are asked for a summary, well and badly.

// Healthy writes an extract of what it is sent, of the length it is asked for.
func Healthy(n int, r llm.Request) Reply {
	return Join(Say(extract(n, r)), Stop(conversation.StopEnd))
}

// Wordless ends without a word.
func Wordless(int, llm.Request) Reply { return Stop(conversation.StopEnd) }

// Cut is stopped at its limit.
func Cut(n int, r llm.Request) Reply {
	text := extract(n, r)
	return Join(Say(firstHalf(text)), Stop(conversation.StopLength))
}

// Calling calls a tool instead.
func Calling(n int, _ llm.Request) Reply {
	return Join(Call(0, fmt.Sprintf("summary_%d", n), "look", `{"n":1}`), Stop(conversation.StopCalls))
}

// Echoing repeats the beginning of what it is sent.
func Echoing(_ int, r llm.Request) Reply {
	const chars = 1500
	text := texts(r)
	if most := runes(text); most > chars {
		text = string([]rune(text)[:chars])
	}
	return Join(Say(text), Stop(conversation.StopEnd))
}

// Swelling writes more than it is sent.
func Swelling(_ int, r llm.Request) Reply {
	var b strings.Builder
	for i := 0; b.Len() <= len(texts(r)); i++ {
		fmt.Fprintf(&b, "%d. Much more could be told about the %d-th point of all this. ", i, i)
	}
	return Join(Say(b.String()), Stop(conversation.StopEnd))
}

// Hanging says nothing until it is stopped.
func Hanging(int, llm.Request) Reply { return Hold(NewGate()) }

// Dropping loses the connection in the middle.
func Dropping(n int, r llm.Request) Reply {
	return Join(Say(firstHalf(extract(n, r))), Fail(&llm.Error{Class: llm.Truncated, Message: "the connection was lost"}))
}

var wished = regexp.MustCompile(`Use at most (\d+) tokens`)

// extract is short quotations from all of a request, with words between them.
func extract(n int, r llm.Request) string {
	const (
		quoted = 40  // code points of a quotation
		short  = 0.8 // of what is asked for: models stay below it
		usual  = 300 // tokens, where no number is named
	)
	most := usual
	if found := wished.FindStringSubmatch(r.System + texts(r)); found != nil {
		most, _ = strconv.Atoi(found[1]) // digits, by the pattern
	}
	if r.MaxTokens > 0 {
		most = min(most, r.MaxTokens)
	}
	var lines []string
	for line := range strings.Lines(texts(r)) {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	room := int(short * float64(most))
	text := fmt.Sprintf("### Goal\nAccount %d of what was said so far, in a few words.\n### Done\n", n)
	step := max(1, len(lines)*20/max(room, 1))
	for i := 0; i < len(lines); i += step {
		line := []rune(lines[i])
		next := fmt.Sprintf("- point %d: %s\n", i, string(line[:min(quoted, len(line))]))
		if CountText(text+next) > room {
			break
		}
		text += next
	}
	return text + "### Next step\nGo on as the user asks."
}

// texts is all that the messages of a request say.
func texts(r llm.Request) string {
	var b strings.Builder
	for i := range r.Messages {
		b.WriteString(r.Messages[i].Text)
		b.WriteByte('\n')
	}
	return b.String()
}

func firstHalf(text string) string {
	all := []rune(text)
	return string(all[:len(all)/2])
}

func runes(text string) int { return utf8.RuneCountInString(text) }

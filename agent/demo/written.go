package demo

import (
	"encoding/json"
	"strconv"
	"strings"
)

// A summary may be asked for with the history written out in one message. Two
// forms are read back into messages, so that the summary is of what was said
// and not of its frame:
//
//   - Plimsoll's: a line at the margin before each text ("t3 e17 user:"), the
//     text itself indented
//   - J-CLI's: a list of messages as JSON behind the instructions, cut at its
//     beginning where it was too long
//
// Anything else is text.

// readWritten returns the messages written out in a text, and what stands
// before them.
func readWritten(text string) (before string, messages []message, ok bool) {
	if before, messages, ok = readParts(text); ok {
		return before, messages, true
	}
	return readJSON(text)
}

var partLine = lazy(`(?m)^(?:t\d+ e\d+ (user|assistant, thinking|assistant(?: \(\w+\))?|assistant, call of (\S+)|result of (\S+) \(\w+\))|Earlier summary of turns? .*):$`)

// readParts reads Plimsoll's form.
func readParts(text string) (before string, messages []message, ok bool) {
	at := partLine().FindAllStringSubmatchIndex(text, -1)
	if len(at) == 0 {
		return "", nil, false
	}
	group := func(m []int, n int) string {
		if m[2*n] < 0 {
			return ""
		}
		return text[m[2*n]:m[2*n+1]]
	}
	var waiting []message // calls without a result yet
	for i, m := range at {
		end := len(text)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		body := outdented(text[m[1]:end])
		who := group(m, 1)
		said := message{Role: "assistant", Content: content{Text: body, Present: true}}
		switch {
		case who == "":
			said.Content.Text = strings.ReplaceAll(body, summaryMark, "") // an earlier summary is to be read here
		case who == "user":
			said.Role = "user"
		case who == "assistant, thinking":
			continue
		case group(m, 2) != "":
			c := wireCall{ID: strconv.Itoa(i), Function: wireFunction{Name: group(m, 2), Arguments: body}}
			said.Content.Text, said.Calls = "", []wireCall{c}
			waiting = append(waiting, said)
		case group(m, 3) != "":
			said.Role = "tool"
			waiting, said.CallID = answerTo(waiting, group(m, 3))
		}
		messages = append(messages, said)
	}
	return text[:at[0][0]], messages, true
}

// answerTo takes the first call of a tool off the list.
func answerTo(waiting []message, tool string) (rest []message, id string) {
	for i, m := range waiting {
		if m.Calls[0].Function.Name == tool {
			return append(waiting[:i:i], waiting[i+1:]...), m.Calls[0].ID
		}
	}
	return waiting, ""
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

// readJSON reads J-CLI's form. A list that was cut is read from the first
// message that is whole.
func readJSON(text string) (before string, messages []message, ok bool) {
	const opens = `{"role":"`
	before, list, ok := strings.Cut(text, "\n\n")
	if !ok || !strings.HasSuffix(list, "}]") {
		return "", nil, false
	}
	for range 5 { // earlier summaries may stand before the cut
		i := strings.Index(list, opens)
		if i < 0 {
			break
		}
		if messages, ok = decodeJSON("[" + list[i:]); ok {
			return before, messages, true
		}
		list = list[i+len(opens):]
	}
	return "", nil, false
}

func decodeJSON(list string) ([]message, bool) {
	var written []struct {
		Role    string
		Content string
		Calls   []struct{ ID, Name, Arguments string } `json:"tool_calls"`
		CallID  string                                 `json:"tool_call_id"`
	}
	if json.Unmarshal([]byte(list), &written) != nil {
		return nil, false
	}
	var out []message
	for _, w := range written {
		text := strings.ReplaceAll(w.Content, summaryMark, "") // an earlier summary is to be read here
		m := message{Role: w.Role, Content: content{Text: text, Present: true}, CallID: w.CallID}
		for _, c := range w.Calls {
			m.Calls = append(m.Calls, wireCall{ID: c.ID, Function: wireFunction{Name: c.Name, Arguments: c.Arguments}})
		}
		out = append(out, m)
	}
	return out, len(out) > 0
}

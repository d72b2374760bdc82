package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"plimsoll/conversation"
)

// message is the line as a message.
func (w *wireLine) message() (Message, error) {
	if w.Role == nil {
		return Message{}, errors.New(`it has no "role", so it is not a chat-completions message`)
	}
	m := Message{Role: Role(*w.Role), Time: looseTime(w.Time), Summary: looseBool(w.Summary)}
	if w.Content != nil {
		m.Text = string(*w.Content)
	}
	var err error
	switch m.Role {
	case "developer":
		m.Role = RoleSystem
	case RoleSystem, RoleUser:
	case RoleAssistant:
		m.Text = either(m.Text, looseText(w.Refusal))
		m.Reply, err = w.reply()
	case RoleTool:
		m.Result = w.result()
	default:
		err = fmt.Errorf("the role %q is not one of system, developer, user, assistant, tool", conversation.OneLine(*w.Role, mostShown))
	}
	return m, err
}

func (w *wireLine) reply() (Reply, error) {
	r := Reply{
		Reasoning: either(looseText(w.Reasoning), looseText(w.Thought)), Model: looseText(w.Model), Error: looseText(w.Error),
		Usage: usageOf(w.Usage),
	}
	for i, c := range w.Calls {
		if c.Function == nil {
			return Reply{}, fmt.Errorf("call %d has no function", i+1)
		}
		r.Calls = append(r.Calls, conversation.ToolCall{
			ID: c.ID, Name: c.Function.Name, Arguments: arguments(c.Function.Arguments), Extra: extra(c.Extra),
		})
	}
	if json.Unmarshal(w.Extras, &r.Extras) != nil {
		r.Extras = nil // of a wrong type, so as if it were not there
	}
	r.Stop = w.stop(len(r.Calls) > 0)
	return r, nil
}

// stop is why the reply ended: what the file says, else what its calls say.
func (w *wireLine) stop(calls bool) conversation.StopReason {
	switch s := conversation.StopReason(looseText(w.Stop)); s {
	case conversation.StopEnd, conversation.StopCalls, conversation.StopLength, conversation.StopFiltered,
		conversation.StopCancelled, conversation.StopFailed, conversation.StopInterrupted:
		return s
	}
	switch looseText(w.Finish) {
	case "length":
		return conversation.StopLength
	case "content_filter":
		return conversation.StopFiltered
	}
	if calls {
		return conversation.StopCalls
	}
	return conversation.StopEnd
}

func (w *wireLine) result() Result {
	r := Result{
		CallID: w.CallID, Tool: conversation.Clean(looseText(w.Name)), Status: conversation.ResultOK, Detail: looseText(w.Detail),
		Shown: max(0, looseCount(w.Shown)), Total: max(0, looseCount(w.Total)),
		Duration: time.Duration(max(0, looseCount(w.Duration))) * time.Millisecond,
	}
	switch s := conversation.ResultStatus(looseText(w.Status)); {
	case s == conversation.ResultDenied, s == conversation.ResultInterrupted:
		r.Status = s
	case looseBool(w.Synthetic):
		r.Status = conversation.ResultInterrupted
	case looseBool(w.IsError):
		r.Status = conversation.ResultError
	}
	return r
}

// arguments is what a call passes, usually a text that holds a JSON object.
func arguments(raw json.RawMessage) string {
	var text string
	if len(raw) == 0 || json.Unmarshal(raw, &text) == nil {
		return text // null is none
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}

// extra is a provider's field to echo; null is none.
func extra(raw json.RawMessage) conversation.RawJSON {
	if string(raw) == "null" {
		return nil
	}
	return conversation.RawJSON(raw)
}

// metaOf reads the meta line; what is of a wrong type is left out.
func metaOf(raw json.RawMessage) Meta {
	var m Meta
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		return m
	}
	m.Title, m.Model, m.Client = looseText(fields["title"]), looseText(fields["model"]), looseText(fields["client"])
	m.Created = looseTime(fields["created"])
	if json.Unmarshal(fields["compact_at"], &m.CompactAt) != nil {
		m.CompactAt = nil
	}
	return m
}

// looseText is a JSON text, "" if raw is none.
func looseText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

// looseBool reports whether raw is true.
func looseBool(raw json.RawMessage) bool { return string(raw) == "true" }

// maxCount is the largest number that is taken for a count.
const maxCount = 1 << 40

// looseCount is a JSON number without its fraction, -1 if raw is none or makes
// no sense as a count.
func looseCount(raw json.RawMessage) int {
	f, ok := looseNumber(raw)
	if !ok || f < 0 || f > maxCount {
		return -1
	}
	return int(f)
}

func looseNumber(raw json.RawMessage) (float64, bool) {
	if len(raw) == 0 || string(raw) == "null" {
		return 0, false
	}
	var f float64
	if json.Unmarshal(raw, &f) != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, false
	}
	return f, true
}

// Times are taken from 1973 to the year 9999, in milliseconds. JSON cannot
// write later ones; a smaller number is a time in seconds.
const (
	firstTime = 1e11
	timesEnd  = 253402300800000
)

// looseTime is a time in milliseconds, in seconds, or as RFC 3339 has it; zero
// if raw is none of them.
func looseTime(raw json.RawMessage) time.Time {
	ms, ok := looseNumber(raw)
	if !ok {
		t, err := time.Parse(time.RFC3339, looseText(raw))
		if err != nil {
			return time.Time{}
		}
		ms = float64(t.UnixMilli())
	} else if ms < firstTime {
		ms *= 1000
	}
	if ms < firstTime || ms >= timesEnd {
		return time.Time{}
	}
	return time.UnixMilli(int64(ms)).UTC()
}

// either is text, or other where that says something and text does not.
func either(text, other string) string {
	if other != "" && strings.TrimSpace(text) == "" {
		return other
	}
	return text
}

// mostShown is how much of a word of the file an error message has.
const mostShown = 41

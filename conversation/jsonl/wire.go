package jsonl

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"plimsoll/conversation"
)

// message is the line as a message.
func (w *wireLine) message() (Message, error) {
	if w.Role == nil {
		return Message{}, errors.New(`it has no "role", so it is not a chat-completions message`)
	}
	m := Message{Role: Role(*w.Role), Time: w.Time.Time, Summary: w.Summary.v}
	if w.Content != nil {
		m.Text = string(*w.Content)
	}
	var err error
	switch m.Role {
	case "developer":
		m.Role = RoleSystem
	case RoleSystem, RoleUser:
	case RoleAssistant:
		m.Text = either(m.Text, w.Refusal.v)
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
		Reasoning: either(w.Reasoning.v, w.Thought.v), Model: w.Model.v, Error: w.Error.v,
		Extras: w.Extras.v, Usage: usageOf(&w.Usage.v),
	}
	for i, c := range w.Calls {
		if c.Function == nil {
			return Reply{}, fmt.Errorf("call %d has no function", i+1)
		}
		r.Calls = append(r.Calls, conversation.ToolCall{
			ID: c.ID, Name: c.Function.Name, Arguments: arguments(c.Function.Arguments), Extra: extra(c.Extra),
		})
	}
	r.Stop = w.stop(len(r.Calls) > 0)
	return r, nil
}

// stop is why the reply ended: what the file says, else what its calls say.
func (w *wireLine) stop(calls bool) conversation.StopReason {
	switch s := conversation.StopReason(w.Stop.v); s {
	case conversation.StopEnd, conversation.StopCalls, conversation.StopLength, conversation.StopFiltered,
		conversation.StopCancelled, conversation.StopFailed, conversation.StopInterrupted:
		return s
	}
	switch w.Finish.v {
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
		CallID: w.CallID, Tool: conversation.Clean(w.Name.v), Status: conversation.ResultOK, Detail: w.Detail.v,
		Shown: w.Shown.n, Total: w.Total.n,
		Duration: time.Duration(w.Duration.n) * time.Millisecond,
	}
	switch s := conversation.ResultStatus(w.Status.v); {
	case s == conversation.ResultDenied, s == conversation.ResultInterrupted:
		r.Status = s
	case w.Synthetic.v:
		r.Status = conversation.ResultInterrupted
	case w.IsError.v:
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

// extra is a provider's field to echo, nil for null.
func extra(raw json.RawMessage) conversation.RawJSON {
	if string(raw) == "null" {
		return nil
	}
	return conversation.RawJSON(raw)
}

// metaOf reads the meta line.
func metaOf(raw json.RawMessage) Meta {
	var w wireMeta
	if json.Unmarshal(raw, &w) != nil {
		return Meta{}
	}
	return Meta{Title: w.Title.v, Model: w.Model.v, Client: w.Client.v, Created: w.Created.Time, CompactAt: w.CompactAt.v}
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

package foreign

import (
	"encoding/json"
	"time"

	"plimsoll/conversation"
	"plimsoll/conversation/jsonl"
)

// opencode, as `opencode export ID` writes a session: {"info": ..., "messages": [{"info": ..., "parts": [...]}, ...]}. A
// message of the assistant holds its calls with their results.

type openCode struct{ *builder }

type openCodeLine struct {
	Info struct {
		Role, Title, ModelID, ParentID string
		Time                           struct{ Created int64 }
		Tokens                         struct {
			Input, Output, Reasoning int
			Cache                    struct{ Read, Write int }
		}
	}
	Parts []struct {
		Type, Text, Tool, CallID, Mime, Filename string
		Synthetic, Ignored                       bool
		State                                    struct {
			Status, Output, Error string
			Input                 json.RawMessage
		}
	}
}

func (o *openCode) add(raw []byte) error {
	var l openCodeLine
	if err := decode(raw, &l); err != nil {
		return err
	}
	meta, at := &o.session.Document.Meta, time.Time{}
	if ms := l.Info.Time.Created; ms > 0 && ms < timesEnd {
		at = time.UnixMilli(ms).UTC()
	}
	switch l.Info.Role {
	case "":
		if l.Info.Title != "" {
			meta.Title, meta.Created, o.session.SubAgent = l.Info.Title, at, l.Info.ParentID != ""
		}
	case "user":
		var text string
		for _, p := range l.Parts {
			switch {
			case p.Ignored:
			case p.Type == "file":
				join(&text, "["+conversation.OneLine(p.Mime+" "+p.Filename, maxTitle)+"]")
			default:
				join(&text, p.Text)
			}
		}
		o.user(jsonl.RoleUser, text, at)
	case "assistant":
		o.open = -1
		o.assistant(o.reply(at), &l, at)
	}
	return nil
}

func (o *openCode) assistant(m *jsonl.Message, l *openCodeLine, at time.Time) {
	o.session.Document.Meta.Model = l.Info.ModelID
	t := l.Info.Tokens
	m.Reply.Usage = usage(t.Input+t.Cache.Read+t.Cache.Write, t.Cache.Read, t.Cache.Write, t.Output+t.Reasoning)
	for _, p := range l.Parts {
		switch p.Type {
		case "reasoning":
			join(&m.Reply.Reasoning, p.Text)
		case "text":
			join(&m.Text, p.Text)
		case "tool":
			o.call(m, p.CallID, p.Tool, arguments(p.State.Input))
		}
	}
	for _, p := range l.Parts {
		if p.Type == "tool" && (p.State.Status == "completed" || p.State.Status == "error") {
			o.result(p.CallID, p.State.Output+p.State.Error, p.State.Status == "error", at)
		}
	}
}

// timesEnd is the year 10000 in milliseconds: JSON cannot represent later times.
const timesEnd = 253402300800000

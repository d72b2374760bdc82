package foreign

import (
	"cmp"
	"encoding/json"
	"time"

	"plimsoll/conversation/jsonl"
)

// opencode, as `opencode export ID` writes a session, and Crush, as `crush session show ID --json` does: an object with
// messages that have parts. A message of opencode holds its calls with their results, of Crush only the calls.

type exportFile struct{ *builder }

type exportLine struct {
	Info struct { // of opencode
		ID, Role, Title, ModelID, ParentID string
		Time                               struct{ Created int64 }
		Tokens                             struct {
			Input, Output, Reasoning int
			Cache                    struct{ Read, Write int }
		}
	}
	Role, Model, Created string                                // of Crush
	Meta                 struct{ UUID, Title, Created string } // of Crush
	Parts                json.RawMessage
}

func (e *exportFile) add(raw []byte) error {
	var l exportLine
	if err := decode(raw, &l); err != nil {
		return err
	}
	meta, at, parts := &e.session.Document.Meta, timeOf(cmp.Or(l.Created, l.Meta.Created)), partsOf(l.Parts)
	if ms := l.Info.Time.Created; ms > 0 && ms < timesEnd {
		at = time.UnixMilli(ms).UTC()
	}
	switch cmp.Or(l.Role, l.Info.Role) {
	case "":
		if title := l.Info.Title + l.Meta.Title; title != "" {
			e.session.ID, meta.Title = l.Info.ID+l.Meta.UUID, title
			meta.Created, e.session.SubAgent = at, l.Info.ParentID != ""
		}
	case "user":
		var typed content
		for _, p := range parts {
			if !p.Ignored && p.Type != "finish" {
				typed.add(&p)
			}
		}
		e.user(jsonl.RoleUser, typed, at)
	case "assistant":
		e.open = -1
		m, t := e.reply(at), l.Info.Tokens
		m.Reply.Usage = usage(t.Input+t.Cache.Read+t.Cache.Write, t.Cache.Read, t.Cache.Write, t.Output+t.Reasoning)
		meta.Model = l.Info.ModelID + l.Model
		e.parts(m, parts)
	}
	for _, p := range parts {
		switch {
		case p.Type == "tool_result":
			out := contentOf(p.Content)
			if picture, ok := p.picture(); ok {
				out.images = append(out.images, picture)
			}
			e.result(p.ToolCallID, out, p.IsError, at)
		case p.State.Status == "completed" || p.State.Status == "error":
			out := contentOf(p.State.Attachments)
			out.text = p.State.Output + p.State.Error
			e.result(p.CallID, out, p.State.Status == "error", at)
		}
	}
	return nil
}

// timesEnd is the year 10000 in milliseconds: JSON cannot represent later times.
const timesEnd = 253402300800000

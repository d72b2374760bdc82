package foreign

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"io"

	"plimsoll/conversation/jsonl"
)

// Gemini CLI, ~/.gemini/tmp/PROJECT/chats/session-*. Rules:
//   - A .json file is one object with an array of messages, read one by one. In a .jsonl file each message is a line, a later
//     line with the same id replaces it, and {"$rewindTo": id} takes back that message and all after it.
//   - A message holds its calls with their results.
//   - Messages of the client itself (info, warning, error) are left out.

type gemini struct {
	*builder
	begins map[string]int // index of the first message by the id of its line
}

// geminiLine is a message, or a field or line about the session.
type geminiLine struct {
	ID, Type, Timestamp, Model, StartTime, Summary, Kind, SessionID string
	Content                                                         json.RawMessage
	Tokens                                                          map[string]int
	Thoughts                                                        []struct{ Subject, Description string }
	ToolCalls                                                       []struct {
		ID, Name, Status string
		Args, Result     json.RawMessage
	}
	RewindTo string                   `json:"$rewindTo"`
	Set      struct{ Summary string } `json:"$set"`
}

// read reads either kind of file.
func (g *gemini) read(in io.Reader) error {
	r := bufio.NewReaderSize(in, HeadSize)
	head, _ := r.Peek(HeadSize) // reading the rest gives the same error
	if first, _, _ := bytes.Cut(head, []byte("\n")); json.Valid(first) && !bytes.Contains(first, []byte(`"messages"`)) {
		return g.readLines(r, g.add)
	}
	g.readDocument(r, g.add)
	return nil
}

func (g *gemini) add(raw []byte) error {
	var l geminiLine
	if err := decode(raw, &l); err != nil {
		return err
	}
	meta, at := &g.session.Document.Meta, timeOf(l.Timestamp)
	if l.StartTime != "" {
		meta.Created = timeOf(l.StartTime)
	}
	g.session.ID = cmp.Or(l.SessionID, g.session.ID)
	g.session.SubAgent = g.session.SubAgent || l.Kind == "subagent"
	if title := l.Set.Summary + l.Summary; title != "" {
		meta.Title = title
	}
	if index, ok := g.begins[l.RewindTo]; ok && l.RewindTo != "" && index <= len(g.messages()) {
		g.cutTo(index)
	}
	if l.Type != "user" && l.Type != "gemini" {
		return nil
	}
	if index, ok := g.begins[l.ID]; ok && l.ID != "" && index <= len(g.messages()) {
		g.session.Document.Messages = g.messages()[:index] // a newer state of the same message
	}
	g.begins[l.ID] = len(g.messages())
	if l.Type == "user" {
		g.user(jsonl.RoleUser, contentOf(l.Content), at)
		return nil
	}
	g.open = -1
	m := g.reply(at)
	m.Text = textOf(l.Content)
	for _, t := range l.Thoughts {
		join(&m.Reply.Reasoning, "**"+t.Subject+"**\n"+t.Description)
	}
	m.Reply.Usage = usage(l.Tokens["input"], l.Tokens["cached"], 0, l.Tokens["output"]+l.Tokens["thoughts"])
	if l.Model != "" {
		meta.Model = l.Model
	}
	for _, call := range l.ToolCalls {
		g.call(m, call.ID, call.Name, arguments(call.Args))
	}
	for _, call := range l.ToolCalls {
		if call.Result != nil && string(call.Result) != "null" {
			g.result(call.ID, responses(call.Result), call.Status != "success", at)
		}
	}
	return nil
}

// responses returns what a result has: the output or error of each response, and its other parts.
func responses(raw json.RawMessage) (c content) {
	for _, p := range partsOf(raw) {
		var answer struct{ Output, Error string }
		switch _ = decode(p.FunctionResponse.Response, &answer); {
		case p.FunctionResponse.Response == nil:
			c.add(&p)
		case answer.Output+answer.Error == "":
			join(&c.text, arguments(p.FunctionResponse.Response))
		default:
			join(&c.text, answer.Output)
			join(&c.text, answer.Error)
		}
	}
	return c
}

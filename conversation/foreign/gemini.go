package foreign

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"plimsoll/conversation"
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

// geminiLine is a message, or one of the lines about the session.
type geminiLine struct {
	ID      string          `json:"id"`
	Type    string          `json:"type"`
	Time    string          `json:"timestamp"`
	Model   string          `json:"model"`
	Content json.RawMessage `json:"content"`
	Tokens  struct {
		Input    int `json:"input"`
		Output   int `json:"output"`
		Cached   int `json:"cached"`
		Thoughts int `json:"thoughts"`
	} `json:"tokens"`
	Thoughts []struct {
		Subject     string `json:"subject"`
		Description string `json:"description"`
	} `json:"thoughts"`
	Calls []struct {
		ID     string          `json:"id"`
		Name   string          `json:"name"`
		Args   json.RawMessage `json:"args"`
		Result json.RawMessage `json:"result"`
		Status string          `json:"status"`
	} `json:"toolCalls"`

	RewindTo string `json:"$rewindTo"`
	Set      struct {
		Summary string `json:"summary"`
	} `json:"$set"`
	Start   string `json:"startTime"`
	Summary string `json:"summary"`
	Kind    string `json:"kind"`
}

// read reads either kind of file.
func (g *gemini) read(in io.Reader) error {
	r := bufio.NewReaderSize(in, HeadSize)
	head, _ := r.Peek(HeadSize) // reading the rest gives the same error
	if first, _, _ := bytes.Cut(head, []byte("\n")); json.Valid(first) && !bytes.Contains(first, []byte(`"messages"`)) {
		return g.readLines(r, g.add)
	}
	values := json.NewDecoder(r)
	if err := g.readObject(values); err != nil {
		g.session.Problems = append(g.session.Problems, jsonl.Problem{Reason: fmt.Sprintf("after message %d the file cannot be read: %v", g.line, err)})
	}
	return nil
}

// readObject reads the one object of a file. Line counts its messages.
func (g *gemini) readObject(values *json.Decoder) error {
	if _, err := values.Token(); err != nil {
		return err
	}
	for values.More() {
		key, err := values.Token()
		if err != nil {
			return err
		}
		if key == "messages" {
			if err := g.readArray(values); err != nil {
				return err
			}
			continue
		}
		var value json.RawMessage
		if err := values.Decode(&value); err != nil {
			return err
		}
		field, _ := conversation.EncodeJSON(map[string]json.RawMessage{fmt.Sprint(key): value}) // value is JSON
		_ = g.add(field)                                                                        // it is an object
	}
	return nil
}

func (g *gemini) readArray(values *json.Decoder) error {
	if open, err := values.Token(); err != nil || open != json.Delim('[') {
		return err
	}
	for values.More() {
		var raw json.RawMessage
		if err := values.Decode(&raw); err != nil {
			return err
		}
		g.line++
		if err := g.add(raw); err != nil {
			g.session.Problems = append(g.session.Problems, jsonl.Problem{Reason: fmt.Sprintf("message %d: %v", g.line, jsonl.Reason(err))})
		}
	}
	_, err := values.Token()
	return err
}

func (g *gemini) add(raw []byte) error {
	var l geminiLine
	if err := decode(raw, &l); err != nil {
		return err
	}
	meta, at := &g.session.Document.Meta, timeOf(l.Time)
	if l.Start != "" {
		meta.Created = timeOf(l.Start)
	}
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
		g.user(jsonl.RoleUser, textOf(l.Content), at)
		return nil
	}
	g.open = -1
	m := g.reply(at)
	m.Text = textOf(l.Content)
	for _, t := range l.Thoughts {
		join(&m.Reply.Reasoning, "**"+t.Subject+"**\n"+t.Description)
	}
	m.Reply.Usage = usage(l.Tokens.Input, l.Tokens.Cached, 0, l.Tokens.Output+l.Tokens.Thoughts)
	if l.Model != "" {
		meta.Model = l.Model
	}
	for _, call := range l.Calls {
		g.call(m, call.ID, call.Name, compact(call.Args))
	}
	for _, call := range l.Calls {
		if call.Result != nil && string(call.Result) != "null" {
			g.result(call.ID, responses(call.Result), call.Status != "success", at)
		}
	}
	return nil
}

// responses returns the text of a result: the output or error of each response, and its other parts.
func responses(raw json.RawMessage) string {
	var text string
	for _, p := range partsOf(raw) {
		var answer struct {
			Output string `json:"output"`
			Error  string `json:"error"`
		}
		switch _ = decode(p.Response.Response, &answer); {
		case p.Response.Response == nil:
			join(&text, p.shown())
		case answer.Output+answer.Error == "":
			join(&text, compact(p.Response.Response))
		default:
			join(&text, answer.Output)
			join(&text, answer.Error)
		}
	}
	return text
}

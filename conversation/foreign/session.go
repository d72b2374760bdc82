package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"

	"plimsoll/conversation/jsonl"
	"plimsoll/conversation/numbers"
)

// Client is a program whose sessions can be read, by its name.
type Client string

// The clients. None is that of a file that no client wrote.
const (
	None       Client = ""
	ClaudeCode Client = "Claude Code"
	Codex      Client = "Codex"
	Gemini     Client = "Gemini CLI"
	Copilot    Client = "Copilot CLI"
)

// HeadSize is how much of a file's beginning, in bytes, is enough for [Recognise].
const HeadSize = 1 << 16

// Session is a session of another client.
type Session struct {
	Client   Client
	Document jsonl.Document
	Problems []jsonl.Problem
	leftOut  map[string]int // numbers, by what one is: a noun and more
}

// LeftOut lists what is left out on purpose, with its number.
func (s *Session) LeftOut() []string {
	var list []string
	for _, what := range slices.Sorted(maps.Keys(s.leftOut)) {
		noun, more, _ := strings.Cut(what, " ")
		list = append(list, numbers.Count(s.leftOut[what], noun)+" "+more)
	}
	return list
}

// signs are the keys of an object near the beginning of a file that only one client writes. A key with a value, as in
// "type=session", stands for both.
var signs = []struct {
	client Client
	keys   []string
}{
	{Copilot, []string{"type=session.start", "data"}},
	{Codex, []string{"type=session_meta", "payload"}},
	{Codex, []string{"type=response_item", "payload"}},
	{Codex, []string{"type=event_msg", "payload"}},
	{Gemini, []string{"sessionId", "projectHash"}},
	{ClaudeCode, []string{"sessionId", "parentUuid"}},
	{ClaudeCode, []string{"sessionId", "isSidechain"}},
	{ClaudeCode, []string{"type=file-history-snapshot", "snapshot"}},
	{ClaudeCode, []string{"type=summary", "leafUuid"}},
}

// Recognise returns the client that wrote a file with this beginning.
func Recognise(head []byte) Client {
	values := json.NewDecoder(bytes.NewReader(bytes.TrimPrefix(head, []byte("\ufeff"))))
	for {
		keys, whole := keysOf(values)
		for _, sign := range signs {
			if !slices.ContainsFunc(sign.keys, func(key string) bool { return !keys[key] }) {
				return sign.client
			}
		}
		if !whole {
			return None
		}
	}
}

// keysOf returns the keys of the next object, and each with its value if that is a text. It is not whole if the input ends
// within it, or is not an object.
func keysOf(values *json.Decoder) (keys map[string]bool, whole bool) {
	keys = map[string]bool{}
	if open, err := values.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	for values.More() {
		name, err := values.Token()
		key, ok := name.(string)
		if err != nil || !ok {
			return keys, false
		}
		keys[key] = true
		var value json.RawMessage
		if values.Decode(&value) != nil {
			return keys, false
		}
		var text string
		if json.Unmarshal(value, &text) == nil {
			keys[key+"="+text] = true
		}
	}
	_, err := values.Token()
	return keys, err == nil
}

// Read reads a session of a client. The error is [jsonl.ErrEmpty], [jsonl.ErrNoMessages], or that of r.
func Read(client Client, r io.Reader) (Session, error) {
	b := &builder{session: Session{Client: client, leftOut: map[string]int{}}, tools: map[string]string{}, open: -1}
	var err error
	switch client {
	case ClaudeCode:
		c := claude{builder: b, replies: map[string]int{}, prompts: map[string]int{}}
		err = b.readLines(r, c.add)
	case Codex:
		err = b.readLines(r, (&codex{builder: b}).add)
	case Gemini:
		err = (&gemini{builder: b, begins: map[string]int{}}).read(r)
	case Copilot:
		err = b.readLines(r, (&copilot{builder: b}).add)
	default:
		return Session{}, errors.New("no client that is known wrote it")
	}
	if err != nil {
		return Session{}, err
	}
	b.finish()
	if len(b.session.Document.Messages) == 0 {
		return b.session, jsonl.ErrNoMessages
	}
	return b.session, nil
}

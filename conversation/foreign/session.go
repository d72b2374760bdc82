// Package foreign reads the sessions of other clients: of Claude Code, Codex, Gemini CLI, Copilot CLI and pi as they lie on
// disk, of opencode and Crush as they export them.
//
// [Recognise] tells by the beginning of a file whose session it is, and [Read] reads it into a [jsonl.Document], the form in
// which recordings are imported and replayed. It keeps messages, reasoning, tool calls, results, times, reported usage, the model
// and images (PNG, JPEG and GIF). Another image or a file becomes its type in brackets. [Read] skips what the client wrote for
// itself, reports what it cannot read as a problem, and counts what it leaves out (lines of sub-agents, undone turns).
//
// The package does I/O only through the readers that it is given, and reads no clock. Titles and problems can hold hostile
// text.
package foreign

import (
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

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
	Pi         Client = "pi"
	OpenCode   Client = "opencode"
	Crush      Client = "Crush"
)

// HeadSize is how much of a file's beginning, in bytes, is enough for [Recognise].
const HeadSize = 1 << 16

// Session is a session of another client.
type Session struct {
	Client   Client
	ID       string // the client's, "" if the file has none
	Document jsonl.Document
	Problems []jsonl.Problem
	SubAgent bool           // a sub-agent's, whose answer stands in another session
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

// signs are what only one client writes near the beginning of a file. Within a text quotes are escaped, so no text matches.
var signs = sync.OnceValue(func() map[Client]*regexp.Regexp {
	return map[Client]*regexp.Regexp{
		ClaudeCode: regexp.MustCompile(`"(parentUuid|leafUuid|isSidechain|isSnapshotUpdate)"\s*:`),
		Codex:      regexp.MustCompile(`"type"\s*:\s*"(session_meta|response_item|event_msg|turn_context)"`),
		Copilot:    regexp.MustCompile(`"type"\s*:\s*"session\.start"`),
		Crush:      regexp.MustCompile(`^\s*\{\s*"meta"\s*:\s*\{\s*"id"\s*:\s*"[^"]*"\s*,\s*"uuid"\s*:`),
		Gemini:     regexp.MustCompile(`"projectHash"\s*:`),
		OpenCode:   regexp.MustCompile(`("info"\s*:|^)\s*\{\s*"id"\s*:\s*"ses_`),
		None:       regexp.MustCompile(`^\s*\{\s*"(meta|role)"`),
		Pi:         regexp.MustCompile(`"type"\s*:\s*"session"\s*,`),
	}
})

// Recognise returns the client that wrote a file with this beginning: the one whose sign comes first, None if that is what
// package jsonl writes.
func Recognise(head []byte) (client Client) {
	first := len(head)
	for c, sign := range signs() {
		if at := sign.FindIndex(head); at != nil && (at[0] < first || at[0] == 0 && c == Crush) {
			client, first = c, at[0]
		}
	}
	return client
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
	case Pi:
		p := pi{builder: b, parents: map[string]string{}}
		err = b.readLines(r, p.add)
		p.keepBranch()
	case OpenCode, Crush:
		b.readDocument(r, (&exportFile{builder: b}).add)
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

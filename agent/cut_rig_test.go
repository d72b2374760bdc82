package agent_test

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"sync"
	"testing"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// server counts what it is sent by a rule, and answers each request.
type server struct {
	count func(n int, r llm.Request) llm.Tokens // of the n-th request, from 0
	reply func(n int) llm.Chunk                 // nil: a few words

	mu   sync.Mutex // a summary may be written beside a reply
	sent []llm.Request
	told []int // what was counted
}

func (s *server) Stream(_ context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		s.mu.Lock()
		n := len(s.sent)
		u := s.count(n, r)
		s.sent, s.told = append(s.sent, r), append(s.told, u.Prompt)
		s.mu.Unlock()
		c := llm.Chunk{Text: fmt.Sprintf("answer %d is that %s", n, strings.Repeat("it is so ", 20))}
		if s.reply != nil {
			c = s.reply(n)
		}
		c.Stop, c.Usage = conversation.StopEnd, &u
		yield(c, nil)
	}
}

// charsPerToken is how the servers here count: not as the estimates do.
const charsPerToken = 3.2

// weigh is the tokens of a message as a server counts them.
func weigh(m projection.Message) int { return int(float64(len(m.Text))/charsPerToken) + 6 }

// whole is the tokens of a request.
func whole(r llm.Request) int {
	n := int(float64(len(r.System))/charsPerToken) + 6
	for _, m := range r.Messages {
		n += weigh(m)
	}
	return n
}

// counted is a report of a prompt, the rest unknown but for the reply.
func counted(prompt int) llm.Tokens {
	return llm.Tokens{Prompt: prompt, Cached: -1, CacheWrite: -1, Completion: 60, Reasoning: -1}
}

// cutting counts as a server that drops the oldest messages until the rest fits.
func cutting(window int) func(int, llm.Request) llm.Tokens {
	return func(_ int, r llm.Request) llm.Tokens {
		n := whole(r)
		for i := 0; n > window && i < len(r.Messages)-1; i++ {
			n -= weigh(r.Messages[i])
		}
		return counted(n)
	}
}

// uncached counts as a server that leaves out what the request before had.
func uncached() func(int, llm.Request) llm.Tokens {
	before := 0
	return func(_ int, r llm.Request) llm.Tokens {
		n := whole(r)
		defer func() { before = n }()
		return counted(n - before)
	}
}

// asking is what the user says in a turn: words chars long.
func asking(n, chars int) string {
	return strings.Repeat(fmt.Sprintf("and what of part %d then? ", n), chars/24+1)[:chars]
}

// chat says turns to a server and returns the rig. Nothing is compacted, so that
// the conversation only grows, unless change says otherwise.
func chat(t *testing.T, s *server, turns, chars int, change func(*core.Options)) *rig {
	t.Helper()
	r := start(t, func(o *core.Options) {
		o.Provider = s
		o.Model.Window = meter.Window{Source: meter.WindowUnknown}
		o.Rules = preset.RulesOf(preset.Plimsoll)
		o.Rules.Auto.Enabled = false
		if change != nil {
			change(o)
		}
	})
	for i := range turns {
		r.say(asking(i, chars))
	}
	return r
}

// warnings are the warnings in the log, and how many requests were made before
// the first.
func (r *rig) warnings() (texts []string, after int) {
	requests := 0
	for _, e := range r.memory.Events() {
		switch b := e.Body.(type) {
		case conversation.Usage:
			requests++
		case conversation.Notice:
			if b.Level != conversation.NoticeWarning {
				continue
			}
			if texts = append(texts, b.Text); len(texts) == 1 {
				after = requests
			}
		}
	}
	return texts, after
}

// shorts are the reports that are marked as short.
func (r *rig) shorts() (short, all int) {
	for _, e := range r.memory.Events() {
		if u, isUsage := e.Body.(conversation.Usage); isUsage {
			if all++; u.Short {
				short++
			}
		}
	}
	return short, all
}

// firstCut is the number of the first request of which a part was dropped, from 1.
func (s *server) firstCut() int {
	for i, r := range s.sent {
		if s.told[i] < whole(r) {
			return i + 1
		}
	}
	return 0
}

package replay

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"sync"

	"plimsoll/conversation"
)

// What binds later replies, and whose loss nothing tells: an edit without its anchor fails and the file is read again, but a
// model that no longer sees a demand goes on without it. Such facts are:
//
//   - the user's demands, and the agent's own decisions, for all later requests;
//   - the error of the newest call that failed, until another one fails;
//   - the open points of the newest list of todos.

// binding is what a message, or all messages so far, add to them.
type binding struct {
	demands, decisions []int32
	failure            []int32 // of the newest failed call
	open               []int32
	lists              bool // a list of todos was written, perhaps one without open points

	seen []bool // by demand: the previous request showed it
}

// add takes over what a message adds.
func (b *binding) add(m binding) {
	b.demands, b.decisions = append(b.demands, m.demands...), append(b.decisions, m.decisions...)
	if m.failure != nil {
		b.failure = m.failure
	}
	if m.lists {
		b.open = m.open
	}
}

// countBinding counts what binds the next reply, and returns the demands that the previous request showed and this one does not.
func (s *score) countBinding() (lost []int32) {
	b := &s.binding
	for i, f := range b.demands {
		shown := s.shows(f)
		s.needs.instructions.count(shown)
		s.needs.silent.count(shown)
		if i == len(b.seen) {
			b.seen = append(b.seen, true)
		}
		if b.seen[i] && !shown {
			lost = append(lost, f)
		}
		b.seen[i] = shown
	}
	for _, facts := range [][]int32{b.decisions, b.failure, b.open} {
		for _, f := range facts {
			s.needs.silent.count(s.shows(f))
		}
	}
	return lost
}

// findBinding collects what each message adds; a demand or a decision counts where it stands first.
func (x *indexer) findBinding() {
	seen := map[int32]bool{}
	first := func(sentences []string) (facts []int32) {
		for _, sentence := range sentences {
			if f := x.fact(sentence, false); !seen[f] {
				seen[f] = true
				facts = append(facts, f)
			}
		}
		return facts
	}
	for i, s := range x.c.messages {
		m := &x.index.binding[i]
		switch b := s.body.(type) {
		case conversation.UserMessage:
			if !s.isLateSystem {
				user, _ := b.Words()
				m.demands = first(instructions(user))
			}
		case conversation.AssistantMessage:
			m.decisions = first(decisions(b.Text))
			for _, call := range b.Calls {
				if points, lists := openPoints(call); lists {
					m.open, m.lists = nil, true
					for _, p := range points {
						m.open = append(m.open, x.fact(p, true))
					}
				}
			}
		case conversation.ToolResult:
			if line := lastLine(b.Text); b.Status == conversation.ResultError && line != "" {
				m.failure = []int32{x.fact(line, false)}
			}
		}
	}
}

var decisionPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:decided|root cause|because|turns out|the (?:fix|problem|issue|bug) (?:is|was)|instead of|won['’]t)\b`)
})

// decisions returns the sentences of a reply that say what was found or decided, up to maxDecision characters long.
func decisions(text string) []string {
	const minDecision, maxDecision = 20, 300
	return slices.DeleteFunc(sentences(text), func(s string) bool {
		return len(s) < minDecision || len(s) > maxDecision || !decisionPattern().MatchString(s)
	})
}

// lastLine returns the last line with text, at most its first 200 bytes.
func lastLine(text string) string {
	text = strings.TrimSpace(text)
	line := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
	return strings.ToValidUTF8(line[:min(len(line), 200)], "")
}

// openPoints returns the unfinished items of a call that writes a list of todos or a plan, and whether it does.
func openPoints(call conversation.ToolCall) (open []string, lists bool) {
	fields := fieldsOf(call)
	for _, name := range []string{"todos", "plan"} {
		var items []struct{ Content, Step, Text, Status string }
		if json.Unmarshal(fields[name], &items) != nil || len(items) == 0 {
			continue
		}
		for _, i := range items {
			text := i.Content + i.Step + i.Text
			if i.Status != "completed" && i.Status != "done" && text != "" {
				open = append(open, text)
			}
		}
		return open, true
	}
	return nil, false
}

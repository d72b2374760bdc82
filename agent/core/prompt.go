package core

import (
	"context"

	"plimsoll/conversation"
)

// Prompt is the system prompt of a conversation, and what another one would cost.
type Prompt struct {
	System   string
	Tokens   int  // of the next request, which the provider would read without its cache
	Cached   bool // the provider's cache may hold the conversation now
	Thinking int  // replies whose thinking is bound to the prompt, and is not sent with another one
}

// Prompt is the current system prompt.
func (j *Journal) Prompt() Prompt {
	p := Prompt{System: j.settings.System, Tokens: j.Reading().Used, Cached: !j.cold()}
	if t, ok := j.settings.Thinking(j.view); ok && t.IsBound {
		p.Thinking = len(t.Replies)
	}
	return p
}

// ReplacePrompt replaces the system prompt, in all its forms. The change is recorded at once, or with the next request of a turn
// or of a conversation without messages.
func (j *Journal) ReplacePrompt(ctx context.Context, replace func(old string) string) error {
	s := &j.settings
	for i, f := range s.forms {
		s.forms[i].system = conversation.Clean(replace(f.system))
	}
	old := s.System
	s.System, s.newerSystem = conversation.Clean(replace(old)), ""
	if s.System == old {
		return nil
	}
	s.PromptBlobs, j.meter = nil, j.meter.WithPrompt(s.PromptSizes())
	if j.inTurn || j.log.Len() == 0 {
		return nil
	}
	return j.RecordSettings(ctx)
}

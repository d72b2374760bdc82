package core

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

package planner

import (
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// A summary costs a request over the whole view, and keeps little that the note does not. It pays only where the model
// looks back often, as it shows in this conversation: each look-up is a request of its own, and a summary makes some of
// them needless. Rules:
//
//   - Where the model has no price, a summary is always wanted.
//   - In windows of up to smallWindow tokens it never pays.
//   - The look-ups up to the next eviction are expected at the rate so far, and a summary saves savedShare of them.
//   - Its price is the view, read from the cache or not, its own text, and carrying that text.

const (
	smallWindow  = 32_000
	savedShare   = 0.3  // of the look-ups after an eviction: those whose answer a summary has
	lookUpTokens = 2000 // of the result of a look-up
	outputPrice  = 5    // of a token of a reply, as a multiple of one of input
)

// wantsSummary reports whether an eviction at the load line asks a model for a summary.
func (p *planner) wantsSummary() bool {
	return p.check.History.mayAskModel(p.rules) && (p.rules.Summary.When != preset.SummaryAuto || p.check.Sheet.Unpriced || p.summaryPays())
}

// summaryPays reads the log, so it is called only where an eviction is made or near.
func (p *planner) summaryPays() bool {
	if p.capacity <= smallWindow {
		return false
	}
	lookUps, replies := countLookUps(p.check.Log)
	shown := 0
	for i := range p.check.View.Messages {
		if p.check.View.Messages[i].Role == projection.RoleAssistant {
			shown++
		}
	}
	if lookUps == 0 || shown == 0 {
		return false
	}
	atLine, _ := p.evictionTargets()
	growth := max(1, p.used-promptTokens(p.reading)) / float64(shown)
	ahead := max(0, float64(p.reading.LoadLine)-atLine.target) / growth // replies
	s := p.check.Sheet
	length := float64(MaxSummaryTokens(p.rules.Planner, int(p.window)))
	read := s.Read
	if p.check.Cold() {
		read = s.Write
	}
	saved := savedShare * ahead * float64(lookUps) / float64(replies) * (s.Read*p.used + s.Write*lookUpTokens)
	return saved > read*p.used+outputPrice*length+s.Read*length*ahead
}

// countLookUps counts the replies of a log and the calls in them by which the model looked back.
func countLookUps(log []conversation.Event) (lookUps, replies int) {
	for i := range log {
		b, ok := log[i].Body.(conversation.AssistantMessage)
		if !ok {
			continue
		}
		replies++
		for _, c := range b.Calls {
			if c.Name == conversation.ToolRecall || c.Name == conversation.ToolSearchHistory {
				lookUps++
			}
		}
	}
	return lookUps, replies
}

package permission

import (
	"crypto/rand"
	"slices"
	"time"

	"plimsoll/conversation"
)

// Outside names what a command that leaves the sandbox is asked about. A grant for it covers exactly one command, needs no
// further approval, and ends with the Policy. It cannot be configured: it would hold for what the command reads, too.
const Outside = "outside the sandbox"

// OutsideOffer is the grant that a command is offered which failed because of the sandbox.
func OutsideOffer(command string) conversation.Offer {
	return conversation.Offer{Rules: []string{"outside(" + escapeStar(command) + ")"}, Meaning: "exactly this command, outside the sandbox, until the conversation is left"}
}

// LetOutside has a command run outside the sandbox from now on.
func (p *Policy) LetOutside(command string) {
	if p.IsOutside(command) {
		return
	}
	offer := OutsideOffer(command)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.outside = append(p.outside, conversation.Rule{ID: rand.Text(), Text: offer.Rules[0], Meaning: offer.Meaning,
		Origin: conversation.RulePassing, Workspace: p.workspace, Granted: time.Now().UTC().Truncate(time.Second)})
}

// IsOutside reports whether a command runs outside the sandbox.
func (p *Policy) IsOutside(command string) bool {
	p.mu.RLock()
	defer p.mu.RUnlock()
	text := OutsideOffer(command).Rules[0]
	return slices.ContainsFunc(p.outside, func(r conversation.Rule) bool { return r.Text == text })
}

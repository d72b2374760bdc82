package edit

import (
	"slices"
	"strings"

	"plimsoll/compact/preset"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// Written is the summary of a proposal as it was written, before it is in force.
type Written struct {
	Text     string
	Appendix string // what the program adds to it, "" for nothing
	Covers   int    // tokens that it stands for: of what was said where it is summarised anew, else of what is shown
}

// Written is the summary that a model wrote for the proposal; false if none did.
func (p *Proposal) Written() (w Written, ok bool) {
	s, ok := p.text()
	if !ok {
		return w, false
	}
	covers, replaced := 0.0, p.replaced()
	for i := range p.before.Messages {
		if m := &p.before.Messages[i]; replaced(m) {
			covers += p.weigh(*m)
		}
	}
	if p.asked.Input != preset.InputView {
		covers = max(covers, p.now.Meter.Factor()*float64(p.asked.CoveredTokens))
	}
	return Written{Text: s.Text, Appendix: s.Appendix, Covers: whole(covers)}, true
}

// WithText is the proposal with what the user made of its summary, trimmed and
// storable. The error wraps summary.ErrRefused or ErrNothingToGain; the proposal stays
// as it is.
func (p *Proposal) WithText(text string) (Proposal, error) {
	text = strings.TrimSpace(conversation.Clean(text))
	s, ok := p.text()
	if !ok {
		return Proposal{}, summary.Refused(summary.ErrUnended)
	}
	if text == s.Text {
		return *p, nil
	}
	if err := p.asked.Check(text); err != nil {
		return Proposal{}, err
	}
	s.Text, s.Edited = text, true
	bodies := slices.Clone(p.bodies)
	bodies[p.writtenAt()] = s
	changed := *p
	if err := changed.apply(bodies...); err != nil {
		return Proposal{}, err
	}
	return changed, nil
}

// Edited reports whether the summary of the proposal is the user's and no longer as it
// was written.
func (p *Proposal) Edited() bool {
	s, _ := p.text() // the zero one is not edited
	return s.Edited
}

// writtenAt is the place of the summary that was written for the proposal, -1 without
// one.
func (p *Proposal) writtenAt() int {
	if p.asked == nil {
		return -1
	}
	return slices.IndexFunc(p.bodies, func(b conversation.Body) bool {
		s, ok := b.(conversation.Summary)
		return ok && s.Policies == nil
	})
}

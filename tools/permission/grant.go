package permission

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"plimsoll/conversation"
)

// What the user grants are rules, as he was shown or as he edited them. They are
// judged against the call that asked: rules that do not cover it are refused, so
// that nobody grants something else than he thinks.

// errNoOffer says that a grant would change nothing.
var errNoOffer = errors.New("nothing can be granted for this call: a deny rule cannot see through it, so it is always asked about")

// Ask remembers a call that needs approval, for JudgeAsked, and says what could be granted for it.
func (p *Policy) Ask(callID string, t Effect) conversation.Offer {
	offer, inForce := p.offer(t), p.allowRules()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked = asked{callID, t, inForce}
	return offer
}

// JudgeAsked says what rules would let run if they were granted for the call that was
// last asked about, without granting them. It reads no files. The error says what is
// wrong with the rules, or that they do not cover the call.
func (p *Policy) JudgeAsked(callID string, rules []string) (conversation.Offer, error) {
	p.mu.RLock()
	asked := p.asked
	p.mu.RUnlock()
	if asked.callID != callID {
		return conversation.Offer{}, errors.New("this call does not wait for an answer any more")
	}
	return p.judgeRules(asked.effect, asked.inForce, rules)
}

// Grant puts rules into force that cover a call; without rules those that are offered.
// Those that are kept hold in later runs, too.
func (p *Policy) Grant(ctx context.Context, t Effect, rules []string, kept bool) error {
	if len(rules) == 0 {
		if rules = p.offer(t).Rules; len(rules) == 0 {
			return errNoOffer
		}
	}
	offer, err := p.judgeRules(t, p.allowRules(), rules)
	if err != nil {
		return err
	}
	if err := p.grants.Add(ctx, offer.Rules, p.workspace, kept); err != nil {
		return fmt.Errorf("allowed while the program runs only: %w", err)
	}
	return nil
}

// judgeRules says what rules mean, and whether they cover a call together with
// those in force.
func (p *Policy) judgeRules(t Effect, inForce []activeRule, texts []string) (conversation.Offer, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if denied, _ := p.denied(t); denied != no {
		return conversation.Offer{}, errNoOffer
	}
	rules := make([]rule, len(texts))
	all := slices.Clone(inForce)
	for i, text := range texts {
		r, err := parseRule(text, p.tools)
		if err != nil {
			return conversation.Offer{}, err
		}
		rules[i] = r
		all = append(all, activeRule{rule: r})
	}
	if len(rules) == 0 {
		return conversation.Offer{}, errors.New("no rule is given")
	}
	if _, ok := allowed(all, t); !ok {
		return conversation.Offer{}, fmt.Errorf("this does not cover the call that is asked about: %s", t.Title)
	}
	return offerOf(rules), nil
}

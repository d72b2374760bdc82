package tools

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

// Allow grants rules; see agent.Toolbox.
func (b *Box) Allow(ctx context.Context, call conversation.ToolCall, g conversation.Grant, rules []string) error {
	if g != conversation.GrantRun && g != conversation.GrantAlways {
		return nil
	}
	t, err := b.touchOf(ctx, call)
	if err != nil {
		return fmt.Errorf("allow %s: %w", call.Name, err)
	}
	if len(rules) == 0 {
		offers := b.permissions.offers(t)
		if len(offers) == 0 {
			return errNoOffer
		}
		rules = offers[0].Rules
	}
	offer, err := b.permissions.judgeRules(t, b.permissions.standing(), rules)
	if err != nil {
		return err
	}
	err = b.permissions.grants.Add(ctx, offer.Rules, b.permissions.workspace, g == conversation.GrantAlways)
	if err != nil {
		return fmt.Errorf("allowed while the program runs only: %w", err)
	}
	return nil
}

// Judge says what rules would let run if they were granted for the call that was
// last reviewed as needing approval, without granting them. It reads no files and
// may be called while the user types. The error says what is wrong with the rules,
// or that they do not cover the call.
func (b *Box) Judge(callID string, rules []string) (conversation.Offer, error) {
	b.mu.Lock()
	asked := b.asked
	b.mu.Unlock()
	if asked.callID != callID {
		return conversation.Offer{}, errors.New("this call does not wait for an answer any more")
	}
	return b.permissions.judgeRules(asked.touch, asked.inForce, rules)
}

// judgeRules says what rules mean, and whether they cover a call together with
// those in force.
func (p *permissions) judgeRules(t touch, inForce []standing, texts []string) (conversation.Offer, error) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if denied, _ := p.denied(t); denied != no {
		return conversation.Offer{}, errNoOffer
	}
	rules := make([]rule, len(texts))
	all := slices.Clone(inForce)
	for i, text := range texts {
		r, err := parseRule(text, p.names)
		if err != nil {
			return conversation.Offer{}, err
		}
		rules[i] = r
		all = append(all, standing{rule: r})
	}
	if len(rules) == 0 {
		return conversation.Offer{}, errors.New("no rule is given")
	}
	if _, ok := allowed(all, t); !ok {
		return conversation.Offer{}, fmt.Errorf("this does not cover the call that is asked about: %s", t.title)
	}
	return offerOf(rules), nil
}

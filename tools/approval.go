package tools

import (
	"context"
	"fmt"

	"plimsoll/conversation"
)

// Mode is the permission mode in force.
func (b *Box) Mode() conversation.Mode { return b.policy.Mode() }

// SetMode changes the permission mode for calls reviewed from now on. A mode
// that does not exist is taken for ask.
func (b *Box) SetMode(m conversation.Mode) { b.policy.SetMode(m) }

// Allow grants rules; see agent.Toolbox.
func (b *Box) Allow(ctx context.Context, call conversation.ToolCall, g conversation.Grant, rules []string) error {
	if g != conversation.GrantRun && g != conversation.GrantAlways {
		return nil
	}
	t, err := b.effectOf(ctx, call)
	if err != nil {
		return fmt.Errorf("allow %s: %w", call.Name, err)
	}
	return b.policy.Grant(ctx, t, rules, g == conversation.GrantAlways)
}

// Judge says what rules would let run if they were granted for the call that was
// last reviewed as needing approval, without granting them. It reads no files and
// may be called while the user types. The error says what is wrong with the rules,
// or that they do not cover the call.
func (b *Box) Judge(callID string, rules []string) (conversation.Offer, error) {
	return b.policy.JudgeAsked(callID, rules)
}

// Rules lists the rules in force: what the user granted, then what the
// configuration allows and denies. An error says that the kept grants cannot be
// read; the other rules are listed all the same.
func (b *Box) Rules(context.Context) ([]conversation.Rule, error) { return b.policy.Rules() }

// Revoke ends a granted rule. One of the configuration is the user's to remove:
// the error says where it stands.
func (b *Box) Revoke(ctx context.Context, r conversation.Rule) error { return b.policy.Revoke(ctx, r) }

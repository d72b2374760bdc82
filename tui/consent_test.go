package tui_test

import (
	"context"
	"testing"
	"time"

	"plimsoll/tui"
)

// elsewhere returns a question for consent before a conversation opens.
func elsewhere(r *rig) *tui.Consent {
	return &tui.Consent{Title: "Send it elsewhere?", Question: "This conversation was used ollama/tiny.\nGo on with openai/gpt-5.4?",
		Yes: "go on with openai/gpt-5.4", Declined: "nothing was sent",
		Open: func(ctx context.Context) (tui.Conversation, error) { return r.lead(ctx, "open elsewhere", "", &r.next) }}
}

func TestAConversationGoesToAnotherProviderOnlyAfterConsent(t *testing.T) {
	for name, c := range map[string]struct {
		keys []string
		did  []string
	}{
		"yes":       {[]string{"y"}, []string{"open elsewhere", "next send hi"}},
		"no":        {[]string{"n"}, []string{"new", "next send hi"}},
		"enter":     {[]string{"enter"}, []string{"new", "next send hi"}},
		"esc":       {[]string{"esc"}, []string{"new", "next send hi"}},
		"interrupt": {[]string{"ctrl+c"}, []string{"new", "next send hi"}},
	} {
		screenOf(t, name, func(r *rig, _ *tui.Options) { r.failing["open"] = elsewhere(r) }, func(r *rig) {
			r.has("used ollama/tiny", "Go on with openai/gpt-5.4?")
			r.calls = nil
			r.pass(2 * time.Second)
			r.press(c.keys...)
			r.lacks("Go on with openai/gpt-5.4?")
			r.enter("hi")
			r.wantCalls(c.did...)
		})
	}
}

func TestDeclinedConsentKeepsTheOpenConversation(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.failing["resume"] = elsewhere(r) }, func(r *rig) {
		r.enter("/resume abcd")
		r.has("Go on with openai/gpt-5.4?")
		r.pass(2 * time.Second)
		r.calls = nil
		r.press("n")
		r.has("nothing was sent")
		r.enter("hi")
		r.wantCalls("first send hi")
	})
}

func TestDeclinedConsentCanOpenAConversation(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		c := elsewhere(r)
		c.Decline = func(ctx context.Context) (tui.Conversation, error) { return r.lead(ctx, "declined", "", &r.next) }
		r.failing["open"] = c
	}, func(r *rig) {
		r.calls = nil
		r.pass(2 * time.Second)
		r.press("n")
		r.enter("hi")
		r.wantCalls("declined", "next send hi")
	})
}

func TestSwitchingToAnotherProviderAsksForConsent(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.failing["switch"] = &tui.Consent{Title: "Send it elsewhere?", Question: "ollama/tiny, then openai/gpt-5.4?", Yes: "yes", Declined: "nothing was sent",
			Switch: func(context.Context) error { r.note("switched"); return nil }}
	}, func(r *rig) {
		r.calls = nil
		r.enter("/model openai/gpt-5.4")
		r.has("ollama/tiny, then openai/gpt-5.4?")
		r.pass(2 * time.Second)
		r.press("y")
		r.wantCalls("switch openai/gpt-5.4", "switched")
	})
}

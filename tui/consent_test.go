package tui_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"plimsoll/tui"
)

func consentQuestion(r *rig) *tui.Consent {
	return &tui.Consent{Title: "Send it elsewhere?", Question: "This conversation was used ollama/tiny.\nGo on with openai/gpt-5.4?",
		Yes: "go on with openai/gpt-5.4", Declined: "nothing was sent",
		Open: func(ctx context.Context) (tui.Conversation, error) { return r.open(ctx, "open elsewhere", "", &r.next) }}
}

func TestAConversationGoesToAnotherProviderOnlyAfterConsent(t *testing.T) {
	for name, c := range map[string]struct {
		keys      []string
		wantCalls []string
	}{
		"yes":       {[]string{"y"}, []string{"open elsewhere", "next send hi"}},
		"no":        {[]string{"n"}, []string{"new", "next send hi"}},
		"enter":     {[]string{"enter"}, []string{"new", "next send hi"}},
		"esc":       {[]string{"esc"}, []string{"new", "next send hi"}},
		"interrupt": {[]string{"ctrl+c"}, []string{"new", "next send hi"}},
	} {
		screenOf(t, name, func(r *rig, _ *tui.Options) { r.failing["open"] = consentQuestion(r) }, func(r *rig) {
			r.wantText("used ollama/tiny", "Go on with openai/gpt-5.4?")
			r.wait(2 * time.Second)
			r.press(c.keys...)
			r.wantNoText("Go on with openai/gpt-5.4?")
			r.submit("hi")
			r.wantCalls(c.wantCalls...)
		})
	}
}

func TestDeclinedConsentKeepsTheOpenConversation(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) { r.failing["resume"] = consentQuestion(r) }, func(r *rig) {
		r.submit("/resume abcd")
		r.wantText("Go on with openai/gpt-5.4?")
		r.wait(2 * time.Second)
		r.calls = nil
		r.press("n")
		r.wantText("nothing was sent")
		r.submit("hi")
		r.wantCalls("first send hi")
	})
}

func TestDeclinedConsentCanOpenAConversation(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		c := consentQuestion(r)
		c.Decline = func(ctx context.Context) (tui.Conversation, error) { return r.open(ctx, "declined", "", &r.next) }
		r.failing["open"] = c
	}, func(r *rig) {
		r.wait(2 * time.Second)
		r.press("n")
		r.submit("hi")
		r.wantCalls("declined", "next send hi")
	})
}

func TestSwitchingToAnotherProviderAsksForConsent(t *testing.T) {
	screen(t, func(r *rig, _ *tui.Options) {
		r.failing["switch"] = &tui.Consent{Title: "Send it elsewhere?", Question: "ollama/tiny, then openai/gpt-5.4?", Yes: "yes", Declined: "nothing was sent",
			Switch: func(context.Context) error { r.log("switched"); return nil }}
	}, func(r *rig) {
		r.submit("/model openai/gpt-5.4")
		r.wantText("ollama/tiny, then openai/gpt-5.4?")
		r.wait(2 * time.Second)
		r.press("y")
		r.wantCalls("switch openai/gpt-5.4", "switched")
	})
}

// A message that is sent while the model changes waits for the change. If that fails, the message returns to the
// composer: it was meant for the other model.
func TestAMessageWaitsForTheModelChosenBeforeIt(t *testing.T) {
	for name, failure := range map[string]error{"works": nil, "fails": errors.New("there is no such model")} {
		screenOf(t, name, nil, func(r *rig) {
			r.portGate, r.failing["switch"] = make(chan struct{}), failure
			r.submit("/model openai/gpt-5.4")
			r.submit("hello")
			r.wantCalls("switch openai/gpt-5.4")
			close(r.portGate)
			r.settle()
			if failure == nil {
				r.wantCalls("first send hello")
			} else {
				r.wantCalls()
				r.wantText("there is no such model", "│ hello")
			}
		})
	}
}

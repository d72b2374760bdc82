package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/conversation"
)

// A turn whose model has no capacity, or no credit, goes on with the next of the models
// that the user named for that, and says so. One model is left out that cannot be opened,
// and one whose window the conversation would fill above its load line: a compaction
// would outlast the turn. When the turn ends, requests go to the chosen model again.

// endpoint is a model and what requests to it go through.
type endpoint struct {
	model    llm.Model
	provider llm.Provider
}

// takeover is who takes a turn over.
type takeover struct {
	journal *core.Journal
	chosen  *endpoint       // what the user chose, while another model has the turn; nil otherwise
	left    []core.Fallback // that may take over and did not have their turn
}

// errElsewhere says that the turn continues with another model.
var errElsewhere = errors.New("the turn continues with another model")

// fallsBack reports whether a failure is one that another model may not have. A model
// that the turn fell back to may also be one that the key does not open.
func fallsBack(c llm.Class, again bool) bool {
	switch c {
	case llm.Overloaded, llm.RateLimited, llm.Quota:
		return true
	case llm.Auth, llm.NotFound:
		return again
	}
	return false
}

// fallBack goes on with the next model that can take a request over. What streamed is
// void, as before another try. It reports false if there is none, or the failure is not
// one to fall back for.
func (a *Agent) fallBack(ctx context.Context, r llm.Outgoing, ans answer) bool {
	var failure *llm.Error
	t, had := a.turn, endpoint{a.journal.Model(), a.journal.Provider()}
	if t == nil || !errors.As(ans.err, &failure) || !fallsBack(failure.Class, t.chosen != nil) || r.To.Name() != had.model.Name() {
		return false
	}
	next, skipped := t.next(ctx)
	if next == nil && len(skipped) == 0 {
		return false
	}
	if next == nil {
		// What cannot be stored now waits, and the failure is told in any case.
		_, _ = a.journal.Keep(ctx, conversation.Notice{Level: conversation.NoticeWarning, Text: "No other model takes over. " + strings.Join(skipped, " ")})
		return false
	}
	if t.chosen == nil {
		t.chosen = &had
	}
	bodies := append(a.replies.spent(r, ans), conversation.Notice{Level: conversation.NoticeWarning, Text: t.told(failure, next.model, skipped)})
	if ans.reply.Arrived() {
		a.journal.Publish(updates.Discarded{})
	}
	_, _ = a.journal.Keep(ctx, bodies...) // as above: an append that fails, too, ends the turn
	a.useModel(next.model, next.provider, true)
	return true
}

// next is the next model of the list that can take over, nil if none can, and
// why those before it cannot.
func (t *takeover) next(ctx context.Context) (next *endpoint, skipped []string) {
	from := t.journal.Model()
	for len(t.left) > 0 {
		f := t.left[0]
		t.left = t.left[1:]
		m, p, err := f.Open(ctx, from)
		switch {
		case err != nil:
			skipped = append(skipped, fmt.Sprintf("%s is left out: %v.", f.Name, err))
		case m.Name() == from.Name() || t.chosen != nil && m.Name() == t.chosen.model.Name():
		case t.fills(m):
			skipped = append(skipped, fmt.Sprintf("%s is left out: its window of %s is too small without a compaction.", m.Name(), thousands(m.Window.Tokens)))
		default:
			return &endpoint{m, p}, skipped
		}
	}
	return nil, skipped
}

// fills reports whether the conversation is above the load line of a model, or above the
// hard line where nothing makes compaction act.
func (t *takeover) fills(m llm.Model) bool {
	r := t.journal.MeterFor(m).Reading()
	line := r.LoadLine
	if line == 0 {
		line = r.HardLine
	}
	return line > 0 && r.Used >= line
}

// told says why a model takes over, and what that does to cache and window.
func (t *takeover) told(why *llm.Error, m llm.Model, skipped []string) string {
	r := t.journal.MeterFor(m).Reading()
	price := ""
	if usd, _ := t.journal.Cost(m, llm.Tokens{Prompt: r.Used}); usd != nil && *usd >= 0.01 {
		price = fmt.Sprintf(", about $%.2f", *usd)
	}
	window := "its window is unknown"
	if r.Window.IsKnown() {
		window = fmt.Sprintf("they fill %d%% of its window", r.Percent(r.Used))
	}
	parts := []string{fmt.Sprintf("%s: %s.", t.journal.Model().Name(), strings.TrimSuffix(why.Message, "."))}
	parts = append(parts, skipped...)
	parts = append(parts, fmt.Sprintf("%s continues this turn. Its cache is cold: ~%s tokens are sent again%s; %s.", m.Name(), thousands(r.Used), price, window),
		fmt.Sprintf("The next turn goes to %s again.", t.chosen.model.Name()))
	return strings.Join(parts, " ")
}

// thousands is a number of tokens, roughly.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%dk", (n+500)/1000)
}

// spent is the usage of an answer that is not kept.
func (k *replyKeeper) spent(r llm.Outgoing, ans answer) []conversation.Body {
	var bodies []conversation.Body
	for _, rep := range append(ans.spent, ans.reply) {
		bodies = append(bodies, k.windows.usage(r, rep, 0)...)
	}
	return bodies
}

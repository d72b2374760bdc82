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

// A turn whose model has no capacity or no credit continues with the next fallback model that the user named, and a
// notice says so. A model is skipped if it cannot be opened, or if the conversation would fill its window above the
// load line: a compaction would last longer than the turn. After the turn, requests go to the chosen model again.

// endpoint is a model and its provider.
type endpoint struct {
	model    llm.Model
	provider llm.Provider
}

// takeover is the state of a turn that may continue with a fallback model.
type takeover struct {
	journal *core.Journal
	chosen  *endpoint       // the user's model, while another one replaces it; nil otherwise
	left    []core.Fallback // fallback models that were not tried yet
}

// errElsewhere: the turn continues with another model.
var errElsewhere = errors.New("the turn continues with another model")

// fallsBack reports whether another model may not have this failure. again says that the failed model is a fallback
// itself, whose key may be wrong, too.
func fallsBack(c llm.Class, again bool) bool {
	switch c {
	case llm.Overloaded, llm.RateLimited, llm.Quota:
		return true
	case llm.Auth, llm.NotFound:
		return again
	}
	return false
}

// fallBack continues with the next fallback model, and discards the text that streamed. It reports false if there
// is none, or if the failure is no reason for one.
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
		// If the notice cannot be stored now, it waits; the failure is reported in any case.
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
	_, _ = a.journal.Keep(ctx, bodies...) // as above: the next append fails, too, and ends the turn
	a.useModel(next.model, next.provider, true)
	return true
}

// next opens the next model that can continue, nil if none can, and returns the reasons for the skipped ones.
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

// fills reports whether the conversation is above the load line of a model, or above its hard line without a load
// line.
func (t *takeover) fills(m llm.Model) bool {
	r := t.journal.MeterFor(m).Reading()
	line := r.LoadLine
	if line == 0 {
		line = r.HardLine
	}
	return line > 0 && r.Used >= line
}

// told is the notice: why a model takes over, its costs, and the fill of its window.
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

// thousands writes a number of tokens, rounded to thousands.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%dk", (n+500)/1000)
}

// spent are the usage events of an answer that is not stored.
func (k *replyKeeper) spent(r llm.Outgoing, ans answer) []conversation.Body {
	var bodies []conversation.Body
	for _, rep := range append(ans.spent, ans.reply) {
		bodies = append(bodies, k.windows.usage(r, rep, 0)...)
	}
	return bodies
}

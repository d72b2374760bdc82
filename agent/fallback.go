package agent

import (
	"cmp"
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

// takeover is the state of a turn that may continue with a fallback model.
type takeover struct {
	journal     *core.Journal
	chosenModel *llm.Endpoint   // the user's model, while another one replaces it; nil otherwise
	untried     []core.Fallback // fallback models that were not tried yet
}

// canFallBack reports whether another model may succeed after a failure of class c. again says that the failed model is
// a fallback itself; then a wrong key or model name is also a reason to go on to the next one.
func canFallBack(c llm.Class, again bool) bool {
	switch c {
	case llm.Overloaded, llm.RateLimited, llm.Quota:
		return true
	case llm.Auth, llm.NotFound:
		return again
	}
	return false
}

// fallBack switches the turn to the next fallback model, and discards the text that streamed. It reports false if no
// fallback model is left, or if another model would not help.
func (a *Agent) fallBack(ctx context.Context, r llm.Outgoing, ans answer) bool {
	var failure *llm.Error
	t, failed := a.turn, llm.Endpoint{Model: a.journal.Model(), Provider: a.journal.Provider()}
	if t == nil || !errors.As(ans.err, &failure) || !canFallBack(failure.Class, t.chosenModel != nil) || r.To.Name() != failed.Model.Name() {
		return false
	}
	next, skipped := t.openNext(ctx)
	if next == nil && len(skipped) == 0 {
		return false
	}
	if next == nil {
		// If the notice cannot be stored now, it waits; the failure is reported in any case.
		_, _ = a.journal.AppendOrPostpone(ctx, conversation.Notice{Level: conversation.NoticeWarning, Text: "No other model takes over. " + strings.Join(skipped, " ")})
		return false
	}
	t.chosenModel = cmp.Or(t.chosenModel, &failed)
	var bodies []conversation.Body
	for _, rep := range append(ans.otherTries, ans.reply) {
		bodies = append(bodies, a.windows.usageEvents(r, rep, 0)...)
	}
	bodies = append(bodies, conversation.Notice{Level: conversation.NoticeWarning, Text: t.takeoverNotice(failure, next.Model, skipped)})
	if ans.reply.Arrived() {
		a.journal.Publish(updates.Discarded{})
	}
	_, _ = a.journal.AppendOrPostpone(ctx, bodies...) // if the write fails, the next append fails, too, and ends the turn
	a.useModel(next.Model, next.Provider, true)
	return true
}

// openNext opens the next fallback model that can continue the turn, or returns nil. skipped has the reasons for those left out.
func (t *takeover) openNext(ctx context.Context) (openNext *llm.Endpoint, skipped []string) {
	from := t.journal.Model()
	for len(t.untried) > 0 {
		f := t.untried[0]
		t.untried = t.untried[1:]
		m, p, err := f.Open(ctx, from)
		switch {
		case err != nil:
			skipped = append(skipped, fmt.Sprintf("%s is left out: %v.", f.Name, err))
		case m.Name() == from.Name() || t.chosenModel != nil && m.Name() == t.chosenModel.Model.Name():
		case t.exceedsLoadLine(m):
			skipped = append(skipped, fmt.Sprintf("%s is left out: its window of %s is too small without a compaction.", m.Name(), thousands(m.Window.Tokens)))
		default:
			return &llm.Endpoint{Model: m, Provider: p}, skipped
		}
	}
	return nil, skipped
}

// exceedsLoadLine reports whether the conversation is above the load line of a model. Rules without a load line use the
// hard line.
func (t *takeover) exceedsLoadLine(m llm.Model) bool {
	r := t.journal.MeterFor(m).Reading()
	line := cmp.Or(r.LoadLine, r.HardLine)
	return line > 0 && r.Used >= line
}

// takeoverNotice is the text that says why another model takes over, what that costs, and how full its window is.
func (t *takeover) takeoverNotice(why *llm.Error, m llm.Model, skipped []string) string {
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
		fmt.Sprintf("The next turn goes to %s again.", t.chosenModel.Model.Name()))
	return strings.Join(parts, " ")
}

// thousands writes a number of tokens, rounded to thousands.
func thousands(n int) string {
	if n < 1000 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%dk", (n+500)/1000)
}

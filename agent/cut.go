package agent

import (
	"context"
	"fmt"
	"slices"

	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// Some servers (Ollama) cut a prompt that is too long without an error: they drop the oldest messages, and only the
// reported count shows it. Rules:
//
//   - While overlays, model, prompt and tools stay the same, requests only grow: a report is compared with the last
//     complete report plus an estimate of what was added (package compact). Without such a report it is compared
//     with the estimate alone, once three reports have calibrated that.
//   - No cut: a count of only the tokens that the server's cache did not have, and a count without reasoning that
//     the server left out. After one such count, two short reports in a row are needed for a cut; after three, no
//     cut is assumed.
//   - A cut is a report that misses more than 30 % of the expected tokens, or the second report in a row that misses
//     more than 20 %. A single tiny count is taken for an error.
//   - A short report is marked in the log: the meter does not use it, now or when the log is read again.
//   - After a cut the user gets a notice, once for a model. A window from the user, the server or the catalog stays:
//     counts are wrong more often than these. An unknown window is set to the largest count, for this conversation
//     only. A later report above it raises it again.

// report is the usage event of a reply, for comparison; false if it cannot be compared because the model or the
// view has changed since.
func (k *windowKeeper) report(r llm.Outgoing, rep *llm.Reply) (conversation.Usage, bool) {
	if rep.Usage == nil || rep.Usage.Prompt <= 0 || r.Purpose != conversation.PurposeReply ||
		r.To.Name() != k.journal.Model().Name() || r.Revision != k.journal.View().Revision {
		return conversation.Usage{}, false
	}
	t := rep.Usage
	return conversation.Usage{Revision: r.Revision, Model: r.To.Name(), Prompt: t.Prompt, Cached: t.Cached, CacheWrite: t.CacheWrite,
		Estimate: r.Estimate}, true
}

// judge compares a report that is not in the log yet with the expected count.
func (k *windowKeeper) judge(u conversation.Usage) (meter.Finding, meter.Expected) {
	e := k.journal.Meter().Expect(u, k.samePrompt(u))
	found := e.Classify(u)
	if found != meter.CountComplete {
		if hidden := k.hiddenReasoning(u.Model); hidden > 0 {
			e.Reasoning += hidden
			found = e.Classify(u)
		}
	}
	return found, e
}

// samePrompt reports whether all requests since the last complete report of the model had the same prompt and
// tools.
func (k *windowKeeper) samePrompt(u conversation.Usage) bool {
	for _, e := range slices.Backward(k.journal.Events()) {
		switch b := e.Body.(type) {
		case conversation.Instructions:
			return false
		case conversation.ModelChanged:
			if b.Name() != u.Model {
				return false
			}
		case conversation.Usage:
			if b.Purpose == conversation.PurposeReply && b.Model == u.Model && b.CountsWholePrompt() {
				return true
			}
		}
	}
	return false
}

// hiddenReasoning is the largest number of tokens of encrypted reasoning that requests carry: the endpoint may
// leave out the old part of it.
func (k *windowKeeper) hiddenReasoning(model string) float64 {
	events, sum := k.journal.Events(), 0
	for _, e := range events {
		u, ok := e.Body.(conversation.Usage)
		if !ok || u.Reasoning <= 0 || u.Model != model || u.Reply == 0 || u.Reply > uint64(len(events)) {
			continue
		}
		if m, ok := events[u.Reply-1].Body.(conversation.AssistantMessage); ok && len(m.Extras) > 0 {
			sum += u.Reasoning
		}
	}
	return float64(sum)
}

// isShort reports whether a report has fewer tokens than were sent.
func (k *windowKeeper) isShort(r llm.Outgoing, rep *llm.Reply) bool {
	u, ok := k.report(r, rep)
	if !ok {
		return false
	}
	found, _ := k.judge(u)
	return found != meter.CountComplete
}

// watchCuts checks a report that is not in the log yet, and returns the notices for the user.
func (k *windowKeeper) watchCuts(r llm.Outgoing, rep *llm.Reply) []conversation.Body {
	u, ok := k.report(r, rep)
	if !ok {
		return nil
	}
	w := &k.cuts
	if w.model != u.Model {
		*w = cutWatch{model: u.Model, warned: w.warned}
	}
	found, e := k.judge(u)
	if found != meter.CountUncachedOnly && float64(u.Prompt) < 2*e.Tokens {
		k.raise(u.Prompt)
	}
	if !w.note(found, u.Prompt) {
		return nil
	}
	k.journal.Logger().Info("report", "short", true, "cut", w.cut(found), "prompt", u.Prompt, "expected", int(e.Tokens),
		"estimated", int(e.Estimated), "reasoning", int(e.Reasoning), "in_row", w.inRow)
	if !w.cut(found) {
		return nil
	}
	advice := k.lower(w.limit(e))
	var bodies []conversation.Body
	if c, isNew := k.journal.ModelRecord(); isNew && k.journal.PromptStored() {
		bodies = append(bodies, c) // with the report: the program may end with the turn
	}
	if w.warned[u.Model] {
		return bodies
	}
	if w.warned == nil {
		w.warned = map[string]bool{}
	}
	w.warned[u.Model] = true
	text := fmt.Sprintf("The server counted %d tokens of about %d that were sent: it seems to cut long conversations without saying so. %s",
		u.Prompt, int(e.Tokens), advice)
	return append(bodies, conversation.Notice{Level: conversation.NoticeWarning, Text: text})
}

// lower sets an unknown window to the largest count, and returns the advice for the user.
func (k *windowKeeper) lower(limit int) string {
	const larger = "Give the model a larger window on the server, or set context.window to the one it has."
	w, have := &k.cuts, k.journal.Model().Window
	if have.IsKnown() && have != w.lowered {
		return fmt.Sprintf("The window stays %d tokens (%s). If the model forgets what came before: %s", have.Tokens, have.Source, larger)
	}
	to := meter.Window{Tokens: limit, Source: meter.WindowLearned}
	if have.IsKnown() && have.Tokens <= limit || !k.setWindow(to) {
		return larger
	}
	w.lowered = to
	does := ""
	if k.journal.Rules().ActsAutomatically() {
		does = " and compacts the conversation to fit"
	}
	return fmt.Sprintf("In this conversation Plimsoll takes the window to be %d tokens%s from now on. %s", limit, does, larger)
}

// raise raises a lowered window to a larger count of the server.
func (k *windowKeeper) raise(prompt int) {
	w := &k.cuts
	if !w.lowered.IsKnown() || k.journal.Model().Window != w.lowered {
		return
	}
	to := meter.Window{Tokens: prompt, Source: meter.WindowLearned}
	if prompt > w.lowered.Tokens && k.setWindow(to) {
		w.lowered = to
	}
}

// checkWindow asks the server for its window if a reply makes the known one doubtful, before the reply is compared
// with it.
func (k *windowKeeper) checkWindow(ctx context.Context, r llm.Outgoing, ans answer) {
	u, ok := k.report(r, ans.reply)
	if ans.err != nil || !ok {
		return
	}
	had := k.journal.Model().Window
	above := llm.FromServer(had) && u.Prompt > had.Tokens && had != k.cuts.lowered
	short := k.isShort(r, ans.reply) && !k.askedShort[r.To.Name()]
	if short {
		k.askedShort[r.To.Name()] = true
	}
	if !above && !short && !ans.down {
		return
	}
	k.askWindow(ctx)
	have := k.journal.Model().Window
	if !above || r.To.Name() != k.journal.Model().Name() || have.Tokens >= u.Prompt || !llm.FromServer(have) {
		return
	}
	k.forgetWindow()
	k.useWindow(meter.Window{Source: meter.WindowUnknown})
	k.note(ctx, fmt.Sprintf("The server counted %d tokens in a request: its window is larger than the %d that were known. The next refused request tells its size, or set it with --window.",
		u.Prompt, have.Tokens))
}

// usage is the usage event of one try of a request, also without a report, so that the log has the request; none if
// the request never reached the model. seq is the Seq of the reply, 0 if it is not stored.
func (k *windowKeeper) usage(r llm.Outgoing, rep *llm.Reply, seq uint64) []conversation.Body {
	if rep.Usage == nil && rep.BodyHash == "" && !rep.Arrived() {
		return nil
	}
	u := r.UsageWithoutCounts(rep)
	u.Reply = seq
	if t := rep.Usage; t != nil {
		t := *t
		if t.CacheWriteLong <= 0 {
			t.CacheWriteLong = 0
			t = r.To.WithLongWrites(t) // a proxy may leave it out
		}
		u.CacheWriteLong = t.CacheWriteLong
		u.Prompt, u.Cached, u.CacheWrite, u.Completion, u.Reasoning = t.Prompt, t.Cached, t.CacheWrite, t.Completion, t.Reasoning
		u.Undercounted = k.isShort(r, rep)
		if u.CostUSD, u.PriceSource = t.CostUSD, "reported"; t.CostUSD == nil {
			u.CostUSD, u.PriceSource = k.journal.Cost(r.To, t)
		}
	}
	return []conversation.Body{u}
}

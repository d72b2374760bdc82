package agent

import (
	"context"
	"fmt"
	"slices"

	"plimsoll/agent/llm"
	"plimsoll/compact/meter"
	"plimsoll/conversation"
)

// Some servers (Ollama) truncate a prompt that is too long and return no error: they drop the oldest messages. Only the
// prompt count in the usage report shows it. A report of fewer tokens than were sent is undercounted. Rules:
//
//   - While model, prompt, tools and compactions stay the same, requests only grow. So a report is compared with
//     the last one that counted the whole prompt, plus the estimated size of the new messages (package meter). Before
//     the first of these it is compared with the estimate alone, once three reports have shown how far estimates are off.
//   - Two kinds of undercounted reports are no truncation: some servers count only tokens outside their cache, others leave
//     out old reasoning. After one uncached count, only two undercounted reports in a row show a truncation; after three
//     uncached counts, none does.
//   - A truncation is a report that misses more than 30 % of the expected tokens, or the second report in a row that misses
//     more than 20 %. A single tiny count is treated as an error of the server.
//   - An undercounted report is marked in the log, and the meter never uses it.
//   - After a truncation the user gets one notice for each model. A window from the user, the server or the catalog is kept,
//     because it is more reliable than a count. If the window is unknown, it is set to the largest count, for this
//     conversation only; a later report with more tokens raises it.

// comparableUsage is the usage event of a reply that can be compared with earlier ones, and false if the reply has no
// prompt count, or if the model or what is sent of the conversation has changed since the request.
func (k *windowKeeper) comparableUsage(r llm.Outgoing, rep *llm.Reply) (conversation.Usage, bool) {
	if rep.Usage == nil || rep.Usage.Prompt <= 0 || r.Purpose != conversation.PurposeReply ||
		r.To.Name() != k.journal.Model().Name() || r.Revision != k.journal.View().Revision {
		return conversation.Usage{}, false
	}
	t := rep.Usage
	return conversation.Usage{Revision: r.Revision, Model: r.To.Name(), Prompt: t.Prompt, Cached: t.Cached, CacheWrite: t.CacheWrite,
		Estimate: r.Estimate, Images: r.Images}, true
}

// classifyReport compares a report that is not in the log yet with the expected prompt count.
func (k *windowKeeper) classifyReport(u conversation.Usage) (meter.Finding, meter.Expected) {
	e := k.journal.Meter().Expect(u, k.samePrompt(u))
	found := e.Classify(u)
	if found != meter.CountWholePrompt {
		if encrypted := k.encryptedReasoning(u.Model); encrypted > 0 {
			e.Reasoning += encrypted
			found = e.Classify(u)
		}
	}
	return found, e
}

// samePrompt reports whether all requests since the model's last report that counted the whole prompt had the same
// system prompt and tools.
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

// encryptedReasoning is the number of tokens of all encrypted reasoning in requests. The endpoint may leave the older
// part out of its count.
func (k *windowKeeper) encryptedReasoning(model string) float64 {
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

// isUndercounted reports whether a usage report has fewer prompt tokens than were sent.
func (k *windowKeeper) isUndercounted(r llm.Outgoing, rep *llm.Reply) bool {
	u, ok := k.comparableUsage(r, rep)
	if !ok {
		return false
	}
	found, _ := k.classifyReport(u)
	return found != meter.CountWholePrompt
}

// checkForTruncation checks a report that is not in the log yet for a truncated prompt. It returns the events to store.
func (k *windowKeeper) checkForTruncation(r llm.Outgoing, rep *llm.Reply) []conversation.Body {
	u, ok := k.comparableUsage(r, rep)
	if !ok {
		return nil
	}
	watch := &k.truncation
	if watch.model != u.Model {
		*watch = truncationWatch{model: u.Model, warnedModels: watch.warnedModels}
	}
	found, e := k.classifyReport(u)
	if found != meter.CountUncachedOnly && float64(u.Prompt) < 2*e.Tokens {
		k.raiseWindow(u.Prompt)
	}
	if !watch.countReport(found, u.Prompt) {
		return nil
	}
	k.journal.Logger.Info("report", "undercounted", true, "cut", watch.showsTruncation(found), "prompt", u.Prompt,
		"expected", int(e.Tokens), "estimated", int(e.Estimated), "reasoning", int(e.Reasoning), "in_row", watch.undercountsInRow)
	if !watch.showsTruncation(found) {
		return nil
	}
	advice := k.lowerWindow(watch.largestCount(e))
	var bodies []conversation.Body
	if c, isNew := k.journal.ModelRecord(); isNew && k.journal.PromptStored() {
		bodies = append(bodies, c) // with the report: the program may end with the turn
	}
	if watch.warnedModels[u.Model] {
		return bodies
	}
	watch.warnedModels[u.Model] = true
	text := fmt.Sprintf("The server counted %d tokens of about %d that were sent: it seems to cut long conversations without saying so. %s",
		u.Prompt, int(e.Tokens), advice)
	return append(bodies, conversation.Notice{Level: conversation.NoticeWarning, Text: text})
}

// lowerWindow sets an unknown window to limit, in tokens, and returns the advice for the user.
func (k *windowKeeper) lowerWindow(limit int) string {
	const larger = "Give the model a larger window on the server, or set context.window to the one it has."
	watch, have := &k.truncation, k.journal.Model().Window
	if have.IsKnown() && have != watch.loweredWindow {
		return fmt.Sprintf("The window stays %d tokens (%s). If the model forgets what came before: %s", have.Tokens, have.Source, larger)
	}
	to := meter.Window{Tokens: limit, Source: meter.WindowLearned}
	if have.IsKnown() && have.Tokens <= limit || !k.setWindow(to) {
		return larger
	}
	watch.loweredWindow = to
	compacts := ""
	if k.journal.Rules().ActsAutomatically() {
		compacts = " and compacts the conversation to fit"
	}
	return fmt.Sprintf("In this conversation Plimsoll takes the window to be %d tokens%s from now on. %s", limit, compacts, larger)
}

// raiseWindow sets a window that lowerWindow has set to a larger count of the server.
func (k *windowKeeper) raiseWindow(prompt int) {
	watch := &k.truncation
	if !watch.loweredWindow.IsKnown() || k.journal.Model().Window != watch.loweredWindow {
		return
	}
	to := meter.Window{Tokens: prompt, Source: meter.WindowLearned}
	if prompt > watch.loweredWindow.Tokens && k.setWindow(to) {
		watch.loweredWindow = to
	}
}

// checkWindow asks the server for its window if the usage of a reply contradicts the known size. It runs before the
// reply is checked for a truncation.
func (k *windowKeeper) checkWindow(ctx context.Context, r llm.Outgoing, ans answer) {
	u, ok := k.comparableUsage(r, ans.reply)
	if ans.err != nil || !ok {
		return
	}
	had := k.journal.Model().Window
	above := llm.FromServer(had) && u.Prompt > had.Tokens && had != k.truncation.loweredWindow
	undercounted := k.isUndercounted(r, ans.reply) && !k.askedAfterUndercount[r.To.Name()]
	if undercounted {
		k.askedAfterUndercount[r.To.Name()] = true
	}
	if !above && !undercounted && !ans.wasDown {
		return
	}
	k.askWindow(ctx)
	have := k.journal.Model().Window
	if !above || r.To.Name() != k.journal.Model().Name() || have.Tokens >= u.Prompt || !llm.FromServer(have) {
		return
	}
	k.forgetWindow()
	k.useWindow(meter.Window{Source: meter.WindowUnknown})
	k.addNotice(ctx, fmt.Sprintf("The server counted %d tokens in a request: its window is larger than the %d that were known. The next refused request tells its size, or set it with --window.",
		u.Prompt, have.Tokens))
}

// usageEvents has the usage event of one try of a request. Without a usage report the event still records the request.
// It is empty if the request never reached the model. seq is the Seq of the reply, 0 if that is not stored.
func (k *windowKeeper) usageEvents(r llm.Outgoing, rep *llm.Reply, seq uint64) []conversation.Body {
	if rep.Usage == nil && rep.BodyHash == "" && !rep.Arrived() {
		return nil
	}
	u := r.UsageWithoutCounts(rep)
	u.Reply = seq
	if t := rep.Usage; t != nil {
		t := *t
		if t.CacheWriteLong <= 0 {
			t.CacheWriteLong = 0
			t = r.To.WithLongWrites(t) // a proxy may leave CacheWriteLong out
		}
		u.CacheWriteLong = t.CacheWriteLong
		u.Prompt, u.Cached, u.CacheWrite, u.Completion, u.Reasoning = t.Prompt, t.Cached, t.CacheWrite, t.Completion, t.Reasoning
		u.Undercounted = k.isUndercounted(r, rep)
		if u.CostUSD, u.PriceSource = t.CostUSD, "reported"; t.CostUSD == nil {
			u.CostUSD, u.PriceSource = k.journal.Cost(r.To, t)
		}
	}
	return []conversation.Body{u}
}

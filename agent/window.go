package agent

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// The size of a window may change at any time: servers restart with another one, and load models again. Rules:
//
//   - A size that the user set is never replaced.
//   - A size that the server named, in an answer or in a refusal, is used until the server names another one. A size
//     from a refusal in an earlier run expires after some time.
//   - A usage report with more prompt tokens than the window proves that the size is wrong.
//   - The server is asked again when the size is in doubt: before a request is held back as too long, when a report
//     has more or fewer tokens than expected, and after the server was unreachable.

// windowKeeper keeps the size of the current model's window up to date. The user, the server and usage reports set it.
type windowKeeper struct {
	journal   *core.Journal
	display   *display
	inbox     *core.Inbox
	compactor roomMaker
	askServer func(context.Context, llm.Model) meter.Window // nil: the server cannot be asked

	truncation           truncationWatch // detects prompts that the server truncates without an error
	askedAfterUndercount map[string]bool // models whose server was asked for its window after an undercounted report
	calibrations         map[string]conversation.Calibration
	keeper               *keeper[calibrationsByKey]
}

// roomMaker is the part of the compactor that windowKeeper calls.
type roomMaker interface {
	WindowChanged(w meter.Window) // adapts to a new window
	CompactBeforeRequest(ctx context.Context) error
}

// setWindow replaces the window, unless the old size came from a more reliable source. It reports whether the window
// changed.
func (k *windowKeeper) setWindow(w meter.Window) bool {
	have := k.journal.Model().Window
	if !w.IsKnown() || w == have || have.IsKnown() && llm.WindowRank(w.Source) > llm.WindowRank(have.Source) {
		return false
	}
	k.useWindow(w)
	return true
}

// storeServerWindow stores the window of the server for later runs, which can show the gauge before the server answers.
func (k *windowKeeper) storeServerWindow() {
	m := k.journal.Model()
	if w := m.Window; w.Source == meter.WindowServer && m.Calibration.Window != w.Tokens {
		k.journal.RememberWindow(w.Tokens)
		k.keepCalibration()
	}
}

// useWindow sets the window, which may be unknown, and adapts everything that depends on it.
func (k *windowKeeper) useWindow(w meter.Window) {
	k.journal.UseWindow(w)
	k.storeServerWindow()
	k.display.storeTools()
	k.compactor.WindowChanged(w)
	k.journal.Publish(updates.ModelSwitched{Model: k.journal.Model()})
	k.display.showMeter()
}

// learnWindow uses the window that a server named, in tokens, and stores it for later runs. It reports whether
// requests now use this size.
func (k *windowKeeper) learnWindow(ctx context.Context, tokens int) bool {
	k.journal.RememberWindow(tokens)
	k.keepCalibration()
	had := k.journal.Model().Window.Tokens
	if had == tokens {
		return true // the user got the notice before
	}
	if !k.setWindow(meter.Window{Tokens: tokens, Source: meter.WindowLearned}) {
		return false
	}
	k.addNotice(ctx, fmt.Sprintf("The server says that its window is %d tokens.", tokens))
	return true
}

// forgetWindow deletes the window that is stored for later runs.
func (k *windowKeeper) forgetWindow() {
	if k.journal.Model().Calibration.Window != 0 {
		k.journal.RememberWindow(0)
		k.keepCalibration()
	}
}

// addNotice stores a notice for the user, together with the changed limits of the model.
func (k *windowKeeper) addNotice(ctx context.Context, text string) {
	m, _ := k.journal.ModelRecord()
	k.journal.Record(ctx, m, conversation.Notice{Level: conversation.NoticeInfo, Text: text})
}

// askTimeout is the time limit for the server's answer about its window.
const askTimeout = 2 * time.Second

// askWindow asks the server for its window, and reports whether the size that requests use has changed.
func (k *windowKeeper) askWindow(ctx context.Context) bool {
	if k.askServer == nil || ctx.Err() != nil {
		return false
	}
	m := k.journal.Model()
	if llm.WindowRank(m.Window.Source) < llm.WindowRank(meter.WindowServer) {
		return false // the user set the size
	}
	askCtx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	w := core.Concurrently(ctx, k.inbox, func() meter.Window { return k.askServer(askCtx, m) })
	if k.journal.Model().Name() != m.Name() {
		return true // the user switched meanwhile
	}
	had := k.journal.Model().Window.Tokens
	return k.setWindow(w) && w.Tokens != had
}

// retryInLargerWindow asks the server for its window after a request did not fit. If the window has grown, it makes room
// again and returns that result, otherwise err.
func (k *windowKeeper) retryInLargerWindow(ctx context.Context, err error) error {
	had := k.journal.Model().Window
	if llm.AsOverflow(err) == nil || !llm.FromServer(had) || !k.askWindow(ctx) {
		return err
	}
	if w := k.journal.Model().Window; w.IsKnown() && w.Tokens <= had.Tokens {
		return err
	}
	return k.compactor.CompactBeforeRequest(ctx)
}

// DefaultLines are the load line and the hard line of a window, in tokens, under the default rules.
func DefaultLines(window int) (load, hard int) {
	w := meter.Window{Tokens: window, Source: meter.WindowServer}
	r := meter.New(meter.Options{Window: w}.WithRules(preset.DefaultRules())).Reading()
	return r.LoadLine, r.HardLine
}

// learnFromUsage sets the meter to the token counts of a usage report, and stores the new calibration. A report of
// another model changes only that model's history.
func (k *windowKeeper) learnFromUsage(event []conversation.Event, u conversation.Usage) {
	name := k.journal.Model().Name()
	if u.Model != name {
		k.journal.UseMeter(k.journal.Meter().WithHistory(event, name))
		return
	}
	k.useLearnedMeter(k.journal.Meter().WithUsage(u))
}

// useLearnedMeter replaces the meter by one with newer counts of the endpoint, and stores its calibration.
func (k *windowKeeper) useLearnedMeter(m meter.Meter) {
	if k.journal.UseMeter(m) {
		k.keepCalibration()
	}
}

// keepCalibration stores the calibration of the model, on another goroutine.
func (k *windowKeeper) keepCalibration() {
	key := k.journal.Model().CalibrationKey
	if key == "" {
		return
	}
	c := k.journal.Model().Calibration
	k.calibrations[key] = c
	k.keeper.replace(false, func(batch calibrationsByKey) calibrationsByKey {
		if batch == nil {
			batch = calibrationsByKey{}
		}
		batch[key] = c
		return batch
	})
}

// truncationWatch counts the undercounted usage reports of a model: they have fewer prompt tokens than were sent.
type truncationWatch struct {
	model             string
	undercountsInRow  int             // undercounted reports in a row
	largestUndercount int             // the largest prompt count among them, in tokens
	uncachedCounts    int             // reports that left out the tokens in the server's cache
	loweredWindow     meter.Window    // the window that was set after a truncation, unknown without one
	warnedModels      map[string]bool // models for which the user got the notice
}

// trustUncached is how many reports without cached tokens prove that the server counts this way and truncates nothing.
const trustUncached = 3

// windowAfterTruncation is the window that an earlier run of the conversation set after the server truncated a prompt. It is
// false if no run set one, or if the model's window is known.
func windowAfterTruncation(events []conversation.Event, m llm.Model) (meter.Window, bool) {
	c, _ := conversation.Newest[conversation.ModelChanged](events)
	w := meter.Window{Tokens: c.Window, Source: meter.WindowLearned}
	return w, c.Name() == m.Name() && meter.WindowSource(c.Source) == meter.WindowLearned && w.IsKnown() && !m.Window.IsKnown()
}

// countReport counts a report, and reports whether it was undercounted.
func (w *truncationWatch) countReport(found meter.Finding, prompt int) bool {
	switch found {
	case meter.CountUncachedOnly:
		w.uncachedCounts++
		fallthrough
	case meter.CountWholePrompt:
		w.undercountsInRow, w.largestUndercount = 0, 0
		return false
	}
	w.undercountsInRow++
	w.largestUndercount = max(w.largestUndercount, prompt)
	return true
}

// showsTruncation reports whether the newest report, together with those before it, shows a truncation.
func (w *truncationWatch) showsTruncation(found meter.Finding) bool {
	switch {
	case w.uncachedCounts >= trustUncached:
		return false
	case found == meter.PromptTruncated && w.uncachedCounts == 0:
		return true
	}
	return w.undercountsInRow > 1 && (found == meter.PromptTruncated || found == meter.CountDoubtful)
}

// largestCount is the estimated window of a server that truncates prompts: the largest count since it began, or the
// last count of a whole prompt. If that is at least twice as large it is ignored: it comes from an earlier, larger window.
func (w *truncationWatch) largestCount(e meter.Expected) int {
	if last := int(e.Reported); last < 2*w.largestUndercount {
		return max(last, w.largestUndercount)
	}
	return w.largestUndercount
}

// learnFromRefusal updates meter and window after the server refused a request as too long. It returns the error with a hint.
func (k *windowKeeper) learnFromRefusal(ctx context.Context, r llm.Outgoing, e *llm.Error, hint string) error {
	failure := *e
	failure.Hint = hint
	if r.To.Name() != k.journal.Model().Name() { // the user has switched meanwhile
		return &failure
	}
	counted := cmp.Or(e.Requested, e.Window) // the prompt has more tokens than the window
	k.useLearnedMeter(k.journal.Meter().WithRefusal(counted))
	if e.Window > 0 && !k.learnWindow(ctx, e.Window) {
		if have := k.journal.Model().Window; have.Tokens > e.Window {
			failure.Hint += fmt.Sprintf("; the window is set to %d tokens (%s), but the server's is %d", have.Tokens, have.Source, e.Window)
		}
	}
	return &failure
}

// maxTokens is the largest reply to request, in tokens; 0 sets no limit. It is the user's limit or, if the reserve does
// not fit after the prompt, the rest of the window: servers refuse a request whose prompt and reply limit together
// exceed the window. It is never below a quarter of the reserve, because the prompt size is only an estimate.
func maxTokens(r meter.Reading, limit int) int {
	reserveFits := r.Used+max(r.Reserve, limit) <= r.Window.Tokens
	if !r.Window.IsKnown() || reserveFits {
		return limit
	}
	const minReserveShare = 4 // the limit is at least one part of the reserve in so many
	slack := r.Window.Tokens / 64
	left := max(r.Window.Tokens-r.Used-slack, r.Reserve/minReserveShare, 1)
	if limit > 0 {
		return min(left, limit)
	}
	return left
}

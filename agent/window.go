package agent

import (
	"context"
	"fmt"
	"slices"
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
//   - A size from the user stays.
//   - A size from the server, as an answer or in a refusal, counts until the server names another one. A size that a
//     refusal taught in an earlier run counts less: only until the server names one, and only for a while.
//   - A report with more tokens than the window disproves its size.
//   - The server is asked again when the size is in doubt: before a request is held back for it, when a report has
//     more tokens or too few, and after the server was unreachable.

// windowKeeper keeps the size of the current model's window, by what the user, the server and reports say.
type windowKeeper struct {
	journal *core.Journal
	display *display
	inbox   *core.Inbox
	room    room
	ask     func(context.Context, llm.Model) meter.Window // nil: the server cannot be asked

	cuts       cutWatch        // detects prompts that the server cuts without an error
	askedShort map[string]bool // models whose server was asked for its window after a short report
	learned    map[string]conversation.Calibration
	keeper     *keeper[learnedModels]
}

// room is the compactor, as the windowKeeper needs it.
type room interface {
	WindowChanged(w meter.Window) // adapts to a new window
	Ready(ctx context.Context) error
}

// setWindow uses a window that became known, unless a stronger source named another size. It reports whether it
// did.
func (k *windowKeeper) setWindow(w meter.Window) bool {
	have := k.journal.Model().Window
	if !w.IsKnown() || w == have || have.IsKnown() && llm.Rank(w.Source) > llm.Rank(have.Source) {
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
	k.display.storeToolNames()
	k.room.WindowChanged(w)
	k.journal.Publish(updates.ModelSwitched{Model: k.journal.Model()})
	k.display.showMeter()
}

// learnWindow uses the window that a server named, in tokens, and stores it for later runs. It reports whether it
// is in force.
func (k *windowKeeper) learnWindow(ctx context.Context, tokens int) bool {
	k.journal.RememberWindow(tokens)
	k.keepCalibration()
	had := k.journal.Model().Window.Tokens
	if had == tokens {
		return true // no second notice
	}
	if !k.setWindow(meter.Window{Tokens: tokens, Source: meter.WindowLearned}) {
		return false
	}
	k.note(ctx, fmt.Sprintf("The server says that its window is %d tokens.", tokens))
	return true
}

// forgetWindow deletes the window that is stored for later runs.
func (k *windowKeeper) forgetWindow() {
	if k.journal.Model().Calibration.Window != 0 {
		k.journal.RememberWindow(0)
		k.keepCalibration()
	}
}

// note records the model with a notice.
func (k *windowKeeper) note(ctx context.Context, text string) {
	m, _ := k.journal.ModelRecord()
	_, err := k.journal.Keep(ctx, m, conversation.Notice{Level: conversation.NoticeInfo, Text: text})
	if err != nil {
		k.journal.Publish(updates.Failed{Err: llm.AsError(err)})
	}
}

// askTime is the time limit for the server's answer about its window.
const askTime = 2 * time.Second

// askWindow asks the server for its window, and reports whether the size in force changed.
func (k *windowKeeper) askWindow(ctx context.Context) bool {
	if k.ask == nil || ctx.Err() != nil {
		return false
	}
	m := k.journal.Model()
	if llm.Rank(m.Window.Source) < llm.Rank(meter.WindowServer) {
		return false // the user set it
	}
	ask, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	w := core.Concurrently(ctx, k.inbox, func() meter.Window { return k.ask(ask, m) })
	if k.journal.Model().Name() != m.Name() {
		return true // the user switched meanwhile
	}
	had := k.journal.Model().Window.Tokens
	return k.setWindow(w) && w.Tokens != had
}

// grown returns the error for which a request is held back, or the result of a new check if the server now has a
// larger window.
func (k *windowKeeper) grown(ctx context.Context, err error) error {
	had := k.journal.Model().Window
	if llm.AsOverflow(err) == nil || !llm.FromServer(had) || !k.askWindow(ctx) {
		return err
	}
	if w := k.journal.Model().Window; w.IsKnown() && w.Tokens <= had.Tokens {
		return err
	}
	return k.room.Ready(ctx)
}

// DefaultLines are the load line and the hard line of a window, in tokens, under the default rules.
func DefaultLines(window int) (load, hard int) {
	w := meter.Window{Tokens: window, Source: meter.WindowServer}
	r := meter.New(meter.Options{Window: w}.WithRules(preset.DefaultRules())).Reading()
	return r.LoadLine, r.HardLine
}

// foldUsage anchors the meter to a report, and stores what it taught. A report of another model does not affect the
// current one.
func (k *windowKeeper) foldUsage(event []conversation.Event, u conversation.Usage) {
	name := k.journal.Model().Name()
	if u.Model != name {
		k.journal.Learn(k.journal.Meter().WithHistory(event, name))
		return
	}
	k.learn(k.journal.Meter().WithUsage(u))
}

// learn uses a meter that has seen the endpoint's counts, and stores its calibration.
func (k *windowKeeper) learn(m meter.Meter) {
	if k.journal.Learn(m) {
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
	k.learned[key] = c
	k.keeper.put(false, func(batch learnedModels) learnedModels {
		if batch == nil {
			batch = learnedModels{}
		}
		batch[key] = c
		return batch
	})
}

// cutWatch counts the short reports of a model.
type cutWatch struct {
	model    string
	inRow    int             // short reports in a row
	most     int             // the largest of them, in tokens
	uncached int             // reports without the tokens in the server's cache
	lowered  meter.Window    // the window that was set after a cut, unknown without one
	warned   map[string]bool // models for which the user got the notice
}

// trustUncached is the number of counts without the server's cache after which no cut is assumed any more.
const trustUncached = 3

// windowAfterCut is the window that an earlier run of the conversation set after a cut; false without one, or if the size
// is known.
func windowAfterCut(events []conversation.Event, m llm.Model) (meter.Window, bool) {
	for _, e := range slices.Backward(events) {
		if c, ok := e.Body.(conversation.ModelChanged); ok {
			w := meter.Window{Tokens: c.Window, Source: meter.WindowLearned}
			return w, c.Name() == m.Name() && meter.WindowSource(c.Source) == meter.WindowLearned && w.IsKnown() && !m.Window.IsKnown()
		}
	}
	return meter.Window{}, false
}

// note counts a report, and reports whether it was short.
func (w *cutWatch) note(found meter.Finding, prompt int) bool {
	switch found {
	case meter.CountUncachedOnly:
		w.uncached++
		fallthrough
	case meter.CountComplete:
		w.inRow, w.most = 0, 0
		return false
	}
	w.inRow++
	w.most = max(w.most, prompt)
	return true
}

// cut reports whether the newest report, together with those before it, shows a cut.
func (w *cutWatch) cut(found meter.Finding) bool {
	switch {
	case w.uncached >= trustUncached:
		return false
	case found == meter.PromptCut && w.uncached == 0:
		return true
	}
	return w.inRow > 1 && (found == meter.PromptCut || found == meter.CountDoubtful)
}

// limit is the window of a server that cuts, as far as reports show: its largest count since it cuts, or the last
// complete report, unless that is twice as large and thus from a larger window.
func (w *cutWatch) limit(e meter.Expected) int {
	if last := int(e.Reported); last < 2*w.most {
		return max(last, w.most)
	}
	return w.most
}

// overflowed learns from a request that the server refused as too long, and returns the error with a hint.
func (k *windowKeeper) overflowed(ctx context.Context, r llm.Outgoing, e *llm.Error, hint string) error {
	told := *e
	told.Hint = hint
	if r.To.Name() != k.journal.Model().Name() { // the user has switched meanwhile
		return &told
	}
	counted := e.Requested
	if counted <= 0 {
		counted = e.Window // it has more than that
	}
	k.learn(k.journal.Meter().WithRefusal(counted))
	if e.Window > 0 && !k.learnWindow(ctx, e.Window) {
		if have := k.journal.Model().Window; have.Tokens > e.Window {
			told.Hint += fmt.Sprintf("; the window is set to %d tokens (%s), but the server's is %d", have.Tokens, have.Source, e.Window)
		}
	}
	return &told
}

// maxTokens is the bound of a reply, 0 for none: the user's limit or, if the reserve does not fit after the prompt,
// the room that is left, because servers refuse a request whose prompt and bound together exceed the window. The
// prompt size is an estimate, so the bound never gets so small that it would cut a reply that fits.
func maxTokens(r meter.Reading, limit int) int {
	fits := r.Used+max(r.Reserve, limit) <= r.Window.Tokens
	if !r.Window.IsKnown() || fits {
		return limit
	}
	const least = 4 // a quarter of the reserve
	slack := r.Window.Tokens / 64
	left := max(r.Window.Tokens-r.Used-slack, r.Reserve/least, 1)
	if limit > 0 {
		return min(left, limit)
	}
	return left
}

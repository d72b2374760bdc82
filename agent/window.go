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

// How large a window is, is a fact about a moment: servers are started anew with
// another one, and load models anew. Rules:
//
//   - What the user says stays.
//   - What the server says, asked or in a refusal, counts until it says something
//     else. What a refusal taught in an earlier run counts less: until the server
//     says anything, and for a while only.
//   - A report that counts more than a window disproves it.
//   - Where a window is in doubt the server is asked anew: before a request is held
//     back for it, when a report counts more than it or falls short, and when the
//     server was gone in between.

// windowKeeper knows how large the window of the model in use is, by what the user
// says, the server tells and reports show.
type windowKeeper struct {
	journal *core.Journal
	display *display
	inbox   *core.Inbox
	room    room
	ask     func(context.Context, llm.Model) meter.Window // nil: the server cannot be asked

	cuts       cutWatch        // whether the server cuts prompts silently
	askedShort map[string]bool // models whose server was asked for its window after a short report
	learned    map[string]conversation.Calibration
	keeper     *keeper[learnedModels]
}

// room makes room in the window.
type room interface {
	WindowChanged(w meter.Window) // another window is in force
	Ready(ctx context.Context) error
}

// setWindow takes over a window that became known, unless a stronger source
// said otherwise. It reports whether it did.
func (k *windowKeeper) setWindow(w meter.Window) bool {
	have := k.journal.Model().Window
	if !w.IsKnown() || w == have || have.IsKnown() && llm.Rank(w.Source) > llm.Rank(have.Source) {
		return false
	}
	k.useWindow(w)
	return true
}

// remember keeps the window that the server says for later runs: the gauge then has it
// while the server does not answer.
func (k *windowKeeper) remember() {
	m := k.journal.Model()
	if w := m.Window; w.Source == meter.WindowServer && m.Calibration.Window != w.Tokens {
		k.journal.RememberWindow(w.Tokens)
		k.keepCalibration()
	}
}

// useWindow puts a window in force, also an unknown one.
func (k *windowKeeper) useWindow(w meter.Window) {
	k.journal.UseWindow(w)
	k.remember()
	k.display.declare()
	k.room.WindowChanged(w)
	k.journal.Publish(updates.ModelSwitched{Model: k.journal.Model()})
	k.display.showMeter()
}

// learnWindow takes over the window that a server named, in tokens, and keeps it
// for the next time. It reports whether it is in force.
func (k *windowKeeper) learnWindow(ctx context.Context, tokens int) bool {
	k.journal.RememberWindow(tokens)
	k.keepCalibration()
	had := k.journal.Model().Window.Tokens
	if had == tokens {
		return true // nobody needs to hear it again
	}
	if !k.setWindow(meter.Window{Tokens: tokens, Source: meter.WindowLearned}) {
		return false
	}
	k.note(ctx, fmt.Sprintf("The server says that its window is %d tokens.", tokens))
	return true
}

// forgetWindow drops what was learned of the window in earlier runs.
func (k *windowKeeper) forgetWindow() {
	if k.journal.Model().Calibration.Window != 0 {
		k.journal.RememberWindow(0)
		k.keepCalibration()
	}
}

// note records what became known about the model, and tells it.
func (k *windowKeeper) note(ctx context.Context, text string) {
	m, _ := k.journal.ModelRecord()
	_, err := k.journal.Keep(ctx, m, conversation.Notice{Level: conversation.NoticeInfo, Text: text})
	if err != nil {
		k.journal.Publish(updates.Failed{Err: llm.AsError(err)})
	}
}

// askTime is how long the server may take to say how large its window is.
const askTime = 2 * time.Second

// askWindow asks the server how large the window is now, and reports whether
// another size is in force afterwards.
func (k *windowKeeper) askWindow(ctx context.Context) bool {
	if k.ask == nil || ctx.Err() != nil {
		return false
	}
	m := k.journal.Model()
	if llm.Rank(m.Window.Source) < llm.Rank(meter.WindowServer) {
		return false // the user says it
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

// grown is the error for which a request is held back, nil if the server says now
// that its window is larger.
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

// DefaultLines is the load line and the hard line of a window of so many tokens, as long
// as nobody moves them.
func DefaultLines(window int) (load, hard int) {
	w := meter.Window{Tokens: window, Source: meter.WindowServer}
	r := meter.New(meter.Options{Window: w}.WithRules(preset.DefaultRules())).Reading()
	return r.LoadLine, r.HardLine
}

// foldUsage anchors the meter on a report and keeps what that taught. A report
// of a model that is no longer in use says nothing about the one that is.
func (k *windowKeeper) foldUsage(event []conversation.Event, u conversation.Usage) {
	name := k.journal.Model().Name()
	if u.Model != name {
		k.journal.Learn(k.journal.Meter().WithHistory(event, name))
		return
	}
	k.learn(k.journal.Meter().WithUsage(u))
}

// learn takes over a meter that has seen what the endpoint counted, and keeps what it learned.
func (k *windowKeeper) learn(m meter.Meter) {
	if k.journal.Learn(m) {
		k.keepCalibration()
	}
}

// keepCalibration stores what is known about the model, off the hot path.
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

// cutWatch is what the reports of a model say about cuts.
type cutWatch struct {
	model    string
	inRow    int             // reports in a row that fell short
	most     int             // the largest of them
	uncached int             // reports that left the server's cache out
	lowered  meter.Window    // what the window was lowered to, unknown if it was not
	warned   map[string]bool // models whose user was told
}

// trustUncached is how many counts without the server's cache say that it always
// counts so.
const trustUncached = 3

// lowered is the window to which an earlier run of the conversation took that of
// the model down, as the log has it; false if it did not, or somebody tells it.
func lowered(events []conversation.Event, m llm.Model) (meter.Window, bool) {
	for _, e := range slices.Backward(events) {
		if c, ok := e.Body.(conversation.ModelChanged); ok {
			w := meter.Window{Tokens: c.Window, Source: meter.WindowLearned}
			return w, c.Name() == m.Name() && meter.WindowSource(c.Source) == meter.WindowLearned && w.IsKnown() && !m.Window.IsKnown()
		}
	}
	return meter.Window{}, false
}

// note counts a report, and reports whether it fell short.
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

// cut reports whether the newest report, with those before it, is that of a
// prompt which was cut.
func (w *cutWatch) cut(found meter.Finding) bool {
	switch {
	case w.uncached >= trustUncached:
		return false
	case found == meter.PromptCut && w.uncached == 0:
		return true
	}
	return w.inRow > 1 && (found == meter.PromptCut || found == meter.CountDoubtful)
}

// limit is the window of a server that cuts, as far as one knows: the most that
// it counted since it does, or before that, unless this was twice as much: then
// its window was a larger one.
func (w *cutWatch) limit(e meter.Expected) int {
	if last := int(e.Reported); last < 2*w.most {
		return max(last, w.most)
	}
	return w.most
}

// overflowed learns from a server that refused a request as too long, and says
// what can be done.
func (k *windowKeeper) overflowed(ctx context.Context, r llm.Outgoing, e *llm.Error, hint string) error {
	told := *e
	told.Hint = hint
	if r.To.Name() != k.journal.Model().Name() { // the user may have switched meanwhile
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

// maxTokens bounds the reply by what the user says, 0 for nothing, and where the
// reserve no longer fits behind the prompt by what is left, as servers refuse a
// request whose prompt and bound exceed the window together. Used is an estimate, so
// that bound never gets so small that it cuts replies which would have fitted. 0 is
// no bound.
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

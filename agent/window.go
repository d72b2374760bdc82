package agent

import (
	"context"
	"fmt"
	"slices"
	"time"

	"plimsoll/compact"
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
	*journal
	display *display
	inbox   *inbox
	room    room

	cuts       cutWatch        // whether the server cuts prompts silently
	askedShort map[string]bool // models whose server was asked for its window after a short report
	learned    map[string]conversation.Calibration
	keeper     *calibrationKeeper
}

// room makes room in the window.
type room interface {
	windowChanged(w compact.Window) // another window is in force
	ready(ctx context.Context) error
}

// rank orders the sources of a window's size, strongest first.
func rank(s compact.WindowSource) int {
	switch s {
	case compact.WindowFlag:
		return 0
	case compact.WindowConfig:
		return 1
	case compact.WindowServer, compact.WindowLearned:
		return 2
	case compact.WindowCatalogue:
		return 3
	}
	return 4
}

// told reports whether a window's size is what the server said.
func told(w compact.Window) bool { return w.Known() && rank(w.Source) == rank(compact.WindowServer) }

// setWindow takes over a window that became known, unless a stronger source
// said otherwise. It reports whether it did.
func (k *windowKeeper) setWindow(w compact.Window) bool {
	have := k.settings.model.Window
	if !w.Known() || w == have || have.Known() && rank(w.Source) > rank(have.Source) || k.cuts.refutes(w, have) {
		return false
	}
	k.useWindow(w)
	return true
}

// outdated drops what was learned of the window in earlier runs, where the server
// says otherwise now.
func (k *windowKeeper) outdated() {
	if w := k.settings.model.Window; w.Source == compact.WindowServer && k.settings.model.Calibration.Window != w.Tokens {
		k.forgetWindow()
	}
}

// useWindow puts a window in force, also an unknown one.
func (k *windowKeeper) useWindow(w compact.Window) {
	k.settings.model.Window = w
	k.outdated()
	k.meter = k.meter.WithWindow(w)
	k.display.reform()
	k.room.windowChanged(w)
	k.updates.Put(ModelSwitched{Model: k.settings.model})
	k.display.showMeter()
}

// learnWindow takes over the window that a server named, in tokens, and keeps it
// for the next time. It reports whether it is in force.
func (k *windowKeeper) learnWindow(ctx context.Context, tokens int) bool {
	c := &k.settings.model.Calibration
	c.Window, c.WindowAt = tokens, k.opts.Now().Unix()
	k.keepCalibration()
	had := k.settings.model.Window.Tokens
	if had == tokens {
		return true // nobody needs to hear it again
	}
	if !k.setWindow(compact.Window{Tokens: tokens, Source: compact.WindowLearned}) {
		return false
	}
	k.note(ctx, fmt.Sprintf("The server says that its window is %d tokens.", tokens))
	return true
}

// forgetWindow drops what was learned of the window in earlier runs.
func (k *windowKeeper) forgetWindow() {
	if c := &k.settings.model.Calibration; c.Window != 0 {
		c.Window, c.WindowAt = 0, 0
		k.keepCalibration()
	}
}

// note records what became known about the model, and tells it.
func (k *windowKeeper) note(ctx context.Context, text string) {
	_, err := k.keep(ctx, k.settings.modelChanged(), conversation.Notice{Level: conversation.NoticeInfo, Text: text})
	if err != nil {
		k.updates.Put(Failed{Err: AsError(err)})
	}
}

// askTime is how long the server may take to say how large its window is.
const askTime = 2 * time.Second

// askWindow asks the server how large the window is now, and reports whether
// another size is in force afterwards.
func (k *windowKeeper) askWindow(ctx context.Context) bool {
	if k.opts.AskWindow == nil || ctx.Err() != nil {
		return false
	}
	m := k.settings.model
	if rank(m.Window.Source) < rank(compact.WindowServer) {
		return false // the user says it
	}
	ask, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	w := beside(ctx, k.inbox, func() compact.Window { return k.opts.AskWindow(ask, m) })
	if k.settings.model.Name() != m.Name() {
		return true // the user switched meanwhile
	}
	had := k.settings.model.Window.Tokens
	return k.setWindow(w) && w.Tokens != had
}

// grown is the error for which a request is held back, nil if the server says now
// that its window is larger.
func (k *windowKeeper) grown(ctx context.Context, err error) error {
	had := k.settings.model.Window
	if overflow(err) == nil || !told(had) || !k.askWindow(ctx) {
		return err
	}
	if w := k.settings.model.Window; w.Known() && w.Tokens <= had.Tokens {
		return err
	}
	return k.room.ready(ctx)
}

// checkWindow asks the server anew where a reply puts the window in doubt, before
// the reply is judged by it.
func (k *windowKeeper) checkWindow(ctx context.Context, r request, ans answer) {
	u, ok := k.report(r, ans.reply)
	if ans.err != nil || !ok {
		return
	}
	had := k.settings.model.Window
	above := told(had) && u.Prompt > had.Tokens && had != k.cuts.lowered
	short := k.short(r, ans.reply) && !k.askedShort[r.model.Name()]
	if short {
		k.askedShort[r.model.Name()] = true
	}
	if !above && !short && !ans.gone {
		return
	}
	k.askWindow(ctx)
	have := k.settings.model.Window
	if !above || r.model.Name() != k.settings.model.Name() || have.Tokens >= u.Prompt || !told(have) {
		return
	}
	k.forgetWindow()
	k.useWindow(compact.Window{Source: compact.WindowUnknown})
	k.note(ctx, fmt.Sprintf("The server counted %d tokens in a request: its window is larger than the %d that were known. How large it is becomes known with the next refusal, or give it with --window.",
		u.Prompt, have.Tokens))
}

// toldBefore is the window that the server of a model said it had, as the log has
// it, 0 if it does not.
func toldBefore(events []conversation.Event, model string) int {
	for _, e := range slices.Backward(events) {
		if c, ok := e.Body.(conversation.ModelChanged); ok && c.Name() == model && compact.WindowSource(c.Source) == compact.WindowServer {
			return c.Window
		}
	}
	return 0
}

// DefaultLines is the load line and the hard line of a window of so many tokens, as long
// as nobody moves them.
func DefaultLines(window int) (load, hard int) {
	w := compact.Window{Tokens: window, Source: compact.WindowServer}
	r := compact.NewMeter(compact.MeterOptions{Window: w}.With(compact.DefaultRules())).Reading()
	return r.LoadLine, r.HardLine
}

// usage is what was reported about a try at a request: one event, also if
// nothing was reported, so that the request is on record; none if the request
// never reached the model. Seq is that of the reply, 0 if it is not kept.
func (k *windowKeeper) usage(r request, rep *reply, seq uint64) []conversation.Body {
	if rep.usage == nil && rep.bodyHash == "" && !rep.arrived() {
		return nil
	}
	u := r.unreported(rep)
	u.Reply = seq
	if t := rep.usage; t != nil {
		u.Prompt, u.Cached, u.CacheWrite, u.Completion, u.Reasoning = t.Prompt, t.Cached, t.CacheWrite, t.Completion, t.Reasoning
		u.Short = k.short(r, rep)
		switch {
		case t.CostUSD != nil:
			u.CostUSD, u.Priced = t.CostUSD, "reported"
		case k.opts.Cost != nil:
			u.CostUSD, u.Priced = k.opts.Cost(r.model, *t)
		}
	}
	return []conversation.Body{u}
}

// foldUsage anchors the meter on a report and keeps what that taught. A report
// of a model that is no longer in use says nothing about the one that is.
func (k *windowKeeper) foldUsage(event []conversation.Event, u conversation.Usage) {
	name := k.settings.model.Name()
	if u.Model != name {
		k.meter = k.meter.WithHistory(event, name)
		return
	}
	before := k.meter.Calibration()
	k.meter = k.meter.WithUsage(u)
	if c := k.meter.Calibration(); c != before {
		k.settings.model.Calibration.Factor, k.settings.model.Calibration.Samples = c.Factor, c.Samples
		k.keepCalibration()
	}
}

// keepCalibration stores what is known about the model, off the hot path.
func (k *windowKeeper) keepCalibration() {
	key := k.settings.model.CalibrationKey
	if key == "" {
		return
	}
	k.learned[key] = k.settings.model.Calibration
	k.keeper.put(key, k.settings.model.Calibration)
}

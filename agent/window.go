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
func (a *Agent) setWindow(w compact.Window) bool {
	have := a.settings.model.Window
	if !w.Known() || w == have || have.Known() && rank(w.Source) > rank(have.Source) || a.memory.cuts.refutes(w, have) {
		return false
	}
	a.useWindow(w)
	return true
}

// outdated drops what was learned of the window in earlier runs, where the server
// says otherwise now.
func (a *Agent) outdated() {
	if w := a.settings.model.Window; w.Source == compact.WindowServer && a.settings.model.Calibration.Window != w.Tokens {
		a.forgetWindow()
	}
}

// useWindow puts a window in force, also an unknown one.
func (a *Agent) useWindow(w compact.Window) {
	a.settings.model.Window = w
	a.outdated()
	a.meter = a.meter.WithWindow(w)
	a.reform()
	a.compactor.rearmAt = 0 // it was reckoned by another window
	a.compactor.dropStale()
	switch former := a.compactor.previous; {
	case former != nil && w.Tokens >= former.model.Window.Tokens:
		a.compactor.previous = nil
	case former != nil && a.turn == nil && a.log.Len() > 0:
		a.compactor.replan = true // as when it is known at once
	}
	a.updates.Put(ModelSwitched{Model: a.settings.model})
	a.showMeter()
}

// learnWindow takes over the window that a server named, in tokens, and keeps it
// for the next time. It reports whether it is in force.
func (a *Agent) learnWindow(ctx context.Context, tokens int) bool {
	c := &a.settings.model.Calibration
	c.Window, c.WindowAt = tokens, a.opts.Now().Unix()
	a.keepCalibration()
	had := a.settings.model.Window.Tokens
	if had == tokens {
		return true // nobody needs to hear it again
	}
	if !a.setWindow(compact.Window{Tokens: tokens, Source: compact.WindowLearned}) {
		return false
	}
	a.note(ctx, fmt.Sprintf("The server says that its window is %d tokens.", tokens))
	return true
}

// forgetWindow drops what was learned of the window in earlier runs.
func (a *Agent) forgetWindow() {
	if c := &a.settings.model.Calibration; c.Window != 0 {
		c.Window, c.WindowAt = 0, 0
		a.keepCalibration()
	}
}

// note records what became known about the model, and tells it.
func (a *Agent) note(ctx context.Context, text string) {
	_, err := a.keep(ctx, a.settings.modelChanged(), conversation.Notice{Level: conversation.NoticeInfo, Text: text})
	if err != nil {
		a.updates.Put(Failed{Err: AsError(err)})
	}
}

// askTime is how long the server may take to say how large its window is.
const askTime = 2 * time.Second

// askWindow asks the server how large the window is now, and reports whether
// another size is in force afterwards.
func (a *Agent) askWindow(ctx context.Context) bool {
	if a.opts.AskWindow == nil || ctx.Err() != nil {
		return false
	}
	m := a.settings.model
	if rank(m.Window.Source) < rank(compact.WindowServer) {
		return false // the user says it
	}
	ask, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	w := beside(ctx, a, func() compact.Window { return a.opts.AskWindow(ask, m) })
	if a.settings.model.Name() != m.Name() {
		return true // the user switched meanwhile
	}
	had := a.settings.model.Window.Tokens
	return a.setWindow(w) && w.Tokens != had
}

// grown is the error for which a request is held back, nil if the server says now
// that its window is larger.
func (a *Agent) grown(ctx context.Context, err error) error {
	had := a.settings.model.Window
	if overflow(err) == nil || !told(had) || !a.askWindow(ctx) {
		return err
	}
	if w := a.settings.model.Window; w.Known() && w.Tokens <= had.Tokens {
		return err
	}
	return a.compactor.ready(ctx)
}

// checkWindow asks the server anew where a reply puts the window in doubt, before
// the reply is judged by it.
func (a *Agent) checkWindow(ctx context.Context, r request, ans answer) {
	u, ok := a.report(r, ans.reply)
	if ans.err != nil || !ok {
		return
	}
	had := a.settings.model.Window
	above := told(had) && u.Prompt > had.Tokens && had != a.memory.cuts.lowered
	short := a.short(r, ans.reply) && !a.memory.askedShort[r.model.Name()]
	if short {
		a.memory.askedShort[r.model.Name()] = true
	}
	if !above && !short && !ans.gone {
		return
	}
	a.askWindow(ctx)
	have := a.settings.model.Window
	if !above || r.model.Name() != a.settings.model.Name() || have.Tokens >= u.Prompt || !told(have) {
		return
	}
	a.forgetWindow()
	a.useWindow(compact.Window{Source: compact.WindowUnknown})
	a.note(ctx, fmt.Sprintf("The server counted %d tokens in a request: its window is larger than the %d that were known. How large it is becomes known with the next refusal, or give it with --window.",
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
	r := compact.NewMeter(compact.MeterOptions{Window: w}.With(compact.PresetRules(compact.PresetPlimsoll))).Reading()
	return r.LoadLine, r.HardLine
}

package tui

import (
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/tui/pane"
	"plimsoll/tui/preview"
	"plimsoll/tui/review"
)

// A compaction can be looked at before it is made: what it would do in numbers, and
// how the gauge would move. Every change of range or profile asks again; numbers are
// estimates. What nothing can be done with is said where the numbers would stand.

type previewView struct {
	*preview.Model
	asked int // how many requests have no numbers yet
	shown preview.Content
}

// previewAny shows what a compaction by the default profile would do.
func (v *views) previewAny() pane.Action {
	usual := edit.NewRequest()
	usual.Evicts = true
	return v.openPreview(usual)
}

// openPreview shows what a compaction would do.
func (v *views) openPreview(w edit.Request) pane.Action {
	if why := v.session.uncompactable(); why != "" {
		return refuse(why)
	}
	if one, open := v.top().(*previewView); open {
		v.ask(one, w)
		return nil
	}
	keys := v.env.Keys.Preview
	one := &previewView{Model: preview.New(preview.Options{Styles: v.look.preview(), Keys: &keys, Gauges: v.gauges})}
	one.shown = v.previewContent(updates.Previewed{Err: errNoNumbersYet}, w)
	shown := v.open(one)
	v.ask(one, w)
	return shown
}

// errNoNumbersYet stands where the first numbers will.
var errNoNumbersYet = &llm.Error{Class: llm.BadRequest, Message: "still calculating; try again in a moment"}

// ask has the numbers of a request worked out.
func (v *views) ask(one *previewView, w edit.Request) {
	one.asked++
	v.previews = append(v.previews, one)
	one.shown.Request, one.shown.Busy = w, true
	one.Show(one.shown)
	v.session.Session.Preview(w)
}

// showPreview gives the numbers of a request to the view that asked for them; those of
// a request that was changed since only count as answered. Answers come in the order of
// the questions, also when the view was closed meanwhile.
func (v *views) showPreview(u updates.Previewed) {
	if len(v.previews) == 0 {
		return
	}
	one := v.previews[0]
	v.previews = v.previews[1:]
	if one.asked--; one.asked > 0 {
		return
	}
	one.shown = v.previewContent(u, one.shown.Request)
	one.Show(one.shown)
}

// previewContent is the answer to a request as the view shows it.
func (v *views) previewContent(u updates.Previewed, w edit.Request) preview.Content {
	s := v.session
	c := preview.Content{
		Request: w, Preview: u.Preview, Now: u.Now, Then: u.Then, CostNow: u.CostNow, PaysAfter: u.PaysAfter,
		Profile: s.Profile, KeepLast: s.KeepLast, Turns: s.outline.Turns(), Model: s.Model.Name(),
		BreakTurn: s.outline.TurnOf(u.Preview.BreakAt),
	}
	for _, p := range s.Profiles {
		c.Profiles = append(c.Profiles, preview.Profile{Name: p.Name, Note: p.Note, Summarises: p.Summarises})
	}
	if u.Err != nil {
		c.Err, c.Now = u.Err.Message, s.load.meter.Reading()
	}
	return c
}

func (p *previewView) hasGaugeLine() bool    { return false }
func (p *previewView) restyle(l themeStyles) { p.SetStyles(l.preview()) }
func (p *previewView) renew(*views)          {} // numbers are those of the moment it was asked

func (p *previewView) act(v *views, a pane.Action) pane.Action {
	switch a := a.(type) {
	case preview.Changed:
		v.ask(p, a.Request)
		return nil
	case preview.Accepted:
		v.remove(p)
		v.session.Session.Compact(a.Request)
		return v.session.later("compacts")
	}
	return a
}

// A summary that waits for the user. It opens only when it is asked for, as its user
// may be writing: the status line says that it waits, and how to open it. What was
// changed in it stays while it waits, also when the view is closed.

type reviewView struct{ *review.Model }

// openReview opens the summary that waits.
func (v *views) openReview() pane.Action {
	if v.session.review.summary == nil {
		return refuse("no summary is pending; /compact --review lets you read one before it is applied")
	}
	if v.reviewing() {
		return nil
	}
	if v.review == nil {
		keys := v.env.Keys.Review
		v.review = &reviewView{Model: review.New(review.Options{Styles: v.look.review(), Keys: &keys, Estimate: v.session.load.estimateText})}
	}
	v.remove(v.review)
	shown := v.open(v.review)
	v.review.Show(v.reviewContent())
	return shown
}

// closeReview closes the view: no summary waits any more.
func (v *views) closeReview() {
	if one := v.review; one != nil {
		v.review = nil
		v.remove(one)
		v.resize()
	}
}

// reviewContent is the summary that waits.
func (v *views) reviewContent() review.Content {
	u := v.session.review.summary
	return review.Content{Text: u.Text, Appendix: u.Appendix, FromTurn: u.FromTurn, ToTurn: u.ToTurn, Covers: u.Covers,
		Tokens: v.session.load.estimateText(u.Text), Model: v.session.Model.Name(), Focus: u.Request.Focus, RequestWaits: u.RequestWaits}
}

func (r *reviewView) hasGaugeLine() bool    { return true }
func (r *reviewView) restyle(l themeStyles) { r.SetStyles(l.review()) }
func (r *reviewView) renew(*views)          {}

func (r *reviewView) act(v *views, a pane.Action) pane.Action {
	switch a := a.(type) {
	case review.Applied:
		v.session.acceptReview(a.Text)
	case review.Discarded:
		v.session.discardReview()
	case review.Editor:
		return v.env.openEditor(a.Text, r.SetText)
	default:
		return a
	}
	return nil
}

// reviewing reports whether the summary that waits is in sight.
func (v *views) reviewing() bool {
	_, open := v.top().(*reviewView)
	return open
}

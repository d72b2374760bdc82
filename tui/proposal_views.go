package tui

import (
	"errors"

	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/conversation"
	"plimsoll/tui/pane"
	"plimsoll/tui/preview"
	"plimsoll/tui/review"
)

// The preview shows in numbers and in the gauge what a compaction would do. The numbers are
// estimates. Every change of range or profile requests new ones from the agent. If the
// compaction is impossible, the preview shows the reason instead of numbers.

type previewView struct {
	*preview.Model
	pending int // requests for numbers that are not answered yet
	shown   preview.Content
}

func (v *views) previewDefault() pane.Action {
	request := edit.NewRequest()
	request.Evicts = true
	return v.openPreview(request)
}

func (v *views) openPreview(request edit.Request) pane.Action {
	if why := v.session.whyNotCompactable(); why != "" {
		return refusal(why)
	}
	if view, open := v.topView().(*previewView); open {
		v.requestPreview(view, request)
		return nil
	}
	view := &previewView{Model: preview.New(&v.env.Keys.Preview, v.drawGauges)}
	view.shown = v.previewContent(updates.Previewed{Err: errNoNumbersYet}, request)
	shown := v.open(view)
	v.requestPreview(view, request)
	return shown
}

// errNoNumbersYet is shown until the first numbers arrive.
var errNoNumbersYet = &llm.Error{Class: llm.BadRequest, Message: "still calculating; try again in a moment"}

// requestPreview asks the agent for the numbers of a compaction.
func (v *views) requestPreview(view *previewView, request edit.Request) {
	view.pending++
	v.previews = append(v.previews, view)
	view.shown.Request, view.shown.Busy = request, true
	view.Show(view.shown)
	v.session.Session.Preview(request)
}

// showPreview passes numbers to the view that requested them, unless the view has a newer
// request. Numbers arrive in the order of the requests, and may arrive after the view was closed.
func (v *views) showPreview(u updates.Previewed) {
	if len(v.previews) == 0 {
		return
	}
	view := v.previews[0]
	v.previews = v.previews[1:]
	if view.pending--; view.pending > 0 {
		return
	}
	view.shown = v.previewContent(u, view.shown.Request)
	view.Show(view.shown)
}

func (v *views) previewContent(u updates.Previewed, request edit.Request) preview.Content {
	s := v.session
	c := preview.Content{
		Request: request, Preview: u.Preview, Now: u.Now, Then: u.Then, CostNow: u.CostNow, PaysAfter: u.PaysAfter,
		Profiles: s.Profiles, Profile: s.Profile, KeepLast: s.KeepLast, Turns: s.log.turns(), Model: s.Model.Name(),
	}
	if i := conversation.IndexOf(s.log, u.Preview.BreakAt); i >= 0 {
		c.BreakTurn = s.log[i].Turn
	}
	if u.Err != nil {
		if c.Err, c.Now = refusalText(u.Err), s.load.meter.Reading(); errors.Is(u.Err, edit.ErrNothingToGain) {
			c.Err = preview.NoGain
		}
	}
	return c
}

func (p *previewView) restyle(ts themeStyles) { p.SetStyles(ts.styles) }
func (p *previewView) refresh(*views)         {} // its numbers change only with its request

func (p *previewView) handleAction(v *views, a pane.Action) pane.Action {
	switch a := a.(type) {
	case preview.Changed:
		v.requestPreview(p, a.Request)
		return nil
	case preview.Accepted:
		v.remove(p)
		v.session.Session.Compact(a.Request)
		return v.session.delayedSnackbar("compacts")
	}
	return a
}

// The review lets the user read and edit a summary before it is applied. It opens only on
// request, because the user may be typing: the status line says that a summary waits, and how
// to open it. The user's edits survive closing the view.

type reviewView struct{ *review.Model }

func (v *views) openReview() pane.Action {
	if v.session.review.summary == nil {
		return refusal("no summary is pending; /compact --review lets you read one before it is applied")
	}
	if v.isReviewVisible() {
		return nil
	}
	if v.review == nil {
		v.review = &reviewView{Model: review.New(&v.env.Keys.Review, v.session.load.estimateText)}
	}
	v.remove(v.review)
	shown := v.open(v.review)
	v.review.Show(v.reviewContent())
	return shown
}

// closeReview closes the view after its summary was accepted or discarded.
func (v *views) closeReview() {
	if view := v.review; view != nil {
		v.review = nil
		v.remove(view)
		v.resize()
	}
}

// reviewContent converts the pending summary for the view.
func (v *views) reviewContent() review.Content {
	u := v.session.review.summary
	return review.Content{Text: u.Text, Appendix: u.Appendix, FromTurn: u.FromTurn, ToTurn: u.ToTurn, Covers: u.Covers,
		Tokens: v.session.load.estimateText(u.Text), Model: v.session.Model.Name(), Focus: u.Request.Focus, RequestWaits: u.RequestWaits}
}

func (r *reviewView) restyle(ts themeStyles) { r.SetStyles(ts.pane()) }
func (r *reviewView) refresh(*views)         {}

func (r *reviewView) handleAction(v *views, a pane.Action) pane.Action {
	switch a := a.(type) {
	case review.Applied:
		v.session.review.acceptedText = a.Text
		v.session.Session.Review(a.Text, true)
	case review.Discarded:
		v.session.review.acceptedText = ""
		v.session.Session.Review("", false)
	case review.Editor:
		return v.env.openEditor(a.Text, r.SetText)
	default:
		return a
	}
	return nil
}

func (v *views) isReviewVisible() bool {
	_, open := v.topView().(*reviewView)
	return open
}

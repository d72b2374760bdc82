package tui

import (
	tea "charm.land/bubbletea/v2"

	"plimsoll/tui/pane"
	"plimsoll/tui/review"
)

// A summary that waits for the user. It opens only when it is asked for, as its user
// may be writing: the status line says that it waits, and how to open it. What was
// changed in it stays while it waits, also when the view is closed.

type reviewView struct{ *review.Model }

// summaryEditedMsg brings a summary back from the user's editor.
type summaryEditedMsg struct {
	view *reviewView
	text string
	err  error
}

// openReview opens the summary that waits.
func (v *views) openReview() pane.Action {
	if v.session.review.summary == nil {
		return refuse("no summary waits for you; /compact --review lets you read one before it takes effect")
	}
	if v.reviewing() {
		return nil
	}
	if v.review == nil {
		keys := v.env.Keys.Review
		v.review = &reviewView{Model: review.New(review.Options{Styles: v.look.review(), Keys: &keys, Estimate: v.session.estimateText})}
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
		Tokens: v.session.estimateText(u.Text), Model: v.session.Model.Name(), Focus: u.Wish.Focus, Held: u.Held}
}

func (r *reviewView) gauged() bool   { return true }
func (r *reviewView) restyle(l look) { r.SetStyles(l.review()) }
func (r *reviewView) renew(*views)   {}

func (r *reviewView) act(v *views, a pane.Action) pane.Action {
	switch a := a.(type) {
	case review.Taken:
		v.session.acceptReview(a.Text)
	case review.GivenUp:
		v.session.discardReview()
	case review.Editor:
		return v.env.openEditor(a.Text, func(text string, err error) tea.Msg { return summaryEditedMsg{r, text, err} })
	default:
		return a
	}
	return nil
}

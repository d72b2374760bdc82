package tools

import (
	"context"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/words"
)

// A review changes nothing. A call that cannot succeed (a wrong argument, text
// to replace that is not there) is not worth a question: it needs nothing, and
// Run gives the error.

// maxReviewDiff is how much of a diff the user is shown, in bytes.
const maxReviewDiff = 256 << 10

// titleChars is how long the line about a call may be.
const titleChars = 200

// Review says what a call needs before it may run; see agent.Toolbox.
func (b *Box) Review(ctx context.Context, call conversation.ToolCall) (r conversation.Review) {
	defer func() {
		if recover() != nil { // what Run would report as a defect must not run unasked
			r = conversation.Review{Need: conversation.NeedApproval, Title: words.Line(call.Name, titleChars)}
		}
	}()
	t, err := b.touchOf(ctx, call)
	if err != nil {
		t.mark = foreseen
	}
	b.mu.Lock()
	b.reviewed[call.ID] = t.mark
	b.mu.Unlock()
	if err != nil {
		i, known := b.index[call.Name]
		return conversation.Review{
			Need: conversation.NeedNothing, Title: words.Line(call.Name+" "+t.title, titleChars),
			ReadOnly: !known || b.tools[i].readOnly,
		}
	}
	r = conversation.Review{ReadOnly: t.readOnly(), Title: words.Line(call.Name+" "+t.title, titleChars)}
	r.Need, r.Reason = b.permissions.judge(t)
	if r.Need == conversation.NeedApproval {
		r.Offers = b.permissions.offers(t)
		standing := b.permissions.standing()
		b.mu.Lock()
		b.asked = asked{call.ID, t, standing}
		b.mu.Unlock()
	}
	switch {
	case t.diff != nil:
		r.Diff = t.diff()
	case t.script != nil:
		r.Command = t.script.text
	case t.request != nil && t.request.beyond(r.Title):
		r.Command = t.request.text()
	}
	if t.question != "" && r.Need == conversation.NeedNothing {
		r.Need, r.Question, r.Options = conversation.NeedAnswer, t.question, t.options
	}
	return r
}

// touchOf says what a call would do. On an error the touch holds what is known.
func (b *Box) touchOf(ctx context.Context, call conversation.ToolCall) (touch, error) {
	t, args, err := b.decode(call)
	if err != nil {
		return touch{}, err
	}
	if t.touch == nil {
		return touch{tool: t.name}, nil
	}
	touched, err := t.touch(ctx, args)
	if err != nil {
		touched.title = args.Text("path")
	}
	return touched, err
}

// cutLines is text without the lines that go beyond max bytes, and a line that
// says so.
func cutLines(text string, max int) string {
	if len(text) <= max {
		return text
	}
	at := strings.LastIndexByte(text[:max], '\n') + 1
	return text[:at] + "[... " + numbers.Grouped(strings.Count(text[at:], "\n")) + " more lines ...]\n"
}

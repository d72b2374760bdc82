package tools

import (
	"context"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
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
	t, err := b.effectOf(ctx, call)
	if err != nil {
		t.Fingerprint = expectedFailure
	}
	b.mu.Lock()
	b.reviewed[call.ID] = t.Fingerprint
	b.mu.Unlock()
	if err != nil {
		i, known := b.index[call.Name]
		return conversation.Review{
			Need: conversation.NeedNothing, Title: words.Line(call.Name+" "+t.Title, titleChars),
			ReadOnly: !known || b.tools[i].readOnly,
		}
	}
	r = conversation.Review{ReadOnly: t.ReadOnly(), Title: words.Line(call.Name+" "+t.Title, titleChars)}
	r.Need, r.Reason = b.policy.Judge(t)
	if r.Need == conversation.NeedApproval {
		r.Offers = b.policy.Ask(call.ID, t)
	}
	switch {
	case t.Diff != nil:
		r.Diff = t.Diff()
	case t.Command() != "":
		r.Command = t.Command()
	case t.Request != nil && t.Request.Beyond(r.Title):
		r.Command = t.Request.Text()
	}
	if t.Question != "" && r.Need == conversation.NeedNothing {
		r.Need, r.Question, r.Options = conversation.NeedAnswer, t.Question, t.Options
	}
	return r
}

// effectOf says what a call would do. On an error the effect holds what is known.
func (b *Box) effectOf(ctx context.Context, call conversation.ToolCall) (permission.Effect, error) {
	t, args, err := b.decode(call)
	if err != nil {
		return permission.Effect{}, err
	}
	if t.effect == nil {
		return permission.Effect{Tool: t.name}, nil
	}
	found, err := t.effect(ctx, args)
	if err != nil {
		found.Title = args.Text("path")
	}
	return found, err
}

// fileEffect describes a call on a file, existing or not.
func (b *Box) fileEffect(tool string, a permission.Access, name string) (permission.Effect, error) {
	p, err := b.files.Locate(name)
	if err != nil {
		return permission.Effect{}, err
	}
	return permission.OfFile(tool, a, p), nil
}

// folderEffect describes a call on the folder of a path argument.
func (b *Box) folderEffect(tool string) func(context.Context, params.Values) (permission.Effect, error) {
	return func(_ context.Context, args params.Values) (permission.Effect, error) {
		p, err := b.folder(args)
		if err != nil {
			return permission.Effect{}, err
		}
		t := permission.OfFile(tool, permission.AccessRead, p)
		if pattern := args.Text("pattern"); pattern != "" {
			t.Title = pattern
		}
		return t, nil
	}
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

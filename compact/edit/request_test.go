package edit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/compacttest"
	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
)

func TestRequestsAreParsed(t *testing.T) {
	t.Parallel()
	three, last := edit.AtTurn(3), edit.NewRequest()
	if b, err := edit.ParseBound("last"); err != nil {
		t.Fatal(err)
	} else {
		last.From = &b
	}
	with := func(change func(*edit.Request)) edit.Request {
		w := edit.NewRequest()
		change(&w)
		return w
	}
	for text, want := range map[string]struct {
		request edit.Request
		op      edit.Op
	}{
		"":                       {with(func(w *edit.Request) { w.Evicts = true }), edit.OpCompact},
		"the names of the files": {with(func(w *edit.Request) { w.Focus = "the names of the files" }), edit.OpCompact},
		"--review":               {with(func(w *edit.Request) { w.Review = true }), edit.OpCompact},
		"--review the names":     {with(func(w *edit.Request) { w.Review, w.Focus = true, "the names" }), edit.OpCompact},
		"--profile=heavy --review --keep 1": {with(func(w *edit.Request) {
			w.Profile, w.Review, w.KeepLast = preset.ProfileHeavy, true, 1
		}), edit.OpCompact},
		"--to 3 --dry-run --review": {with(func(w *edit.Request) { w.To, w.Review = &three, true }), edit.OpPreview},
		"--from":                    {last, edit.OpCompact},
		"--from --dry-run":          {last, edit.OpPreview},
		"--undo":                    {with(func(w *edit.Request) { w.Evicts = true }), edit.OpUndo},
		"-- --review":               {with(func(w *edit.Request) { w.Focus = "--review" }), edit.OpCompact},
	} {
		w, op, err := edit.ParseRequest(text)
		if err != nil || op != want.op {
			t.Errorf("%q has the op %q, want %q (%v)", text, op, want.op, err)
		}
		if diff := cmp.Diff(want.request, w, cmp.Comparer(func(a, b edit.Bound) bool { return a == b })); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	for text, want := range map[string]string{
		"--reviews":            "the flags are --profile, --from, --to, --keep-last, --focus, --review, --dry-run, --undo, --redo",
		"--keep-last":          "--keep-last needs a value",
		"--from 1d12h":         `"1d12h" is not a valid bound`,
		"--from -x":            `"-x" is not a valid bound`,
		"--to 3 --keep-last 1": "use one of them",
	} {
		if _, _, err := edit.ParseRequest(text); !errors.Is(err, edit.ErrBadRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is refused with %v", text, err)
		}
	}
}

// A request without options does what the planner does automatically: it evicts where the
// range has nothing to compact.
func TestRequestWithoutOptionsEvictsWhereTheRangeIsEmpty(t *testing.T) {
	t.Parallel()
	two := (&compacttest.LogBuilder{}).UserTokens(10).ReplyTokens(40_000).UserTokens(10).ReplyTokens(30_000).UserTokens(10).ReplyTokens(10)
	long := (&compacttest.LogBuilder{}).UserTokens(10).ReplyTokens(30_000).UserTokens(10).ReplyTokens(30_000).UserTokens(10).ReplyTokens(10).UserTokens(10).ReplyTokens(10).UserTokens(10).ReplyTokens(10)
	for name, c := range map[string]struct {
		preset preset.Name
		log    *compacttest.LogBuilder
		change func(*edit.Request)
		err    error
	}{
		"fewer turns than stay whole": {preset.Plimsoll, two, func(*edit.Request) {}, nil},
		"no calls to strip":           {preset.Plimsoll, long, func(*edit.Request) {}, nil},
		"from a shell":                {preset.Plimsoll, two, func(w *edit.Request) { w.Evicts = false }, edit.ErrNoRange},
		"with turns to keep":          {preset.Plimsoll, two, func(w *edit.Request) { w.KeepLast = 3 }, edit.ErrNoRange},
		"with a profile":              {preset.Plimsoll, long, func(w *edit.Request) { w.Profile = preset.ProfileDefault }, edit.ErrNothingToGain},
		"rules that evict nothing":    {preset.JP, two, func(*edit.Request) {}, edit.ErrNoRange},
		"little to evict":             {preset.Plimsoll, (&compacttest.LogBuilder{}).UserTokens(10).ReplyTokens(40_000), func(*edit.Request) {}, edit.ErrNoRange},
	} {
		w, _, err := edit.ParseRequest("")
		conversationtest.Must(t, err)
		c.change(&w)
		r := preset.RulesOf(c.preset)
		m := meter.New(compacttest.Window(100_000)).WithView(projection.Project(c.log.Events()))
		proposal, err := edit.NewProposal(c.log.Events(), r, edit.Inputs{Meter: m, Now: compacttest.Noon}, w)
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", name, err, c.err)
		}
		if err != nil || c.err != nil {
			continue
		}
		p := proposal.Preview()
		if len(p.Layers) != 1 || p.Layers[0].Kind != edit.LayerNote || p.After > 50_000 {
			t.Errorf("%s: %d tokens became %d by %+v, want one note", name, p.Before, p.After, p.Layers)
		}
		if made, _ := conversation.OriginOf(proposal.Bodies(1)[0]); made.Source != conversation.SourceManual {
			t.Errorf("%s: the origin is %+v, want manual", name, made)
		}
	}
}

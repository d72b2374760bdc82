package edit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
)

func TestWishesAreReadAsTheyAreTyped(t *testing.T) {
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
		wish edit.Request
		deed edit.Op
	}{
		"":                       {edit.NewRequest(), edit.OpCompact},
		"the names of the files": {with(func(w *edit.Request) { w.Focus = "the names of the files" }), edit.OpCompact},
		"--review":               {with(func(w *edit.Request) { w.Review = true }), edit.OpCompact},
		"--review the names":     {with(func(w *edit.Request) { w.Review, w.Focus = true, "the names" }), edit.OpCompact},
		"--profile=heavy --review --keep 1": {with(func(w *edit.Request) {
			w.Profile, w.Review, w.KeepLast = preset.ProfileHeavy, true, 1
		}), edit.OpCompact},
		"--to 3 --dry-run --review": {with(func(w *edit.Request) { w.To, w.Review = &three, true }), edit.OpPreview},
		"--from":                    {last, edit.OpCompact},
		"--undo":                    {edit.NewRequest(), edit.OpUndo},
		"-- --review":               {with(func(w *edit.Request) { w.Focus = "--review" }), edit.OpCompact},
	} {
		w, deed, err := edit.ParseRequest(text)
		if err != nil || deed != want.deed {
			t.Errorf("%q is the deed %q (%v)", text, deed, err)
		}
		if diff := cmp.Diff(want.wish, w, cmp.Comparer(func(a, b edit.Bound) bool { return a == b })); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	for text, want := range map[string]string{
		"--reviews":            "the flags are --profile, --from, --to, --keep-last, --focus, --review, --dry-run, --undo, --redo",
		"--keep-last":          "--keep-last needs a value",
		"--to 3 --keep-last 1": "use one of them",
	} {
		if _, _, err := edit.ParseRequest(text); !errors.Is(err, edit.ErrBadRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is refused with %v", text, err)
		}
	}
}

func TestAReviewNeedsASummary(t *testing.T) {
	t.Parallel()
	log := read(4)
	s := edit.Inputs{Meter: meter.New(meter.Options{}).WithView(projection.Project(log))}
	for profile, want := range map[string]string{
		"":                    "", // then it is the one that summarises
		preset.ProfileLight:   "the profile light writes no summary to review; use --profile heavy",
		preset.ProfileHeavy:   "",
		preset.ProfileDefault: "writes no summary to review",
	} {
		w := edit.NewRequest()
		w.Profile, w.Review, w.KeepLast = profile, true, 1
		pass, err := edit.NewProposal(log, preset.RulesOf(preset.Plimsoll), s, w)
		if want == "" {
			if err != nil || pass.Job == nil {
				t.Errorf("%q: %v, and a summary is asked for: %t", profile, err, pass.Job != nil)
			}
			continue
		}
		if !errors.Is(err, edit.ErrBadRequest) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is refused with %v", profile, err)
		}
	}
	w := edit.NewRequest()
	w.Review, w.Focus, w.KeepLast = true, "the files", 1
	if pass, err := edit.NewProposal(log, preset.RulesOf(preset.Plimsoll), s, w); err != nil || pass.Profile != preset.ProfileHeavy {
		t.Errorf("with a focus: profile %q, %v", pass.Profile, err)
	}
}

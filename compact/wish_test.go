package compact_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact"
	"plimsoll/compact/edit"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
)

func TestWishesAreReadAsTheyAreTyped(t *testing.T) {
	t.Parallel()
	three, last := edit.AtTurn(3), edit.NewWish()
	if b, err := edit.ParseBound("last"); err != nil {
		t.Fatal(err)
	} else {
		last.From = &b
	}
	with := func(change func(*edit.Wish)) edit.Wish {
		w := edit.NewWish()
		change(&w)
		return w
	}
	for text, want := range map[string]struct {
		wish edit.Wish
		deed edit.Deed
	}{
		"":                       {edit.NewWish(), edit.DeedCompact},
		"the names of the files": {with(func(w *edit.Wish) { w.Focus = "the names of the files" }), edit.DeedCompact},
		"--review":               {with(func(w *edit.Wish) { w.Review = true }), edit.DeedCompact},
		"--review the names":     {with(func(w *edit.Wish) { w.Review, w.Focus = true, "the names" }), edit.DeedCompact},
		"--profile=heavy --review --keep 1": {with(func(w *edit.Wish) {
			w.Profile, w.Review, w.KeepLast = compact.ProfileHeavy, true, 1
		}), edit.DeedCompact},
		"--to 3 --dry-run --review": {with(func(w *edit.Wish) { w.To, w.Review = &three, true }), edit.DeedPreview},
		"--from":                    {last, edit.DeedCompact},
		"--undo":                    {edit.NewWish(), edit.DeedUndo},
		"-- --review":               {with(func(w *edit.Wish) { w.Focus = "--review" }), edit.DeedCompact},
	} {
		w, deed, err := edit.ParseWish(text)
		if err != nil || deed != want.deed {
			t.Errorf("%q is the deed %q (%v)", text, deed, err)
		}
		if diff := cmp.Diff(want.wish, w, cmp.Comparer(func(a, b edit.Bound) bool { return a == b })); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
	}
	for text, want := range map[string]string{
		"--reviews":            "the flags are --profile, --from, --to, --keep-last, --focus, --review, --dry-run, --undo, --redo",
		"--keep-last":          "--keep-last wants a value",
		"--to 3 --keep-last 1": "use one of them",
	} {
		if _, _, err := edit.ParseWish(text); !errors.Is(err, edit.ErrBadWish) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is refused with %v", text, err)
		}
	}
}

func TestAReviewNeedsASummary(t *testing.T) {
	t.Parallel()
	log := read(4)
	s := edit.Situation{Meter: compact.NewMeter(compact.MeterOptions{}).WithView(projection.Project(log))}
	for profile, want := range map[string]string{
		"":                     "", // then it is the one that summarises
		compact.ProfileLight:   "the profile light makes no summary, so there is nothing to review; use --profile heavy",
		compact.ProfileHeavy:   "",
		compact.ProfileDefault: "nothing to review",
	} {
		w := edit.NewWish()
		w.Profile, w.Review, w.KeepLast = profile, true, 1
		pass, err := edit.NewPass(log, compact.PresetRules(preset.Plimsoll), s, w)
		if want == "" {
			if err != nil || pass.Job == nil {
				t.Errorf("%q: %v, and a summary is asked for: %t", profile, err, pass.Job != nil)
			}
			continue
		}
		if !errors.Is(err, edit.ErrBadWish) || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is refused with %v", profile, err)
		}
	}
	w := edit.NewWish()
	w.Review, w.Focus, w.KeepLast = true, "the files", 1
	if pass, err := edit.NewPass(log, compact.PresetRules(preset.Plimsoll), s, w); err != nil || pass.Profile != compact.ProfileHeavy {
		t.Errorf("with a focus: profile %q, %v", pass.Profile, err)
	}
}

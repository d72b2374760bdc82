package edit_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/summary"
	"plimsoll/conversation"
)

// toSummarise is a pass over all turns but the newest that needs a summary.
func toSummarise(t *testing.T, log []conversation.Event) edit.Proposal {
	t.Helper()
	w := edit.NewRequest()
	w.Profile, w.KeepLast = preset.ProfileHeavy, 1
	s := edit.Inputs{Meter: meter.New(meter.Options{}).WithView(projection.Project(log))}
	pass, err := edit.NewProposal(log, preset.RulesOf(preset.Plimsoll), s, w)
	if err != nil {
		t.Fatal(err)
	}
	return pass
}

const asWritten = "### Goal\nThe file a.go was changed in each turn, with modify_file, and each time that worked. Nothing else was touched, and no test has been run on it so far.\n### Next step\nLook at it again when the user asks."

// written is such a pass with its summary, which took two and a half seconds.
func written(t *testing.T, log []conversation.Event) edit.Proposal {
	t.Helper()
	pass := toSummarise(t, log)
	if err := pass.Accept(summary.Answer{Text: " " + asWritten + "\n", Stop: conversation.StopEnd, Model: "test/m", Took: 2500 * time.Millisecond}); err != nil {
		t.Fatal(err)
	}
	return pass
}

func summaryIn(t *testing.T, pass edit.Proposal) conversation.Summary {
	t.Helper()
	for _, b := range pass.Bodies(99) {
		if s, ok := b.(conversation.Summary); ok {
			return s
		}
	}
	t.Fatal("there is no summary")
	return conversation.Summary{}
}

func TestTheUserMayChangeASummary(t *testing.T) {
	t.Parallel()
	pass := written(t, read(5))
	kept := summaryIn(t, pass)
	same, err := pass.WithText("\n" + asWritten + "  ")
	if err != nil || same.Edited() {
		t.Fatalf("the same text is an edit: %t, %v", same.Edited(), err)
	}
	if diff := cmp.Diff(kept, summaryIn(t, same)); diff != "" {
		t.Error(diff)
	}
	changed, err := pass.WithText("Only a.go matters.\x00 " + asWritten)
	if err != nil || !changed.Edited() {
		t.Fatalf("edited: %t, %v", changed.Edited(), err)
	}
	want := kept
	want.Text, want.Edited = "Only a.go matters.\u2400 "+asWritten, true
	got := summaryIn(t, changed)
	want.Made = got.Made
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got.Made.After <= kept.Made.After || got.Made.Before != kept.Made.Before {
		t.Errorf("the longer text makes it %d -> %d, the one that was written %d -> %d", got.Made.Before, got.Made.After, kept.Made.Before, kept.Made.After)
	}
	back, err := changed.WithText(asWritten)
	if err != nil || summaryIn(t, back).Text != asWritten {
		t.Errorf("changed back: %v", err)
	}
	if diff := cmp.Diff(kept, summaryIn(t, pass)); diff != "" || pass.Edited() {
		t.Errorf("the pass itself was changed: %s", diff)
	}
}

func TestTheUsersTextHasToCountByItsLength(t *testing.T) {
	t.Parallel()
	pass := written(t, read(12))
	for name, c := range map[string]struct {
		text string
		want error
	}{
		"nothing":     {" \n\t", summary.ErrEmpty},
		"dashes":      {"-- --", summary.ErrEmpty},
		"a few words": {"it went well", summary.ErrShort},
		"too much":    {strings.Repeat("words ", 40_000), summary.ErrLong},
	} {
		if _, err := pass.WithText(c.text); !errors.Is(err, c.want) || !errors.Is(err, summary.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
		if s := summaryIn(t, pass); s.Text != asWritten || s.Edited {
			t.Errorf("%s: the pass has now %q", name, s.Text)
		}
	}
	// What a model may do wrong is not asked of a user.
	if _, err := pass.WithText("I'm sorry, " + strings.Repeat("but this is what I want to be kept of it. ", 6)); err != nil {
		t.Error(err)
	}
}

func TestWhatIsWrittenCanBeReadBeforeItTakesEffect(t *testing.T) {
	t.Parallel()
	log := read(5)
	pass := toSummarise(t, log)
	if w, ok := pass.Written(); ok {
		t.Errorf("before it is there it is %+v", w)
	}
	if _, err := pass.WithText("a text"); !errors.Is(err, summary.ErrRefused) {
		t.Errorf("before it is there a text is refused with %v", err)
	}
	covers := pass.Preview().Summary.Covers
	pass = written(t, log)
	want := edit.Written{Text: asWritten, Appendix: summaryIn(t, pass).Appendix, Covers: covers}
	got, ok := pass.Written()
	if diff := cmp.Diff(want, got); diff != "" || !ok || want.Appendix == "" {
		t.Errorf("it is there: %t; %s", ok, diff)
	}
}

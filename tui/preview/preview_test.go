package preview_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/edit"
	"plimsoll/compact/meter"
	"plimsoll/compact/preset"
	"plimsoll/tui/pane"
	"plimsoll/tui/preview"
	"plimsoll/tui/tuitest"
)

// hostile is text that a model or a paste may contain.
const hostile = "the \x1b]52;c;aGk=\x07 port \u202egpj.exe\u202c 漢字"

// gauge is a simple replacement for the gauge: the tokens, and a bar as long as their share of the width.
func gauge(r meter.Reading, width int) string {
	text := fmt.Sprintf("[%d of %d]", r.Used, r.Window.Tokens)
	full := 0
	if r.Window.Tokens > 0 {
		full = max(0, min(width, r.Used*width/r.Window.Tokens)-len(text))
	}
	return text + strings.Repeat("=", full)
}

func gauges(now, then meter.Reading, width int) (string, string) {
	return gauge(now, width), gauge(then, width)
}

func bound(text string) *edit.Bound {
	b, err := edit.ParseBound(text)
	if err != nil {
		panic(err)
	}
	return &b
}

func profiles() []preview.Profile {
	return []preview.Profile{
		{Name: "default", Note: "reasoning and tool calls are reduced to a line each"},
		{Name: "heavy", Note: "a summary takes the place of the range", Summarises: true},
		{Name: "light", Note: "reasoning is left out"},
	}
}

func reading(used int) meter.Reading {
	return meter.Reading{Window: meter.Window{Tokens: 128_000}, Used: used, AfterSend: used, LoadLine: 108_800, HardLine: 121_600}
}

// masked is a preview of a compaction that needs no model.
func masked() preview.Content {
	cost, after := 0.0312, 4
	return preview.Content{
		Request: edit.NewRequest(),
		Preview: edit.Preview{Profile: "default", Range: edit.Range{From: 0, To: 8}, Before: 91_200, After: 34_100, BreakAt: 5, Rewritten: 31_000,
			Layers: []edit.Layer{{Kind: "arguments", Events: 7, Saved: 4_100}, {Kind: "results", Events: 12, Saved: 53_000}}},
		Now: reading(91_200), Then: reading(34_100), CostNow: &cost, PaysAfter: &after,
		Profiles: profiles(), Profile: "default", KeepLast: 3, Turns: 12, Model: "openai/gpt-5.6-luna", BreakTurn: 1,
	}
}

func summarised() preview.Content {
	c := masked()
	c.Request.Profile, c.Request.Focus, c.Request.Review = "heavy", hostile, true
	c.Preview.Profile = "heavy"
	c.Preview.Layers = []edit.Layer{{Kind: "summary", Events: 58, Saved: 57_100}}
	c.Preview.Summary = &edit.SummaryNeed{Input: preset.InputView, Covers: 66_000, Estimate: 8_900}
	c.CostNow, c.PaysAfter = nil, nil
	return c
}

func show(c preview.Content, width, height int) *preview.Model {
	keys := preview.DefaultKeyMap()
	m := preview.New(&keys, gauges)
	m.SetSize(width, height)
	m.Show(c)
	return m
}

// press sends keys, separated by spaces, and returns the last action.
func press(m *preview.Model, keys string) pane.Action {
	return tuitest.Press(m.Update, strings.Fields(keys)...)
}

func changed(change func(*edit.Request)) edit.Request {
	w := edit.NewRequest()
	change(&w)
	return w
}

func TestKeysChangeTheRequest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		keys string
		want edit.Request
	}{
		{"]", changed(func(w *edit.Request) { w.To = bound("9") })},
		{"] ] ]", changed(func(w *edit.Request) { w.To = bound("11") })},
		{"[", changed(func(w *edit.Request) { w.To = bound("7") })},
		{"[ [ [ [ [ [ [ [", changed(func(w *edit.Request) { w.To = bound("0") })},
		{"}", changed(func(w *edit.Request) { w.From = bound("1") })},
		{"} } } {", changed(func(w *edit.Request) { w.From = bound("2") })},
		{"} {", changed(func(w *edit.Request) {})},
		{"right", changed(func(w *edit.Request) { w.Profile = "heavy" })},
		{"tab right", changed(func(w *edit.Request) { w.Profile = "light" })},
		{"tab tab tab", changed(func(w *edit.Request) { w.Profile = "default" })},
		{"left", changed(func(w *edit.Request) { w.Profile = "light" })},
		{"tab v", changed(func(w *edit.Request) { w.Profile, w.Review = "heavy", true })},
		{"tab v v", changed(func(w *edit.Request) { w.Profile = "heavy" })},
		{"tab v tab", changed(func(w *edit.Request) { w.Profile = "light" })},
		{"tab v tab shift+tab", changed(func(w *edit.Request) { w.Profile, w.Review = "heavy", true })},
	} {
		got := press(show(masked(), 80, 24), c.keys)
		if diff := cmp.Diff(pane.Action(preview.Changed{Request: c.want}), got, cmp.AllowUnexported(edit.Bound{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.keys, diff)
		}
	}
}

func TestOnlyTheShownRequestIsAccepted(t *testing.T) {
	t.Parallel()
	m := show(masked(), 80, 24)
	changed, ok := press(m, "]").(preview.Changed)
	if !ok {
		t.Fatal("the range did not change")
	}
	if snackbar, ok := press(m, "enter").(pane.Snackbar); !ok || !snackbar.Failure {
		t.Error("a request was accepted before its numbers were shown")
	}
	if !strings.Contains(m.View(), "before the change") {
		t.Errorf("the old numbers are not marked:\n%s", m.View())
	}
	m.Show(masked()) // the numbers of the request before
	if snackbar, ok := press(m, "enter").(pane.Snackbar); !ok || !snackbar.Failure {
		t.Error("a request was accepted with the numbers of another")
	}
	c := masked()
	c.Request, c.Preview.Range.To = changed.Request, 9
	m.Show(c)
	if diff := cmp.Diff(pane.Action(preview.Accepted(changed)), press(m, "enter"), cmp.AllowUnexported(edit.Bound{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnImpossibleRequestShowsTheReason(t *testing.T) {
	t.Parallel()
	c := masked()
	c.Err = "nothing to compact: nothing is older than the 3 newest turns, which are left out"
	c.Preview, c.Then, c.Turns = edit.Preview{}, meter.Reading{}, 3
	m := show(c, 80, 24)
	if diff := cmp.Diff(pane.Action(pane.Snackbar{Text: c.Err, Failure: true}), press(m, "enter")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	view := strings.Join(strings.Fields(m.View()), " ")
	for _, want := range []string{"nothing is older than"} {
		if !strings.Contains(view, want) {
			t.Errorf("%q is not shown:\n%s", want, m.View())
		}
	}
	if strings.Contains(m.View(), "enter compact") {
		t.Errorf("a key is named that does nothing here:\n%s", m.View())
	}
	if strings.Contains(m.View(), "saved") {
		t.Errorf("numbers are shown of an impossible request:\n%s", m.View())
	}
	if _, ok := press(m, "]").(preview.Changed); !ok {
		t.Error("the range cannot be changed any more")
	}
	if snackbar, ok := press(show(masked(), 80, 24), "v").(pane.Snackbar); !ok || !snackbar.Failure || !strings.Contains(snackbar.Text, "default writes no summary") {
		t.Errorf("v on a profile without a summary: %+v", snackbar)
	}
}

func TestClosing(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]pane.Action{
		"esc": pane.Closed{}, "q": pane.Closed{}, "?": nil, "? esc": nil, "? esc esc": pane.Closed{}, "ctrl+c": pane.Ignored{},
	} {
		if diff := cmp.Diff(want, press(show(masked(), 80, 24), keys), cmp.AllowUnexported(edit.Bound{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", keys, diff)
		}
	}
}

// A compaction breaks the cached prefix, so the cached share of the last request is not valid for the next.
func TestTheGaugeAfterwardsHasNoCachedShare(t *testing.T) {
	t.Parallel()
	keys, c := preview.DefaultKeyMap(), masked()
	c.Now.CachedShare, c.Then.CachedShare = 0.99, 0.99
	var shares []float64
	m := preview.New(&keys, func(now, then meter.Reading, width int) (string, string) {
		shares = []float64{now.CachedShare, then.CachedShare}
		return gauges(now, then, width)
	})
	m.SetSize(80, 24)
	m.Show(c)
	m.View()
	if diff := cmp.Diff([]float64{0.99, -1}, shares); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

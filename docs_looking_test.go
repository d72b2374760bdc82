// docs/looking.md shows what the full-screen views show. Rules:
//
//   - Screens are drawn by the views themselves, all of one conversation (voyage): go test . -update writes them.
//   - What is told of badges and of verdicts stands in the document in the words of the screen.

package main_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent/llm"
	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/compact/meter"
	"plimsoll/compact/planner"
	"plimsoll/compact/preset"
	"plimsoll/compact/projection"
	"plimsoll/compact/promptcache"
	"plimsoll/conversation"
	"plimsoll/tui/account"
	"plimsoll/tui/gauge"
	"plimsoll/tui/history"
	"plimsoll/tui/ledger"
	"plimsoll/tui/preview"
	"plimsoll/tui/review"
)

const lookingPage = "docs/looking.md"

func TestDocumentsShowTheViews(t *testing.T) {
	t.Parallel()
	// One after the other: each of them may write the document.
	v := newVoyage(t)
	checkTable(t, lookingPage, "context view", fenced(v.context()))
	checkTable(t, lookingPage, "history", fenced(v.history()))
	checkTable(t, lookingPage, "ledger", fenced(v.ledger()))
	checkTable(t, lookingPage, "preview", fenced(v.preview()))
	checkTable(t, lookingPage, "review", fenced(v.review()))
}

// Cells of a screen in the document.
const screenWidth = 100

// screen is what a view shows, without colours and without the ends of its lines.
func screen(view string) string {
	var b strings.Builder
	for l := range strings.SplitSeq(ansi.Strip(view), "\n") {
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	return b.String()
}

// title is what the screens call the conversation.
const title = "TestUpload fails on CI"

func (v *voyage) context() string {
	log, m := v.log.Events(), v.meter()
	check := planner.Check{Moment: planner.MomentTurn, Log: log, View: m.View(), Meter: m, Sheet: planner.DefaultSheet(), Past: planner.PastOf(log)}
	a := inspect.NewBreakdown(preset.RulesOf(preset.Plimsoll), check, nil)
	a.Kept = promptcache.Kept{Lives: check.Sheet.Lives()}
	view := account.New(account.Options{})
	view.SetSize(screenWidth, 66)
	view.Show(account.Content{Account: a, Reading: m.Reading(), Title: title, Model: v.model.Name(), Priced: "2026-10-01"})
	return screen(view.View())
}

// browser is the history of the conversation, at an event.
func (v *voyage) browser(event uint64, height int) *history.Model {
	view := history.New(history.Options{Styles: history.DefaultStyles()})
	view.SetSize(screenWidth, height)
	log := v.log.Events()
	projected := projection.Project(log)
	used := meter.New(meter.Options{Calibration: conversation.Calibration{Factor: 1.04, Samples: 7}}).WithView(projected).Reading().Used
	view.Show(history.Content{Log: log, View: projected, Requests: inspect.Requests(log), Factor: 1.04, Used: used, Title: title})
	view.Jump(event, "")
	return view
}

func (v *voyage) history() string { return screen(v.browser(saidFirst, 56).View()) }

func (v *voyage) ledger() string {
	view := ledger.New(ledger.Options{})
	view.SetSize(screenWidth, 20)
	view.Show(ledger.Content{Entries: inspect.Ledger(v.log.Events()), Title: title})
	for range 3 {
		view.Update(tea.KeyPressMsg{Code: tea.KeyDown})
	}
	view.Update(tea.KeyPressMsg{Code: tea.KeyEnter})
	return screen(view.View())
}

func (v *voyage) preview() string {
	gauges := gauge.New(gauge.DefaultStyles())
	keys := preview.DefaultKeyMap()
	view := preview.New(preview.Options{Keys: &keys, Gauges: gauges.Pair})
	view.SetSize(screenWidth, 20)
	pass := v.pass(preset.ProfileDefault, 1)
	p := pass.Preview()
	now, pays := llm.PriceOf(p, price)
	view.Show(preview.Content{
		Wish: edit.NewRequest(), Preview: p, Now: v.meter().Reading(), Then: pass.Then(), Profile: preset.ProfileDefault, KeepLast: 1, Turns: 5,
		Profiles: []preview.Profile{{Name: "default", Note: "shortens reasoning, arguments and results"}, {Name: "heavy", Note: "the model writes a summary", Summarises: true}},
		Model:    v.model.Name(), CostNow: now, PaysAfter: pays, BreakTurn: v.log.Events()[p.BreakAt-1].Turn,
	})
	return screen(view.View())
}

func (v *voyage) review() string {
	keys := review.DefaultKeyMap()
	view := review.New(review.Options{Keys: &keys, Estimate: func(text string) int { return int(meter.Estimate(conversation.Measure(text))) }})
	view.SetSize(screenWidth, 26)
	view.Show(review.Content{Text: v.written.Text, Appendix: v.written.Appendix, FromTurn: 0, ToTurn: 0, Covers: v.written.Covers, Model: v.model.Name()})
	return screen(view.View())
}

func TestDocumentsTellWhatBadgesAndVerdictsMean(t *testing.T) {
	t.Parallel()
	text := strings.Join(strings.Fields(read(t, lookingPage)), " ")
	badges := []string{"undone"}
	for state := range history.DefaultStyles().Badges {
		badges = append(badges, state.Word())
	}
	if len(badges) != 7 {
		t.Errorf("there are the badges %q: does %s tell of all that the model can be shown?", badges, lookingPage)
	}
	for _, badge := range badges {
		if !strings.Contains(text, "| `"+badge+"` | ") {
			t.Errorf("%s does not say what %q means", lookingPage, badge)
		}
	}
	for _, words := range []string{"byte for byte as sent", "not verified", "it cannot be rebuilt"} {
		if !strings.Contains(text, `"`+words+`"`) || !slices.ContainsFunc(texts(t), func(s string) bool { return strings.Contains(s, words) }) {
			t.Errorf("%s or the program does not say %q", lookingPage, words)
		}
	}
}

func TestDocumentsNameActionsThatExist(t *testing.T) {
	t.Parallel()
	tables, found := read(t, "docs/keys.md"), 0
	for _, m := range regexp.MustCompile("`((?:context|history|ledger|preview|review|search)_[a-z_]+)`").FindAllStringSubmatch(read(t, lookingPage), -1) {
		found++
		if !strings.Contains(tables, "| `"+m[1]+"` |\n") {
			t.Errorf("%s names the action %s, which does not exist", lookingPage, m[1])
		}
	}
	if found < 8 {
		t.Errorf("only %d actions were found: this test cannot read the document", found)
	}
}

// The names of the views are those of the tables that are made from the keymaps.
func TestDocumentsListTheViewsWhoseKeysCanBeBound(t *testing.T) {
	t.Parallel()
	keys := read(t, "docs/keys.md")
	rows, found := "| view | opened by | its actions begin with |\n| --- | --- | --- |\n", 0
	for _, m := range regexp.MustCompile("(?s)\n### The ([^\n]+?): `([^`\n]+)`\n.*?\n<!-- keys: ([a-z]+): ").FindAllStringSubmatch(keys, -1) {
		found++
		rows += fmt.Sprintf("| %s | `%s` | `%s_` |\n", m[1], m[2], m[3])
	}
	if marks := strings.Count(keys, "\n<!-- keys: "); found != marks || found < 6 {
		t.Fatalf("%d of the %d views of docs/keys.md were found", found, marks)
	}
	checkTable(t, "docs/configuration.md", "views", rows)
}

package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"

	"plimsoll/compact/edit"
	"plimsoll/compact/inspect"
	"plimsoll/conversation"
	"plimsoll/themes"
	"plimsoll/tui/ledger"
	"plimsoll/tui/pane"
	"plimsoll/tui/tuitest"
)

func usd(v float64) *float64 { return &v }

// styles are those of a theme, as the screen makes them.
func styles(name string) ledger.Styles {
	s, frames := tuitest.Styles(name)
	return ledger.Styles{
		Styles:  frames,
		Results: map[inspect.EntryResult]lipgloss.Style{inspect.ResultInForce: s.Tool.OK, inspect.ResultFailed: s.Text.Error},
	}
}

// clock is a time on one of two days.
func clock(day, hour, minute int) time.Time {
	return time.Date(2026, time.March, day, hour, minute, 0, 0, time.UTC)
}

// busy is a ledger with an entry of each kind, hostile and wide texts among them.
func busy() ledger.Content {
	auto := inspect.Entry{Source: conversation.SourceAuto, Trigger: "load line", Preset: "plimsoll"}
	entry := func(e inspect.Entry, kind inspect.EntryKind, event uint64, at time.Time, result inspect.EntryResult) inspect.Entry {
		e.Kind, e.Event, e.Time, e.Result, e.Turn = kind, event, at, result, int(event)/6
		return e
	}
	hand := inspect.Entry{Source: conversation.SourceManual, Trigger: "command", Preset: "plimsoll"}

	first := entry(auto, inspect.EntryEpoch, 40, clock(3, 9, 12), inspect.ResultUndone)
	first.Why, first.Before, first.After, first.Overlays = "turns 0–5, 12 results masked", 108_950, 61_300, 1

	undo := entry(hand, inspect.EntryUndo, 41, clock(3, 9, 14), inspect.ResultInForce)
	undo.About, undo.Overlays, undo.Why, undo.Before, undo.After = 40, 1, "undone: turns 0–5, 12 results masked", 61_300, 108_950

	failed := entry(auto, inspect.EntryAttempt, 52, clock(3, 9, 40), inspect.ResultFailed)
	failed.Why = "the summary was refused: \x1b[2J\x1b]52;c;aGk=\x07it was longer than 40 % of what it covers \u202e(要約が長すぎる)"
	failed.Model, failed.Before, failed.CostUSD, failed.Prompt, failed.Output, failed.Duration = "openai/gpt-5.6-luna", 112_000, usd(0.021), 96_400, 20_000, 48*time.Second

	stale := entry(auto, inspect.EntryAttempt, 58, clock(3, 10, 2), inspect.ResultStale)
	stale.Why, stale.Model, stale.Before, stale.Prompt, stale.Duration = "the conversation was compacted by hand meanwhile", "custom/llama", 113_400, 97_000, 12_300*time.Millisecond

	second := entry(hand, inspect.EntryEpoch, 60, clock(3, 10, 2), inspect.ResultInForce)
	second.Profile, second.Why, second.Before, second.After, second.Overlays = "heavy", "turns 0–6, 12 results masked, 1 summary", 113_400, 34_100, 3
	second.Model, second.CostUSD, second.Prompt, second.Output, second.Duration = "openai/gpt-5.6-luna", usd(0.0312), 97_200, 1_870, 14_200*time.Millisecond

	pin := entry(hand, inspect.EntryPin, 63, clock(4, 8, 1), inspect.ResultInForce)
	pin.Trigger, pin.Why, pin.Overlays = "pin", "请修复上传测试，它在 CI 上偶尔失败", 1

	back := entry(hand, inspect.EntryRewind, 80, clock(4, 8, 30), inspect.ResultInForce)
	back.Trigger, back.Why, back.Overlays = "rewind", "from turn 11 on", 1

	tool := entry(auto, inspect.EntryEpoch, 92, clock(4, 8, 55), inspect.ResultInForce)
	tool.Source, tool.Trigger, tool.Why, tool.Before, tool.After, tool.Overlays = conversation.SourceTool, "compact tool", "turns 7–12, 3 results masked", 58_000, 49_900, 1

	return ledger.Content{
		Entries: []inspect.Entry{first, undo, failed, stale, second, pin, back, tool},
		Title:   "Fix flaky upload test \x1b[31m修复", Zone: time.FixedZone("", 3600),
	}
}

func open(c ledger.Content, theme string, width, height int) *ledger.Model {
	m := ledger.New(ledger.Options{Styles: styles(theme)})
	m.SetSize(width, height)
	m.Show(c)
	return m
}

func lines(m *ledger.Model) string { return tuitest.Fence(m.View()) }

func TestViews(t *testing.T) {
	t.Parallel()
	scenes := []struct {
		name    string
		content ledger.Content
		keys    []string
	}{
		{"folded", busy(), nil},
		{"a compaction unfolded", busy(), []string{"down", "down", "down", "enter"}},
		{"a failed attempt unfolded", busy(), []string{"end", "up", "up", "enter"}},
		{"keys", busy(), []string{"?"}},
		{"empty", ledger.Content{Title: "New conversation"}, nil},
	}
	tuitest.Golden(t, [][2]int{{20, 6}, {40, 12}, {80, 24}, {120, 40}, {200, 60}}, func(t *testing.T, b *strings.Builder, width, height int) {
		for _, s := range scenes {
			m := open(s.content, "mono", width, height)
			for _, k := range s.keys {
				m.Update(tuitest.Key(k))
			}
			fmt.Fprintf(b, "%s\n%s\n", s.name, lines(m))
		}
	})
}

func TestColours(t *testing.T) {
	t.Parallel()
	for _, theme := range []string{themes.PlimsollDark, themes.PlimsollLight, themes.Mono} {
		t.Run(theme, func(t *testing.T) {
			t.Parallel()
			golden.RequireEqual(t, open(busy(), theme, 80, 24).View())
		})
	}
}

func TestKeysThatChangeAreNamedOnlyWhereTheyDo(t *testing.T) {
	t.Parallel()
	for _, locked := range []bool{false, true} {
		c := busy()
		c.ReadOnly = locked
		m := open(c, "mono", 120, 24)
		for _, key := range []string{"u undo", "c preview a compaction"} {
			if got := strings.Contains(lines(m), key); got == locked {
				t.Errorf("read only %v: %q is named: %v", locked, key, got)
			}
		}
	}
}

func TestKeysOnEntries(t *testing.T) {
	t.Parallel()
	say := func(text string) pane.Action { return pane.Say{Text: text} }
	locked := busy()
	locked.ReadOnly = true
	shut := say("This conversation is read only.")
	undone := busy() // nothing was compacted since the undo
	undone.Entries = undone.Entries[:3]
	twice := busy()
	again := twice.Entries[6]
	again.Event, again.Why = 95, "from turn 8 on"
	twice.Entries = append(twice.Entries, again)
	last := say("Only the last undone compaction can be redone, and only until the next one.")
	for _, c := range []struct {
		content ledger.Content
		down    int // from the newest
		key     string
		want    pane.Action
	}{
		{busy(), 0, "u", pane.Undo{Epoch: 92}},
		{busy(), 0, "r", say("It is active: there is nothing to redo.")},
		{busy(), 0, "o", pane.Jump{Event: 92}},
		{busy(), 0, "c", pane.Preview{}},
		{busy(), 1, "u", say("Turns that were undone are redone with r.")},
		{busy(), 1, "r", pane.Restore{}},
		{twice, 0, "r", pane.Restore{}},
		{twice, 2, "r", say("Later turns were undone since: redo those first.")},
		{busy(), 2, "u", say("Pin and unpin messages in the history.")},
		{busy(), 2, "r", say("There is nothing to redo here.")},
		{busy(), 3, "u", pane.Undo{Epoch: 60}},
		{busy(), 4, "u", say("It failed: there is nothing to undo.")},
		{busy(), 4, "o", pane.Jump{Event: 58}},
		{busy(), 6, "u", say("Redo reverses an undo: r.")},
		{busy(), 6, "r", last},
		{busy(), 7, "u", say("It is already undone.")},
		{busy(), 7, "r", last},
		{undone, 1, "r", pane.Redo{}},
		{undone, 2, "r", pane.Redo{}},
		{undone, 0, "r", say("There is nothing to redo here.")},
		{locked, 0, "u", shut},
		{locked, 1, "r", shut},
		{locked, 0, "o", pane.Jump{Event: 92}},
		{ledger.Content{}, 0, "u", say("Nothing to undo yet.")},
		{ledger.Content{}, 0, "r", say("Nothing to redo yet.")},
		{ledger.Content{}, 0, "o", say("There is nothing to go to.")},
		{ledger.Content{}, 0, "enter", nil},
		{busy(), 0, "enter", nil},
		{busy(), 0, "q", pane.Closed{}},
		{busy(), 0, "esc", pane.Closed{}},
		{busy(), 0, "x", pane.Ignored{}},
	} {
		m := open(c.content, "mono", 90, 40)
		for range c.down {
			m.Update(tuitest.Key("down"))
		}
		if diff := cmp.Diff(c.want, m.Update(tuitest.Key(c.key))); diff != "" {
			t.Errorf("%s on entry %d:\n%s", c.key, c.down, diff)
		}
	}
}

// TestWhatCanBeBroughtBackIsWhatTheLogAllows holds the view against the rules of the
// core, on logs in which compactions are made, undone and redone at random.
func TestWhatCanBeBroughtBackIsWhatTheLogAllows(t *testing.T) {
	t.Parallel()
	offered := 0
	for seed := range uint64(150) {
		rng := rand.New(rand.NewPCG(seed, 6))
		log := []conversation.Event{{Seq: 1, Body: conversation.UserMessage{Text: "hello"}}}
		for range 3 + rng.IntN(9) {
			var body conversation.Body = conversation.Drop{Spans: []conversation.Span{{First: 1, Last: 1}}}
			switch rng.IntN(3) {
			case 0:
				if b, err := edit.Undo(log, 0); err == nil {
					body = b
				}
			case 1:
				if b, err := edit.Redo(log); err == nil {
					body = b
				}
			}
			log = append(log, conversation.Following(log, clock(3, 9, 0), body)...)
			log = log[:len(log):len(log)]
		}
		entries := inspect.Ledger(log)
		_, err := edit.Redo(log)
		m := open(ledger.Content{Entries: entries}, "mono", 120, 40)
		can := false
		for range entries {
			if m.Update(tuitest.Key("r")) == (pane.Redo{}) {
				can = true
			}
			if u, ok := m.Update(tuitest.Key("u")).(pane.Undo); ok {
				if _, err := edit.Undo(log, u.Epoch); err != nil {
					t.Fatalf("seed %d: undo of e%d is offered: %v", seed, u.Epoch, err)
				}
			}
			m.Update(tuitest.Key("down"))
		}
		if can != (err == nil) {
			t.Fatalf("seed %d: redo is offered: %v, the log says %v: %+v", seed, can, err, entries)
		}
		if can {
			offered++
		}
	}
	if offered < 10 {
		t.Errorf("redo was offered %d times: this test sees too little", offered)
	}
}

func TestWhatIsUnfoldedStaysSoAndTheCursorOnItsEntry(t *testing.T) {
	t.Parallel()
	c := busy()
	m := open(c, "mono", 90, 40)
	for _, k := range []string{"down", "down", "down", "enter"} {
		m.Update(tuitest.Key(k))
	}
	more := busy()
	newest := more.Entries[7]
	newest.Event = 101
	more.Entries = append(more.Entries, newest)
	m.Show(more)
	if view := ansi.Strip(m.View()); !strings.Contains(view, "e60, turn 10, 3 overlays") {
		t.Errorf("the details are gone:\n%s", view)
	}
	if diff := cmp.Diff(pane.Action(pane.Undo{Epoch: 60}), m.Update(tuitest.Key("u"))); diff != "" {
		t.Error(diff)
	}
	m.Update(tuitest.Key("enter"))
	if view := ansi.Strip(m.View()); strings.Contains(view, "3 overlays") {
		t.Errorf("the details are not folded:\n%s", view)
	}
	m.Show(ledger.Content{})
	if view := ansi.Strip(m.View()); !strings.Contains(view, "No compactions yet.") {
		t.Errorf("an empty ledger says nothing:\n%s", view)
	}
}

func TestAClickSelectsTheEntry(t *testing.T) {
	t.Parallel()
	m := open(busy(), "mono", 120, 40)
	for y, l := range strings.Split(ansi.Strip(m.View()), "\n") {
		if strings.Contains(l, "undo of e40") {
			m.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: 5, Y: y})
		}
	}
	if diff := cmp.Diff(pane.Action(pane.Jump{Event: 41}), m.Update(tuitest.Key("o"))); diff != "" {
		t.Error(diff)
	}
	m.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: 5, Y: 37})
	if diff := cmp.Diff(pane.Action(pane.Jump{Event: 41}), m.Update(tuitest.Key("o"))); diff != "" {
		t.Errorf("a click on the totals selects an entry:\n%s", diff)
	}
}

func TestTotalsSayOnlyWhatIsKnown(t *testing.T) {
	t.Parallel()
	c := busy()
	for _, x := range []struct {
		entries []inspect.Entry
		want    string
	}{
		{c.Entries[:2], "1 compaction, 0 active"},
		{c.Entries[2:3], "0 compactions, 0 active · 1 failed attempt · $0.02 for summaries"},
		{c.Entries[3:4], "0 compactions, 0 active · 1 failed attempt · unknown cost for summaries"},
		{c.Entries, "3 compactions, 2 active · 2 failed attempts · at least $0.05 for summaries · the newest active one took a request from ~58k to ~49.9k tokens"},
	} {
		view := ansi.Strip(open(ledger.Content{Entries: x.entries}, "mono", 200, 40).View())
		if !strings.Contains(view, "  "+x.want+"  ") {
			t.Errorf("no %q in\n%s", x.want, view)
		}
	}
}

func TestTheFootSaysWhatTheCacheWasGoodFor(t *testing.T) {
	t.Parallel()
	for want, use := range map[string]inspect.CacheUse{
		" · cache: 34.2k tokens read, 19k written  ":             {Read: 34_200, Written: 19_000},
		" · cache: 34.2k tokens read, 19k written, 3k expired  ": {Read: 34_200, Written: 19_000, Expired: 3_000},
	} {
		view := ansi.Strip(open(ledger.Content{Entries: busy().Entries[:2], Cache: use}, "mono", 200, 40).View())
		if !strings.Contains(view, want) {
			t.Errorf("no %q in\n%s", want, view)
		}
	}
	if view := ansi.Strip(open(ledger.Content{Entries: busy().Entries[:2]}, "mono", 200, 40).View()); strings.Contains(view, "cache:") {
		t.Errorf("without a cache it says\n%s", view)
	}
}

// The details of the entry with the cursor stand at the right where there is room, with two bars on one scale.
func TestDetailsStandBesideTheEntries(t *testing.T) {
	t.Parallel()
	m := open(busy(), "mono", 120, 40)
	var bars []string
	view := ansi.Strip(m.View())
	for l := range strings.Lines(view) {
		if _, bar, ok := strings.Cut(l, "│ before  "); ok {
			bars = append(bars, bar)
		}
		if _, bar, ok := strings.Cut(l, "│ after   "); ok {
			bars = append(bars, bar)
		}
	}
	if len(bars) != 2 || !strings.HasSuffix(strings.TrimSpace(bars[0]), "~58k") || !strings.HasSuffix(strings.TrimSpace(bars[1]), "~49.9k") {
		t.Fatalf("the bars are %q in\n%s", bars, view)
	}
	long, short := strings.Count(bars[0], "█"), strings.Count(bars[1], "█")
	if short >= long || float64(short) < 0.8*float64(long) || ansi.StringWidth(bars[0]) != ansi.StringWidth(bars[1]) {
		t.Errorf("the bars are %q", bars)
	}
	if diff := cmp.Diff(pane.Action(pane.Jump{Event: 92}), m.Update(tuitest.Key("enter"))); diff != "" {
		t.Error(diff)
	}
	m.Update(tuitest.Key("down"))
	if view := ansi.Strip(m.View()); !strings.Contains(view, "│ turns undone") {
		t.Errorf("the details are not those of the entry with the cursor:\n%s", view)
	}
	m.SetSize(90, 40)
	if view := ansi.Strip(m.View()); strings.Contains(view, "│") {
		t.Errorf("in little room something stands beside:\n%s", view)
	}
}

func TestAReasonThatNamesTheDeedStandsAlone(t *testing.T) {
	t.Parallel()
	for why, want := range map[string]string{"pinned e6": "pinned e6 ", "never touch go.mod": "pinned: never touch go.mod ", "": "pinned "} {
		m := ledger.New(ledger.Options{})
		m.SetSize(80, 20)
		m.Show(ledger.Content{Entries: []inspect.Entry{{Kind: inspect.EntryPin, Event: 7, Why: why, Result: inspect.ResultInForce}}})
		if got := ansi.Strip(m.View()); !strings.Contains(got, "· "+want) || strings.Contains(got, "pinned: pinned") {
			t.Errorf("pinned for %q it says\n%s", why, got)
		}
	}
}

func TestTimesAreToldInTheZone(t *testing.T) {
	t.Parallel()
	c := busy()
	c.Entries = c.Entries[:1]
	c.Zone = time.FixedZone("", -10*3600)
	for zone, want := range map[*time.Location][]string{c.Zone: {"Monday, 2 March 2026", "23:12"}, nil: {"Tuesday, 3 March 2026", "09:12"}} {
		c.Zone = zone
		view := ansi.Strip(open(c, "mono", 80, 24).View())
		for _, text := range want {
			if !strings.Contains(view, text) {
				t.Errorf("zone %v: no %q in\n%s", zone, text, view)
			}
		}
	}
}

// noise is a ledger of random entries.
func noise(rng *rand.Rand) ledger.Content {
	words := []string{"a ", "漢字", "\x1b[31m", "\u202e", "👨‍👩‍👧", "\n", "\t", "e\u0301", "ﷺ", "\xff", "\x1b]0;x\x07", "क्षि"}
	text := func() string {
		var b strings.Builder
		for range rng.IntN(40) {
			b.WriteString(words[rng.IntN(len(words))])
		}
		return b.String()
	}
	kinds := []inspect.EntryKind{
		inspect.EntryEpoch, inspect.EntryAttempt, inspect.EntryUndo, inspect.EntryRedo, inspect.EntryPin, inspect.EntryUnpin,
		inspect.EntryRewind, inspect.EntryRestore, inspect.EntryKind(text()),
	}
	results := []inspect.EntryResult{inspect.ResultInForce, inspect.ResultUndone, inspect.ResultFailed, inspect.ResultStale, inspect.EntryResult(text())}
	c := ledger.Content{Title: text(), ReadOnly: rng.IntN(3) == 0}
	for i := range rng.IntN(40) {
		e := inspect.Entry{
			Kind: kinds[rng.IntN(len(kinds))], Result: results[rng.IntN(len(results))], Event: uint64(i), Turn: rng.IntN(999),
			Source: conversation.Source(text()), Trigger: text(), Preset: text(), Profile: text(), Why: text(), Model: text(), About: rng.Uint64(),
			Before: rng.IntN(3) * rng.IntN(2_000_000), After: rng.IntN(3) * rng.IntN(2_000_000), Prompt: rng.IntN(9), Output: rng.IntN(9),
			Duration: time.Duration(rng.Int64N(int64(3 * time.Hour))), Overlays: rng.IntN(3),
		}
		if rng.IntN(2) == 0 {
			e.Time, e.CostUSD = clock(1+rng.IntN(30), rng.IntN(24), 0), usd(rng.Float64()*2000)
		}
		c.Entries = append(c.Entries, e)
	}
	return c
}

func TestViewsFitWhateverTheyShow(t *testing.T) {
	t.Parallel()
	keys := []string{"down", "down", "pgdown", "up", "end", "home", "?", "enter", "enter", "u", "r", "o"}
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 7))
		m := open(noise(rng), themes.PlimsollDark, 80, 24)
		for range 40 {
			width, height := 1+rng.IntN(200), 1+rng.IntN(60)
			m.SetSize(width, height)
			m.Update(tuitest.Key(keys[rng.IntN(len(keys))]))
			if rng.IntN(5) == 0 {
				m.Show(noise(rng))
			}
			tuitest.Fits(t, m, width, height)
		}
	}
}

// BenchmarkView draws a long ledger. Budget: 1 ms.
func BenchmarkView(b *testing.B) {
	c := busy()
	for len(c.Entries) < 10_000 {
		c.Entries = append(c.Entries, c.Entries[:8]...)
	}
	m := open(c, themes.PlimsollDark, 120, 40)
	for b.Loop() {
		m.View()
	}
}

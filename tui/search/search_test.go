package search_test

import (
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation/find"
	"plimsoll/tui/pane"
	"plimsoll/tui/search"
	"plimsoll/tui/tuitest"
)

var now = time.Date(2026, 11, 20, 14, 30, 0, 0, time.UTC)

// hostile is text with control characters, as a model or a file may contain it.
const hostile = "the \x1b]52;c;aGk=\x07 port \u202egpj.exe\u202c 漢字"

// hit returns a hit for the query "port" in a text.
func hit(conversation, title string, event uint64, turn int, ago time.Duration, who, text string) find.Hit {
	q, err := find.Parse("port")
	if err != nil {
		panic(err)
	}
	at, _ := q.Find(text)
	excerpt, place := find.Excerpt(text, at, 240)
	return find.Hit{Conversation: conversation, Title: title, Event: event, Turn: turn, Time: now.Add(-ago), Who: who, Excerpt: excerpt, At: place}
}

// found is the result of a search for "port".
func found() search.Content {
	stored := hit("aaaa22223333", "Fix flaky upload test", 41, 3, 2*time.Hour, "run_command",
		strings.Repeat("=== RUN TestUpload\n", 20)+"listen tcp :8080: bind: port already in use\n"+strings.Repeat("--- FAIL: TestUpload (0.01s)\n", 20))
	stored.Stored = true
	return search.Content{Now: now, Found: search.Found{
		Query: "port", Conversations: 41, Took: 830 * time.Millisecond,
		Hits: []find.Hit{
			stored,
			hit("aaaa22223333", "Fix flaky upload test", 40, 3, 2*time.Hour, "assistant", "The test shares a port between runs, so the second Port is taken."),
			hit("aaaa22223333", "Fix flaky upload test", 12, 1, 3*time.Hour, "reasoning", "Perhaps the airport code."),
			hit("bbbb22223333", "端口测试 "+hostile, 7, 0, 49*time.Hour, hostile, strings.Repeat("测试在两次运行之间共享一个端口", 6)+"port"+strings.Repeat("所以第二次运行失败", 6)),
			hit("cccc22223333", "", 1, 0, 300*24*time.Hour, "user", hostile),
		},
	}}
}

func open(width, height int) *search.Model {
	keys := search.DefaultKeyMap()
	m := search.New(&keys)
	m.SetSize(width, height)
	return m
}

// shown is a view of content, with its query in the field.
func shown(c search.Content, width, height int) *search.Model {
	m := open(width, height)
	m.SetQuery(c.Query)
	m.Show(c)
	return m
}

// press sends keys, separated by spaces, and returns the action of each.
func press(m *search.Model, keys string) []pane.Action {
	var actions []pane.Action
	for name := range strings.FieldsSeq(keys) {
		actions = append(actions, m.Update(tuitest.Key(name)))
	}
	return actions
}

func TestTypingAsksForHits(t *testing.T) {
	t.Parallel()
	m := open(80, 24)
	for _, c := range []struct {
		keys string
		want []pane.Action
	}{
		{"space", []pane.Action{nil}},
		{"k j", []pane.Action{search.Query{Text: " k"}, search.Query{Text: " kj"}}}, // letters do not move the cursor
		{"space space", []pane.Action{nil, nil}},                                    // the query is the same
		{`"`, []pane.Action{nil}},
		{"q", []pane.Action{search.Query{Text: ` kj  "q`}}},
		{"ctrl+u", []pane.Action{nil}}, // there is nothing to search for
		{"G", []pane.Action{search.Query{Text: "G"}}},
		{"left right home end", []pane.Action{nil, nil, nil, nil}},
		{"ctrl+t", []pane.Action{pane.Ignored{}}},
		{"esc", []pane.Action{pane.Closed{}}},
	} {
		if d := cmp.Diff(c.want, press(m, c.keys)); d != "" {
			t.Errorf("%s: (-want +got)\n%s", c.keys, d)
		}
	}
	m.SetQuery("")
	if d := cmp.Diff(pane.Action(search.Query{Text: "a b\u202f c"}), m.Update(tea.PasteMsg{Content: "a b\u202f\nc\n"})); d != "" {
		t.Error(d)
	}
	m.Update(tea.PasteMsg{Content: strings.Repeat(" x y z", 1<<20)})
	if q, ok := m.Update(tuitest.Key("w")).(search.Query); !ok || len(q.Text) > 5000 {
		t.Error("a paste of megabytes went into the field")
	}
	many := ""
	for c := 'a'; c <= 'z'; c++ {
		many += string(c) + " "
	}
	m.SetQuery("")
	if action := m.Update(tea.PasteMsg{Content: many}); action != nil || !strings.Contains(m.View(), "at most 20 words") {
		t.Errorf("%v\n%s", action, m.View())
	}
}

func TestEnterOpensTheHitUnderTheCursor(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]pane.Action{
		"enter":                              search.Open{Conversation: "aaaa22223333", Event: 41, Query: "port"},
		"down ctrl+n enter":                  search.Open{Conversation: "aaaa22223333", Event: 12, Query: "port"},
		"down down down up ctrl+p enter":     search.Open{Conversation: "aaaa22223333", Event: 40, Query: "port"},
		"pgdown enter":                       search.Open{Conversation: "cccc22223333", Event: 1, Query: "port"},
		"ctrl+end enter":                     search.Open{Conversation: "cccc22223333", Event: 1, Query: "port"},
		"ctrl+end ctrl+home enter":           search.Open{Conversation: "aaaa22223333", Event: 41, Query: "port"},
		"down s enter":                       nil, // the hits are of another query
		"down s backspace enter":             search.Open{Conversation: "aaaa22223333", Event: 40, Query: "port"},
		"ctrl+u enter":                       nil,
		"up up enter":                        search.Open{Conversation: "aaaa22223333", Event: 41, Query: "port"},
		"pgdown pgup home end left up enter": search.Open{Conversation: "aaaa22223333", Event: 41, Query: "port"},
	} {
		actions := press(shown(found(), 100, 40), keys)
		if d := cmp.Diff(want, actions[len(actions)-1]); d != "" {
			t.Errorf("%s: (-want +got)\n%s", keys, d)
		}
	}
	if action := open(80, 24).Update(tuitest.Key("enter")); action != nil {
		t.Errorf("an empty view opens %v", action)
	}
	m := shown(found(), 100, 40)
	m.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: 10, Y: 6})
	if d := cmp.Diff(pane.Action(search.Open{Conversation: "aaaa22223333", Event: 12, Query: "port"}), m.Update(tuitest.Key("enter"))); d != "" {
		t.Errorf("after a click: %s\n%s", d, m.View())
	}
	damaged := found()
	damaged.Damaged = 1
	m.Show(damaged) // a line lower
	m.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: 10, Y: 6})
	if d := cmp.Diff(pane.Action(search.Open{Conversation: "aaaa22223333", Event: 40, Query: "port"}), m.Update(tuitest.Key("enter"))); d != "" {
		t.Errorf("after a click below what could not be read: %s\n%s", d, m.View())
	}
}

func TestOldHitsStayUntilNewOnesArrive(t *testing.T) {
	t.Parallel()
	m := shown(found(), 100, 30)
	press(m, "down")
	m.Update(tuitest.Key("s"))
	m.Show(search.Content{Found: search.Found{Query: "ports"}, Busy: true})
	if view := m.View(); !strings.Contains(view, "searching…") || !strings.Contains(view, "Fix flaky") || strings.Contains(view, "5 hits") {
		t.Errorf("while others are searched for:\n%s", view)
	}
	m.Show(search.Content{Found: search.Found{Query: "ports", Conversations: 41}, Now: now})
	if view := m.View(); !strings.Contains(view, "nothing found in 41 conversations") || strings.Contains(view, "flaky") {
		t.Errorf("after nothing was found:\n%s", view)
	}
	m.Show(search.Content{Found: search.Found{Query: "ports"}, Err: "the data directory " + hostile + " is gone"})
	if view := m.View(); !strings.Contains(view, "the data directory the ␛]52;c;aGk=␇ port") {
		t.Errorf("after a failure:\n%s", view)
	}
}

func TestTheMatchIsVisible(t *testing.T) {
	t.Parallel()
	match := lipgloss.NewStyle().Bold(true)
	for width := 20; width <= 200; width++ {
		m := open(width, 60)
		m.SetStyles(pane.Styles{Match: match})
		m.SetQuery("port")
		m.Show(found())
		view := m.View()
		for _, want := range []string{"port", "Port"} {
			if want == "port" && strings.Count(view, match.Render(want)) < 5 || want == "Port" && width >= 140 && !strings.Contains(view, match.Render(want)) {
				t.Fatalf("%d cells: not all places are highlighted:\n%s", width, view)
			}
		}
	}
}

package history_test

import (
	"errors"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/conversationtest"
	"plimsoll/tui/history"
	"plimsoll/tui/pane"
	"plimsoll/tui/tuitest"
)

var anyKey = rapid.SampledFrom([]string{"j", "k", "g", "G", "enter", "ctrl+o", "tab", "[", "]", "p", "m", "u", "r", "n", "N", "{", "}", "y", "f", "e",
	"pgup", "pgdown", "ctrl+d", "ctrl+u", "home", "end", "esc", "?", "/", "backspace", "a", "space", "漢"})

// checkAction fails if an action names an event or a turn that is not in the log.
func checkAction(t *rapid.T, a pane.Action, log []conversation.Event) {
	t.Helper()
	checkEvents := func(seqs ...uint64) {
		for _, seq := range seqs {
			if seq == 0 || seq > uint64(len(log)) {
				t.Fatalf("%#v names event %d of %d", a, seq, len(log))
			}
		}
	}
	switch a := a.(type) {
	case pane.Pin:
		checkEvents(a.Events...)
	case pane.Mask:
		checkEvents(a.Events...)
		for _, seq := range a.Events {
			if _, ok := log[seq-1].Body.(conversation.ToolResult); !ok {
				t.Fatalf("event %d is masked, and is no result", seq)
			}
		}
	case history.Fork:
		if a.Before == 0 || a.Before > uint64(len(log))+1 {
			t.Fatalf("a fork before event %d of %d", a.Before, len(log))
		}
	}
}

func TestAnyLogAndAnyKeysGiveAValidView(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var log []conversation.Event
		switch rapid.IntRange(0, 3).Draw(t, "log") {
		case 0:
			log = conversationtest.Malformed(t)
		case 1:
			log = conversationtest.Rich(t)
		default:
			log = conversationtest.WithOverlays(t, conversationtest.Rich(t))
		}
		width, height := rapid.IntRange(20, 130).Draw(t, "width"), rapid.IntRange(6, 40).Draw(t, "height")
		m := history.New(new(history.DefaultKeyMap()), time.UTC, false)
		m.SetStyles(styles())
		m.SetSize(width, height)
		shown := len(log)
		if shown > 0 {
			shown = rapid.IntRange(0, len(log)).Draw(t, "shown at first")
		}
		content := func(log []conversation.Event) history.Content {
			return history.Content{Log: log, View: projection.Project(log), Requests: requests(log), Title: "a \x1b[31m title"}
		}
		m.Show(content(log[:shown]))
		tuitest.Fits(t, m, width, height)
		for range rapid.IntRange(0, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 11).Draw(t, "what") {
			case 0:
				shown = rapid.IntRange(shown, len(log)).Draw(t, "goes on")
				m.Refresh(content(log[:shown]))
			case 1:
				width, height = rapid.IntRange(20, 130).Draw(t, "new width"), rapid.IntRange(6, 40).Draw(t, "new height")
				m.SetSize(width, height)
			case 2:
				m.Update(tea.MouseClickMsg{Button: tea.MouseLeft, X: 3, Y: rapid.IntRange(0, height).Draw(t, "y")})
			case 3:
				m.Update(tea.MouseWheelMsg{Button: rapid.SampledFrom([]tea.MouseButton{tea.MouseWheelUp, tea.MouseWheelDown}).Draw(t, "wheel")})
			case 4:
				m.Jump(uint64(rapid.IntRange(0, len(log)+2).Draw(t, "event")), rapid.SampledFrom([]string{"", "fox", "漢字", `"`}).Draw(t, "query"))
			default:
				a := m.Update(tuitest.Key(anyKey.Draw(t, "key")))
				checkAction(t, a, log[:shown])
				if a, ok := a.(history.RebuildRequest); ok {
					answer(t, m, a.Event, log[:shown])
				}
			}
			tuitest.Fits(t, m, width, height)
		}
	})
}

// answer delivers a rebuilt request or an error.
func answer(t *rapid.T, m *history.Model, event uint64, log []conversation.Event) {
	switch rapid.IntRange(0, 2).Draw(t, "answer") {
	case 0:
		m.Request(inspect.RebuiltRequest{}, errors.New("the log \x1b[31m is cut"))
	case 1:
		for _, q := range requests(log) {
			if q.Event == event {
				messages, _ := projection.Harden(projection.Project(log), projection.Capabilities{Alternate: true}) // a request that cannot be sent is shown too
				m.Request(inspect.RebuiltRequest{SentRequest: q, System: "be \x1b[1m brief", Messages: messages}, nil)
			}
		}
	}
}

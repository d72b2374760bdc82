package tui_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
)

func TestMouse(t *testing.T) {
	screen(t, nil, func(r *rig) {
		if r.m.View().MouseMode != tea.MouseModeCellMotion {
			t.Error("the mouse is off")
		}
		for i := range 40 {
			r.sendAppended(conversation.UserMessage{Text: fmt.Sprintf("question %d", i)})
		}
		y := r.row("question 39")
		r.send(tea.MouseWheelMsg{Button: tea.MouseWheelUp, X: 5, Y: 5})
		if now := r.row("question 39"); now != -1 {
			t.Errorf("after the wheel up question 39 is at row %d", now)
		}
		r.send(tea.MouseWheelMsg{Button: tea.MouseWheelDown, X: 5, Y: 5})
		if now := r.row("question 39"); now != y {
			t.Errorf("after the wheel down question 39 is at row %d, not %d", now, y)
		}
		r.terminalRequests = nil
		drag := func(x1, y1, x2, y2 int) {
			r.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: x1, Y: y1}, tea.MouseMotionMsg{Button: tea.MouseLeft, X: x2, Y: y2},
				tea.MouseReleaseMsg{Button: tea.MouseLeft, X: x2, Y: y2})
		}
		drag(4, y, 11, y)
		drag(3, y, 300, 300) // ends outside
		drag(3, 27, 5, y)    // begins in the composer
		r.wantRequests("setClipboardMsg question", "setClipboardMsg question 39")
		drag(4, y, 11, y)
		r.terminalRequests = nil
		r.sendUpdates(updates.Status{Phase: updates.Streaming})
		r.press("ctrl+c")
		r.wantRequests("setClipboardMsg question")
		r.wantCalls()
		drag(4, y, 11, y)
		r.press("x")
		if strings.Contains(r.m.View().Content, "\x1b[7m") {
			t.Error("text is still selected after a letter")
		}
		drag(4, y, 11, y)
		r.press("esc")
		if strings.Contains(r.m.View().Content, "\x1b[7m") {
			t.Error("something is still marked")
		}
	})
}

// Keys copy and cut selected text that do something else without it. Selected text also gets the scroll keys.
func TestKeysActOnSelectedTextFirst(t *testing.T) {
	screen(t, nil, func(r *rig) {
		for i := range 40 {
			r.sendAppended(conversation.UserMessage{Text: fmt.Sprintf("question %d", i)})
		}
		y := r.row("question 38")
		r.press("shift+up")
		if now := r.row("question 38"); now != y+1 {
			t.Errorf("on an empty line the cursor is at row %d, not %d", now, y+1)
		}
		r.press("shift+down")
		r.typeText("one two")
		y = r.row("│ one two")
		r.sendUpdates(updates.Status{Phase: updates.Streaming})
		r.terminalRequests, r.calls = nil, nil
		r.press("shift+up", "ctrl+c", "end", "ctrl+shift+left", "ctrl+x")
		r.wantText("copied the selection", "│ one  ", "question 39")
		double := []tea.Msg{tea.MouseClickMsg{Button: tea.MouseLeft, X: 5, Y: y}, tea.MouseReleaseMsg{Button: tea.MouseLeft, X: 5, Y: y}}
		r.send(append(double, double...)...)
		r.press("ctrl+c")
		r.wait(time.Second)
		r.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 5, Y: y}, tea.MouseMotionMsg{Button: tea.MouseLeft, X: 90, Y: 3})
		r.press("ctrl+c")
		r.wantRequests("setClipboardMsg one two", "setClipboardMsg two", "setClipboardMsg one", "setClipboardMsg ne ")
		r.wantCalls()
		r.press("ctrl+c")
		if len(r.calls) != 1 {
			t.Errorf("without a selection the turn is not interrupted: %v", r.calls)
		}
	})
}

// The release of a button that is down goes to a dialog that opens meanwhile.
func TestADialogEndsADrag(t *testing.T) {
	screen(t, nil, func(r *rig) {
		for i := range 40 {
			r.sendAppended(conversation.UserMessage{Text: fmt.Sprintf("question %d", i)})
		}
		r.send(tea.MouseClickMsg{Button: tea.MouseLeft, X: 3, Y: 5})
		r.sendUpdates(approval("c1", "make"))
		r.send(tea.MouseReleaseMsg{Button: tea.MouseLeft, X: 3, Y: 5})
		r.wait(time.Second)
		r.press("y")
		r.sendAppended(conversation.UserMessage{Text: "the newest"})
		r.wantText("the newest")
	})
}

func TestAClickInTheComposerMovesTheCursor(t *testing.T) {
	for _, at := range [][2]int{{80, 24}, {40, 12}} {
		screenOf(t, fmt.Sprintf("%dx%d", at[0], at[1]), nil, func(r *rig) {
			r.resize(at[0], at[1])
			r.typeText("one two")
			y := r.row("one two")
			x := strings.Index(r.lines()[y], "two")
			x = ansi.StringWidth(r.lines()[y][:x])
			r.send(tea.MouseClickMsg{X: x, Y: y, Button: tea.MouseLeft}, tea.MouseReleaseMsg{X: x, Y: y, Button: tea.MouseLeft})
			r.typeText("and ")
			r.press("enter")
			r.wantCalls("first send one and two")
		})
	}
}

package tui_test

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/agent/updates"
	"plimsoll/conversation"
)

// Terminals measure these differently: joined emoji, presentation selector, syllable, skin tone, flag, combining mark.
const disputedText = "漢字 👩‍👩‍👧 ❤️ 1️⃣ ©️ नमस्ते 👋🏽 🇩🇪 e\u0301"

func TestBordersAlignAsTheTerminalMeasures(t *testing.T) {
	for name, width := range map[string]func(string) int{"code points": ansi.StringWidthWc, "clusters": ansi.StringWidth} {
		screenOf(t, name, nil, func(r *rig) {
			if name == "clusters" {
				r.send(tea.ModeReportMsg{Mode: ansi.ModeUnicodeCore, Value: ansi.ModeReset})
			}
			r.typeText(disputedText)
			r.wantRightBorders(width)
			r.press("enter")
			r.sendUpdates(updates.Status{Phase: updates.Asking}, approval("c1", disputedText))
			r.wantRightBorders(width)
		})
	}
}

func TestTheCursorAccountsForAddedBlanks(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.typeText(strings.Repeat(" ", 30) + "👩‍👩‍👧" + strings.Repeat("x", 62))
		v := r.m.View()
		line := ansi.Strip(strings.Split(v.Content, "\n")[v.Cursor.Y])
		if end := ansi.StringWidthWc(line[:strings.LastIndex(line, "x")+1]); v.Cursor.X != end {
			t.Errorf("the cursor is at column %d, the text ends at %d: %s", v.Cursor.X, end, line)
		}
	})
}

func TestJoinedEmojiKeepTheirColumns(t *testing.T) {
	screen(t, nil, func(r *rig) {
		r.resize(80, 40)
		r.sendAppended(conversation.UserMessage{Text: "go"}, conversation.AssistantMessage{Stop: conversation.StopEnd,
			Text: "family 👩‍💻 one\n\n- family 👩‍💻 two\n\n| a | b |\n|---|---|\n| family 👩‍💻 | three |\n| plain text | four |\n| 1️⃣ ®️ keys | five |\n"})
		column := func(word string) int {
			for _, l := range strings.Split(r.m.View().Content, "\n") {
				if before, _, ok := strings.Cut(ansi.Strip(l), word); ok {
					return ansi.StringWidthWc(before)
				}
			}
			t.Fatalf("%q is not on the screen", word)
			return 0
		}
		if one, two := column("family 👩 one"), column("family 👩 two"); one != 4 || two != 6 {
			t.Errorf("the paragraph begins at %d, the item at %d", one, two)
		}
		if three, four, five := column("three"), column("four"), column("five"); three != four || four != five {
			t.Errorf("a column of the table begins at %d, %d and %d", three, four, five)
		}
	})
}

// wantRightBorders checks that lines with a border at their right end reach the right end.
func (r *rig) wantRightBorders(measure func(string) int) {
	r.t.Helper()
	width := 0
	for _, l := range strings.Split(r.m.View().Content, "\n") {
		plain := ansi.Strip(l)
		if before, _, ok := strings.Cut(plain, "╮"); ok {
			width = measure(before) + 1
		}
		if strings.HasSuffix(plain, "│") && measure(plain) != width {
			r.t.Errorf("%d cells, want %d: %s", measure(plain), width, plain)
		}
	}
	if width == 0 {
		r.t.Error("there is no box on the screen")
	}
}

package transcript_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/themes"
	"plimsoll/tui/diffview"
	"plimsoll/tui/transcript"
	"plimsoll/tui/transcript/markdown"
	"plimsoll/tui/tuitest"
)

func styles(theme themes.Theme) transcript.Styles {
	s := themes.Build(theme)
	return transcript.Styles{
		UserMark: s.UserMark, User: s.User, Reasoning: s.Reasoning, ReasoningMark: s.Muted,
		ToolFailed: s.Error, ToolRunning: s.Accent, ToolName: s.Muted,
		ToolSubject: s.Text, Faint: s.Faint, Hint: s.Faint, Output: s.Muted,
		Diff:   diffview.Styles(s.Diff),
		Undone: s.Muted, Note: s.Rule,
		Info: s.Muted, Warning: s.Warning, Error: s.Error, Selected: s.Selection,
	}
}

func themeStyles(t testing.TB, name string) (transcript.Styles, *markdown.Renderer) {
	t.Helper()
	theme, ok := themes.ByName(name)
	if !ok {
		t.Fatalf("no theme %q", name)
	}
	return styles(theme), markdown.New(themes.Markdown(theme), 80)
}

// rig is a transcript with the log that it shows.
type rig struct {
	*transcript.Model
	log         conversation.Log
	screenWidth int
}

func openTranscript(t testing.TB, width, height int, bodies ...conversation.Body) *rig {
	t.Helper()
	r := &rig{Model: transcript.New(themeStyles(t, themes.PlimsollDark))}
	r.SetKeys(transcript.Keys{Undo: "ctrl+x"})
	r.SetZone(time.UTC)
	r.SetSize(width, height)
	r.add(bodies...)
	return r
}

// SetSize remembers the width.
func (r *rig) SetSize(width, height int) {
	r.screenWidth = width
	r.Model.SetSize(width, height)
}

func (r *rig) width() int { return r.screenWidth }

func (r *rig) add(bodies ...conversation.Body) {
	events := r.log.Prepare(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), bodies...)
	if err := r.log.Commit(events); err != nil {
		panic(err)
	}
	r.Append(events)
}

// lines returns the lines on screen, without styles and trailing blanks.
func (r *rig) lines() []string {
	lines := strings.Split(ansi.Strip(r.View()), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " ")
	}
	return lines
}

func (r *rig) screen() string { return strings.TrimRight(strings.Join(r.lines(), "\n"), "\n") }

func (r *rig) row(text string) int {
	for y, l := range r.lines() {
		if strings.Contains(l, text) {
			return y
		}
	}
	return -1
}

func (r *rig) wantText(t testing.TB, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if r.row(text) < 0 {
			t.Errorf("%q is not on screen:\n%s", text, r.screen())
		}
	}
}

func (r *rig) wantNoText(t testing.TB, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if r.row(text) >= 0 {
			t.Errorf("%q is on screen:\n%s", text, r.screen())
		}
	}
}

// drag selects from one cell to another and returns the copied text.
func (r *rig) drag(x1, y1, x2, y2 int) string {
	r.Press(x1, y1)
	r.Drag(x2, y2)
	return r.Release().Text
}

func user(text string) conversation.Body { return conversation.UserMessage{Text: text} }

func reply(text string) conversation.Body {
	return conversation.AssistantMessage{Text: text, Stop: conversation.StopEnd}
}

func call(id, name, arguments string) conversation.ToolCall {
	return conversation.ToolCall{ID: id, Name: name, Arguments: arguments}
}

func calls(list ...conversation.ToolCall) conversation.Body {
	return conversation.AssistantMessage{Calls: list, Stop: conversation.StopCalls}
}

func result(id string, status conversation.ResultStatus, text string) conversation.ToolResult {
	return conversation.ToolResult{CallID: id, Tool: "tool", Status: status, Text: text}
}

// turns returns n turns, each a question and an answer of one line.
func turns(n int) []conversation.Body {
	var bodies []conversation.Body
	for i := range n {
		bodies = append(bodies, user(fmt.Sprintf("question %d", i)), reply(fmt.Sprintf("answer %d", i)))
	}
	return bodies
}

// wantValidView fails if a view has another size or a harmful control sequence.
func wantValidView(t testing.TB, view string, width, height int) {
	t.Helper()
	lines := strings.Split(view, "\n")
	if height > 0 && len(lines) != height {
		t.Fatalf("%d lines at height %d", len(lines), height)
	}
	for y, l := range lines {
		if w := ansi.StringWidth(l); w > width {
			t.Fatalf("line %d is %d cells wide at width %d: %q", y, w, width, l)
		}
		if tuitest.Harmful(l) {
			t.Fatalf("harmful control sequence in line %d: %q", y, l)
		}
	}
}

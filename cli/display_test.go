package cli

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// wire is what a terminal gets, as it was written.
type wire struct {
	mu     sync.Mutex
	writes []string
}

func (w *wire) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes = append(w.writes, string(b))
	return len(b), nil
}

// taken is what was written since the last time.
func (w *wire) taken() []string {
	synctest.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	taken := w.writes
	w.writes = nil
	return taken
}

// displaying runs test with a display of 40x6 whose alternate screen is shown.
func displaying(t *testing.T, test func(d *display, w *wire)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &wire{}
		d := newDisplay(w)
		defer d.end()
		d.learn(tea.WindowSizeMsg{Width: 40, Height: 6})
		d.learn(tea.ColorProfileMsg{Profile: colorprofile.TrueColor})
		d.show("begin", nil)
		if got := w.taken(); got != nil {
			t.Errorf("%q was drawn outside the alternate screen", got)
		}
		_, _ = d.Write([]byte(ansi.SetModeAltScreenSaveCursor))
		if got := w.taken(); len(got) != 1 || !strings.Contains(got[0], "begin") {
			t.Errorf("entering the alternate screen wrote %q", got)
		}
		time.Sleep(time.Second)
		test(d, w)
	})
}

func TestAFrameIsDrawnWhenItChanges(t *testing.T) {
	displaying(t, func(d *display, w *wire) {
		d.show("begin again", nil)
		if got := w.taken(); len(got) != 1 || !strings.Contains(got[0], " again") {
			t.Errorf("a frame wrote %q", got)
		}
		time.Sleep(time.Second)
		d.show("begin again", nil)
		if got := w.taken(); got != nil {
			t.Errorf("the same frame wrote %q", got)
		}
	})
}

func TestFramesInARushAreDrawnAsOne(t *testing.T) {
	displaying(t, func(d *display, w *wire) {
		for _, text := range []string{"a", "ab", "abc", "abcd"} {
			d.show(text, nil)
		}
		if got := w.taken(); len(got) != 1 {
			t.Errorf("at once %q was drawn", got)
		}
		time.Sleep(frameGap)
		if got := w.taken(); len(got) != 1 || !strings.Contains(got[0], "bcd") {
			t.Errorf("after a moment %q was drawn", got)
		}
		time.Sleep(time.Minute)
		if got := w.taken(); got != nil {
			t.Errorf("with nothing to draw %q was", got)
		}
	})
}

func TestTheFrameIsDrawnOverWhatTheLibraryWrites(t *testing.T) {
	displaying(t, func(d *display, w *wire) {
		for name, c := range map[string]struct {
			write string
			over  bool
		}{
			"an erased screen": {ansi.EraseEntireScreen, true},
			"text":             {"text", true},
			"a title":          {ansi.SetWindowTitle("title"), false},
			"a question":       {ansi.RequestModeSynchronizedOutput + ansi.RequestBackgroundColor + ansi.RequestKittyKeyboard, false},
			"modes":            {ansi.SetModeBracketedPaste + ansi.SetModeMouseExtSgr + ansi.SetModifyOtherKeys2 + ansi.PushKittyKeyboard(1), false},
			"the clipboard":    {ansi.SetSystemClipboard("copied"), false},
		} {
			n, err := d.Write([]byte(c.write))
			if n != len(c.write) || err != nil {
				t.Errorf("%s: %d, %v", name, n, err)
			}
			got := w.taken()
			if len(got) != 1 || !strings.HasPrefix(got[0], c.write) || strings.Contains(got[0], "begin") != c.over {
				t.Errorf("with %s %q was written", name, got)
			}
		}
	})
}

func TestAnErasedScreenIsNotSeen(t *testing.T) {
	displaying(t, func(d *display, w *wire) {
		d.learn(tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset})
		_, _ = d.Write([]byte(ansi.SetModeSynchronizedOutput + ansi.EraseEntireScreen + ansi.ResetModeSynchronizedOutput))
		got := strings.Join(w.taken(), "")
		if strings.Count(got, ansi.SetModeSynchronizedOutput) != 1 || !strings.Contains(got, "begin") || !strings.HasSuffix(got, ansi.ResetModeSynchronizedOutput) {
			t.Errorf("%q is not one frame", got)
		}
	})
}

func TestNothingIsDrawnBesideTheAlternateScreen(t *testing.T) {
	displaying(t, func(d *display, w *wire) {
		bar := tea.NewCursor(1, 1)
		bar.Shape = tea.CursorBar
		d.show("waits", bar)
		w.taken()
		d.show("waits on", bar)
		if _, _ = d.Write([]byte(ansi.ResetModeAltScreenSaveCursor)); true {
			d.show("unseen", nil)
		}
		time.Sleep(time.Second)
		got := strings.Join(w.taken(), "")
		if strings.Contains(got, "unseen") || !strings.HasSuffix(got, ansi.SetCursorStyle(0)) {
			t.Errorf("%q was written", got)
		}
		_, _ = d.Write([]byte(ansi.SetModeAltScreenSaveCursor))
		if got := w.taken(); len(got) != 1 || !strings.Contains(got[0], "unseen") {
			t.Errorf("coming back wrote %q", got)
		}
	})
}

// page is a screen of one line.
type page struct{ text string }

func (page) Init() tea.Cmd                         { return nil }
func (p page) Update(tea.Msg) (tea.Model, tea.Cmd) { return p, nil }
func (p page) View() tea.View {
	v := tea.NewView(p.text)
	v.AltScreen, v.WindowTitle, v.Cursor = true, "title", tea.NewCursor(1, 0)
	return v
}

func TestTheLibraryKeepsTheModesAndAnEmptyScreen(t *testing.T) {
	displaying(t, func(d *display, w *wire) {
		var m tea.Model = displayed{page{"a page"}, d}
		v := m.View()
		if strings.TrimSpace(v.Content) != "" || v.Cursor != nil || !v.AltScreen || v.WindowTitle != "title" {
			t.Errorf("the library gets %+v", v)
		}
		if got := w.taken(); len(got) != 1 || !strings.Contains(got[0], "a page") {
			t.Errorf("%q was drawn", got)
		}
		m, _ = m.Update(tea.ModeReportMsg{Mode: ansi.ModeSynchronizedOutput, Value: ansi.ModeReset})
		if m.View().Content == v.Content {
			t.Error("the library does not look again when a mode became known")
		}
		if !d.painter.Synced {
			t.Error("a terminal that has marks for frames gets none")
		}
		plain := displayed{quitter{}, d}
		if got := plain.View(); got.Content != "" {
			t.Errorf("a screen beside the alternate one is %q", got.Content)
		}
	})
}

func TestOutputIsATerminalWhereThereIsOne(t *testing.T) {
	t.Parallel()
	if _, is := newDisplay(&bytes.Buffer{}).output().(terminalFile); is {
		t.Error("a buffer is taken for a terminal")
	}
}

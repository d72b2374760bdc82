package paint_test

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"pgregory.net/rapid"

	"plimsoll/tui/paint"
)

// drawn is a painter and the terminal that it paints on.
type drawn struct {
	p        paint.Painter
	terminal *vt.Emulator
	w, h     int
}

func terminal(w, h int) *drawn {
	d := &drawn{p: paint.Painter{Profile: colorprofile.TrueColor, Scrolls: true}, terminal: vt.NewEmulator(w, h), w: w, h: h}
	d.p.Resize(w, h)
	return d
}

// frame paints a frame and returns what it took.
func (d *drawn) frame(content string, cursor *tea.Cursor) string {
	out := string(d.p.Frame(content, cursor))
	_, _ = d.terminal.WriteString(out)
	return out
}

// wrong says where the terminal shows something else than the library would draw, ""
// if it shows the same.
func (d *drawn) wrong(content string) string {
	want := uv.NewScreenBuffer(d.w, d.h)
	want.Method = ansi.GraphemeWidth
	uv.NewStyledString(content).Draw(want, want.Bounds())
	for y := range d.h {
		for x := range d.w {
			got, want := d.terminal.CellAt(x, y), want.CellAt(x, y)
			if !same(got, want) {
				return fmt.Sprintf("cell %d of row %d is %+v, not %+v", x, y, got, want)
			}
		}
	}
	return ""
}

func same(a, b *uv.Cell) bool {
	text := func(c *uv.Cell) string {
		if c == nil || c.Content == "" && c.Width <= 1 {
			return " "
		}
		return c.Content
	}
	if a == nil || b == nil {
		return text(a) == text(b)
	}
	return text(a) == text(b) && a.Style.Equal(&b.Style) && a.Link.URL == b.Link.URL
}

// anyRow is a row of at most so many cells, with styles and links that end with it.
func anyRow(w int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		var row strings.Builder
		for range rapid.IntRange(0, 4).Draw(t, "spans") {
			style := rapid.SampledFrom([]string{"", "\x1b[1m", "\x1b[31m", "\x1b[38;2;1;2;3;4m", "\x1b[48;5;7m"}).Draw(t, "style")
			text := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", " ", "─", "│", "é", "日", "本", "e\u0301", "😀", "▌", "…"}), 0, w/2).Draw(t, "text"), "")
			if link := rapid.SampledFrom([]string{"", "", "https://a.org", "https://b.org"}).Draw(t, "link"); link != "" && text != "" {
				text = ansi.SetHyperlink(link) + text + ansi.ResetHyperlink()
			}
			row.WriteString(style + text)
			if style != "" {
				row.WriteString("\x1b[m")
			}
		}
		cut := ansi.Truncate(row.String(), w, "")
		if strings.Contains(cut, "\x1b[") {
			cut += "\x1b[m"
		}
		return cut
	})
}

func TestTheTerminalShowsTheFrame(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(2, 30).Draw(t, "width"), rapid.IntRange(1, 12).Draw(t, "height")
		d := terminal(w, h)
		rows := rapid.SliceOfN(anyRow(w), h, h).Draw(t, "rows")
		for range rapid.IntRange(1, 6).Draw(t, "frames") {
			switch rapid.SampledFrom([]string{"anew", "scroll", "grow", "part"}).Draw(t, "change") {
			case "anew":
				rows = rapid.SliceOfN(anyRow(w), h, h).Draw(t, "rows")
			case "scroll":
				from, to := rapid.IntRange(0, h-1).Draw(t, "from"), rapid.IntRange(0, h-1).Draw(t, "to")
				if from != to {
					row := rows[from]
					rows = append(append([]string{}, rows[:from]...), rows[from+1:]...)
					rows = append(rows[:to:to], append([]string{row}, rows[to:]...)...)
				}
			case "grow":
				y := rapid.IntRange(0, h-1).Draw(t, "row")
				rows = append([]string{}, rows...)
				rows[y] = ansi.Truncate(rows[y]+rapid.StringOfN(rapid.RuneFrom([]rune("ab日")), 0, 3, -1).Draw(t, "more"), w, "")
			case "part":
				rows = append([]string{}, rows...)
				rows[rapid.IntRange(0, h-1).Draw(t, "row")] = anyRow(w).Draw(t, "row")
			}
			content := strings.Join(rows, "\n")
			at := tea.NewCursor(rapid.IntRange(0, w-1).Draw(t, "x"), rapid.IntRange(0, h-1).Draw(t, "y"))
			d.frame(content, at)
			if wrong := d.wrong(content); wrong != "" {
				t.Fatalf("%s in\n%q", wrong, content)
			}
			if got := d.terminal.CursorPosition(); got != uv.Pos(at.X, at.Y) {
				t.Fatalf("the cursor is at %v, not at %v", got, at.Position)
			}
		}
	})
}

func lines(from, n int) string {
	var rows []string
	for i := range n {
		rows = append(rows, fmt.Sprintf("line %d of a long text", from+i))
	}
	return strings.Join(rows, "\n")
}

func TestTheSameFrameCostsNothing(t *testing.T) {
	t.Parallel()
	d := terminal(40, 10)
	d.frame(lines(0, 10), tea.NewCursor(1, 1))
	if out := d.frame(lines(0, 10), tea.NewCursor(1, 1)); out != "" {
		t.Errorf("the same frame writes %q", out)
	}
	if out := d.frame(lines(0, 10), tea.NewCursor(2, 1)); out != "\x1b[2;3H" {
		t.Errorf("a cursor that moves writes %q", out)
	}
}

func TestARowThatGrowsIsWrittenFromItsEnd(t *testing.T) {
	t.Parallel()
	d := terminal(40, 3)
	d.frame("head\n\x1b[1mbold\x1b[m and a text that\nfoot", nil)
	out := d.frame("head\n\x1b[1mbold\x1b[m and a text that grows\nfoot", nil)
	if want := "\x1b[2;21H grows\x1b[K"; out != want {
		t.Errorf("it writes %q, not %q", out, want)
	}
}

func TestRowsThatMovedAreScrolled(t *testing.T) {
	t.Parallel()
	for name, to := range map[string]int{"down": 3, "up": 1, "far": 9} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := terminal(40, 20)
			frame := func(at int) string { return "head\n" + lines(at, 17) + "\nbox\nfoot" }
			d.frame(frame(2), nil)
			out := d.frame(frame(to), nil)
			if wrong := d.wrong(frame(to)); wrong != "" {
				t.Error(wrong)
			}
			if len(out) > 300 {
				t.Errorf("it writes %d bytes: %q", len(out), out)
			}
		})
	}
}

func TestAFrameStandsBetweenMarks(t *testing.T) {
	t.Parallel()
	d := terminal(20, 4)
	d.p.Synced = true
	d.frame("one", tea.NewCursor(0, 0))
	out := d.frame("two", tea.NewCursor(0, 0))
	if !strings.HasPrefix(out, ansi.SetModeSynchronizedOutput) || !strings.HasSuffix(out, ansi.ResetModeSynchronizedOutput) || strings.Count(out, "2026") != 2 {
		t.Errorf("a frame is %q", out)
	}
	d.p.Synced = false
	out = d.frame("three", tea.NewCursor(0, 0))
	if !strings.HasPrefix(out, ansi.ResetModeTextCursorEnable) || !strings.HasSuffix(out, ansi.SetModeTextCursorEnable) {
		t.Errorf("where there are no marks the cursor is seen to wander: %q", out)
	}
}

func TestSomethingElseWroteMeanwhile(t *testing.T) {
	t.Parallel()
	d := terminal(20, 4)
	d.frame(lines(0, 4), nil)
	_, _ = d.terminal.WriteString("\x1b[2J\x1b[31mnoise")
	d.p.Forget()
	d.frame(lines(0, 4), nil)
	if wrong := d.wrong(lines(0, 4)); wrong != "" {
		t.Error(wrong)
	}
}

func TestNothingButTextAndStylesPasses(t *testing.T) {
	t.Parallel()
	d := terminal(40, 2)
	out := d.frame("a\x1b[5;5Hb\x07c\x1b]0;title\x07d \x1b]8;;https://example.org\x07link\x1b]8;;\x07", nil)
	for _, bad := range []string{"[5;5H", "b\x07", "title"} {
		if strings.Contains(out, bad) {
			t.Errorf("%q passes: %q", bad, out)
		}
	}
	if !strings.Contains(out, "abcd \x1b]8;;https://example.org") {
		t.Errorf("text or link is missing: %q", out)
	}
}

func TestColoursThatTheTerminalHas(t *testing.T) {
	t.Parallel()
	for profile, want := range map[colorprofile.Profile]string{colorprofile.ANSI: "\x1b[91mred", colorprofile.NoTTY: "red"} {
		d := terminal(20, 1)
		d.p.Profile = profile
		if out := d.frame("\x1b[38;2;255;0;0mred\x1b[m", nil); !strings.Contains(out, want) {
			t.Errorf("%v: %q has no %q", profile, out, want)
		}
	}
}

// Budget: 30 µs for a frame in which a row grew.
func BenchmarkRowGrows(b *testing.B) {
	d := terminal(120, 40)
	words := strings.Repeat("word ", 20)
	for i := 0; b.Loop(); i++ {
		d.p.Frame(lines(0, 30)+"\n"+words[:i%100]+"\nbox\nfoot", tea.NewCursor(1, 35))
	}
}

// Budget: 100 µs for a frame that scrolls.
func BenchmarkScroll(b *testing.B) {
	d := terminal(120, 40)
	for i := 0; b.Loop(); i++ {
		d.p.Frame("head\n"+lines(i, 34)+"\nbox\nfoot", tea.NewCursor(1, 35))
	}
}

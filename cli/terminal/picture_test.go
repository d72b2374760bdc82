package terminal_test

import (
	"image"
	"image/color"
	"slices"
	"strings"
	"testing"

	"plimsoll/cli/terminal"
)

func TestPicturesAreDrawnWhereTheTerminalIsKnown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		how  string
		env  map[string]string
		want string // "", query, kitty, wrapped or blocks
	}{
		{"auto", map[string]string{"TERM": "xterm-kitty"}, "query"},
		{"auto", map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "ghostty"}, "query"},
		{"auto", map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "WezTerm"}, ""},
		{"auto", map[string]string{"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, ""},
		{"auto", map[string]string{"TERM": "tmux-256color", "TMUX": "x", "TERM_PROGRAM": "kitty"}, ""},
		{"kitty", map[string]string{"TERM": "xterm"}, "kitty"},
		{"kitty", map[string]string{"TERM": "tmux-256color", "TMUX": "x"}, "wrapped"},
		{"blocks", map[string]string{"TERM": "xterm"}, "blocks"},
		{"never", map[string]string{"TERM": "xterm-kitty"}, ""},
	} {
		got, a := "", terminal.New(func(name string) string { return c.env[name] }).Artist(c.how)
		if a != nil {
			m := image.NewNRGBA(image.Rect(0, 0, 2, 2))
			m.Set(1, 1, color.NRGBA{R: 255, A: 255})
			lines, before, err := a.Draw(m, image.Pt(2, 1), 16)
			switch {
			case err != nil:
				t.Fatal(err)
			case before == "":
				got = "blocks"
				if !slices.Equal(lines, []string{"\x1b[38;2;0;0;0;48;2;0;0;0m▀\x1b[38;2;0;0;0;48;2;255;0;0m▀\x1b[m"}) {
					t.Errorf("%q", lines)
				}
			case a.Query != "":
				got = "query"
			case strings.HasPrefix(before, "\x1bPtmux;\x1b\x1b_G"):
				got = "wrapped"
			case strings.HasPrefix(before, "\x1b_G"):
				got = "kitty"
			}
		}
		if got != c.want {
			t.Errorf("%s in %v: %q, want %q", c.how, c.env, got, c.want)
		}
	}
}

func TestAPictureFitsItsBox(t *testing.T) {
	t.Parallel()
	a := terminal.New(func(string) string { return "" }).Artist("kitty")
	for size, want := range map[image.Point][2]image.Point{
		{X: 4000, Y: 3000}: {{X: 38, Y: 14}, {X: 373, Y: 280}},
		{X: 30, Y: 20}:     {{X: 3, Y: 1}, {X: 30, Y: 20}},
		{X: 60000, Y: 1}:   {{X: 48, Y: 1}, {X: 480, Y: 1}},
		{X: 1, Y: 60000}:   {{X: 1, Y: 14}, {X: 1, Y: 280}},
	} {
		cells, pixels := a.Size(size.X, size.Y)
		if cells != want[0] || pixels != want[1] {
			t.Errorf("%v: %v cells, %v pixels", size, cells, pixels)
		}
	}
}

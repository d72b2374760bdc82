package themes_test

import (
	"encoding/json"
	"fmt"
	"image/color"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/themes"
)

func each(t *testing.T, check func(t *testing.T, theme themes.Theme)) {
	t.Helper()
	for _, name := range themes.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			theme, ok := themes.ByName(name)
			if !ok {
				t.Fatal("not found by its name")
			}
			check(t, theme)
		})
	}
}

func TestEveryThemeReads(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, theme themes.Theme) {
		least := usual
		if strings.HasPrefix(theme.Name, "contrast") {
			least = high
		}
		for _, f := range unreadable(theme, least) {
			t.Errorf("%s on %s has a contrast of %.2f %s; %.3g is needed", f.role.Name, f.beside.Name, f.got, f.eyes, f.want)
		}
	})
}

func TestDiffsReadOnTheirRows(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, theme themes.Theme) {
		if !theme.HasColour() {
			return
		}
		d := themes.Build(theme).Diff
		for name, row := range map[string][3]lipgloss.Style{"added": {d.AddedRow, d.AddedWord, d.Added}, "removed": {d.RemovedRow, d.RemovedWord, d.Removed}} {
			tint, word := hexOf(row[0].GetBackground()), hexOf(row[1].GetBackground())
			for what, pair := range map[string][2]string{"text": {theme.Text, tint}, "a word": {theme.Text, word}} {
				if got := themes.Contrast(pair[0], pair[1]); got < 4.5 || what == "text" && got < 7 {
					t.Errorf("%s: %s has a contrast of %.2f", name, what, got)
				}
			}
			if got := themes.Contrast(hexOf(row[2].GetForeground()), tint); got < 3 {
				t.Errorf("%s: the glyph has a contrast of %.2f, want 3", name, got)
			}
			for what, pair := range map[string][2]string{"row": {tint, theme.Background}, "word": {word, tint}} {
				if got := themes.Contrast(pair[0], pair[1]); got < 1.1 {
					t.Errorf("%s: a %s stands out by %.2f, want 1.1", name, what, got)
				}
			}
		}
	})
}

func hexOf(c color.Color) string {
	r, g, b, _ := c.RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}

func TestAThemeTakesWhatItDoesNotNameFromItsBase(t *testing.T) {
	t.Parallel()
	base := themes.ForBackground(true)
	mine := themes.Theme{Name: "mine", Palette: themes.Palette{Text: "#ffffff"}, Gauge: themes.Gauge{Stubs: "#123456"}}.WithBase(base)
	want := base
	want.Name, want.Dark, want.Text, want.Gauge.Stubs = "mine", false, "#ffffff", "#123456"
	if d := cmp.Diff(want, mine); d != "" {
		t.Error(d)
	}
	for _, r := range mine.Roles() {
		if r.Color == "" || r.Name[len(r.Name)-1] == '.' {
			t.Errorf("%+v", r)
		}
	}
}

// walk renders "x" in every style of a struct of structs.
func walk(v reflect.Value, path string, visit func(path, rendered string)) {
	if style, ok := v.Interface().(lipgloss.Style); ok {
		visit(path, style.Render("x"))
		return
	}
	if v.Kind() != reflect.Struct {
		return
	}
	for i := range v.NumField() {
		walk(v.Field(i), path+"."+v.Type().Field(i).Name, visit)
	}
}

var sgrColour = regexp.MustCompile(`\x1b\[(?:[\d;]*;)?(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])[;\dm]`)

func TestStylesAreInlineAndMonoHasNoColour(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, theme themes.Theme) {
		coloured := 0
		walk(reflect.ValueOf(themes.Build(theme)), theme.Name, func(path, rendered string) {
			if ansi.Strip(rendered) != "x" {
				t.Errorf("%s is not inline: %q", path, rendered)
			}
			if sgrColour.MatchString(rendered) {
				coloured++
			}
		})
		if theme.HasColour() != (coloured > 0) {
			t.Errorf("%d styles with colour", coloured)
		}
		md, err := json.Marshal(themes.Markdown(theme))
		if err != nil {
			t.Fatal(err)
		}
		if theme.HasColour() != strings.Contains(string(md), `Colour":"#`) {
			t.Errorf("colours in Markdown: %s", md)
		}
	})
}

// Budget: 200 us; it happens once per change of theme.
func BenchmarkBuild(b *testing.B) {
	theme := themes.ForBackground(true)
	for b.Loop() {
		themes.Build(theme)
	}
}

// On 256 colors a surface is one of the grays there are, reads as well as on all colors, and differs from the background.
func TestSurfacesOfIndexedThemesAreGraysThatRead(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, theme themes.Theme) {
		if !theme.HasColour() {
			return
		}
		x := theme.For256Colors()
		for name, surface := range map[string]string{"surface": x.Surface, "raised": x.Raised, "band": x.Band} {
			v, err := strconv.ParseUint(surface[1:3], 16, 8)
			if err != nil || surface[1:3] != surface[3:5] || surface[3:5] != surface[5:7] || (v-8)%10 != 0 {
				t.Errorf("the %s %s is no gray of the palette", name, surface)
			}
			if surface == theme.Background {
				t.Errorf("the %s is the background", name)
			}
			for ink, hex := range map[string]string{"text": x.Text, "muted": x.Muted} {
				if c := themes.Contrast(hex, surface); c < 4.5 {
					t.Errorf("%s on the %s %s has a contrast of %.2f", ink, name, surface, c)
				}
			}
		}
	})
}

func TestStatesDifferInMono(t *testing.T) {
	t.Parallel()
	mono, _ := themes.ByName(themes.Mono)
	s := themes.Build(mono)
	for name, pair := range map[string][2]lipgloss.Style{
		"selected item":  {s.Selected, s.Text},
		"selected text":  {s.Selection, s.Text},
		"shell line":     {s.Warning, s.Accent},
		"failed tool":    {s.Error, s.Success},
		"danger":         {s.Gauge.Hard, s.Gauge.Load},
		"user":           {s.User, s.Text},
		"error":          {s.Error, s.Muted},
		"keys in a help": {s.Title, s.Muted},
	} {
		if pair[0].Render("x") == pair[1].Render("x") {
			t.Errorf("%s looks like its opposite", name)
		}
	}
}

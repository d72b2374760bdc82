package themes_test

import (
	"encoding/json"
	"fmt"
	"math"
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

// luminance and contrast follow WCAG 2.1, "relative luminance" and "contrast ratio".
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	v, err := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	if err != nil || len(hex) != 7 {
		t.Fatalf("%q is not #rrggbb", hex)
	}
	channel := func(shift int) float64 {
		c := float64(v>>shift&0xff) / 255
		if c <= 0.03928 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(16) + 0.7152*channel(8) + 0.0722*channel(0)
}

func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	la, lb := luminance(t, a), luminance(t, b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func TestColoursReadAgainstTheBackgroundAndOnSurfaces(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, theme themes.Theme) {
		if !theme.HasColour() {
			return
		}
		marks, secondary, faint := 4.5, 4.5, 3.0
		if strings.HasPrefix(theme.Name, "contrast") {
			marks, secondary, faint = 7, 7, 7
		}
		p := theme.Palette
		grounds := map[string]string{"background": p.Background, "surface": p.Surface, "raised": p.Raised, "band": p.Band}
		reads := func(name, c string, least float64) {
			for ground, behind := range grounds {
				if name == "faint" && ground == "surface" {
					continue // labels of code are told by their place
				}
				if got := contrast(t, c, behind); got < least {
					t.Errorf("%s %s has a contrast of %.2f on %s, want %.1f", name, c, got, ground, least)
				}
			}
		}
		reads("text", p.Text, 7)
		reads("muted", p.Muted, secondary)
		reads("faint", p.Faint, faint)
		for name, c := range map[string]string{
			"accent": p.Accent, "user": p.User, "link": p.Link, "inline": p.Inline, "success": p.Success, "warning": p.Warning,
			"danger": p.Danger, "added": p.Added, "removed": p.Removed, "hunk": p.Hunk,
		} {
			reads(name, c, marks)
		}
		if got := contrast(t, p.Text, p.Selection); got < 7 {
			t.Errorf("selected text has a contrast of %.2f, want 7", got)
		}
		for ground, behind := range map[string]string{"background": p.Background, "raised": p.Raised} {
			if got := contrast(t, p.Selection, behind); got < 1.2 {
				t.Errorf("what is selected has a contrast of %.2f with %s, want 1.2", got, ground)
			}
		}
	})
}

func TestCodeReadsOnItsSurface(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, theme themes.Theme) {
		if !theme.HasColour() {
			return
		}
		least := 4.5
		if strings.HasPrefix(theme.Name, "contrast") {
			least = 7
		}
		syntax := reflect.ValueOf(theme.Syntax)
		for i := range syntax.NumField() {
			for _, behind := range []string{theme.Surface, theme.Background} {
				if got := contrast(t, syntax.Field(i).String(), behind); got < least {
					t.Errorf("%s has a contrast of %.2f on %s, want %.1f", syntax.Type().Field(i).Name, got, behind, least)
				}
			}
		}
	})
}

// gauge is the colours of the segments in the order of the bar.
func gauge(theme themes.Theme) []string {
	v := reflect.ValueOf(theme.Gauge)
	var colours []string
	for i := range v.NumField() - 1 { // the reserve stands alone
		colours = append(colours, v.Field(i).String())
	}
	return colours
}

func TestSegmentsOfTheGaugeCanBeTold(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, theme themes.Theme) {
		if !theme.HasColour() {
			return
		}
		colours := gauge(theme)
		for i, c := range colours {
			if got := contrast(t, c, theme.Background); got < 3 {
				t.Errorf("%s has a contrast of %.2f with the background, want 3", c, got)
			}
			if i == 0 {
				continue
			}
			if got := contrast(t, c, colours[i-1]); got < 1.5 {
				t.Errorf("%s has a contrast of %.2f with its neighbour %s, want 1.5", c, got, colours[i-1])
			}
			for kind, see := range map[string]func(string) string{"red": withoutRed, "green": withoutGreen} {
				if got := contrast(t, see(c), see(colours[i-1])); got < 1.3 {
					t.Errorf("who sees no %s tells %s from %s by a contrast of %.2f, want 1.3", kind, c, colours[i-1], got)
				}
			}
		}
	})
}

// withoutRed and withoutGreen show a colour as people see it whose eyes lack the cones for red or for green, after
// Viénot, Brettel and Mollon (1999).
func withoutRed(hex string) string {
	return seen(hex, [3][3]float64{{.11238, .88762, 0}, {.11238, .88762, 0}, {.00401, -.00401, 1}})
}

func withoutGreen(hex string) string {
	return seen(hex, [3][3]float64{{.29275, .70725, 0}, {.29275, .70725, 0}, {-.02234, .02234, 1}})
}

// seen is a colour through a matrix in linear light.
func seen(hex string, m [3][3]float64) string {
	v, _ := strconv.ParseUint(strings.TrimPrefix(hex, "#"), 16, 32)
	var in [3]float64
	for i := range in {
		in[i] = math.Pow(float64(v>>(16-8*i)&0xff)/255, 2.2)
	}
	out := "#"
	for _, row := range m {
		c := row[0]*in[0] + row[1]*in[1] + row[2]*in[2]
		out += fmt.Sprintf("%02x", int(math.Round(255*math.Pow(min(1, max(0, c)), 1/2.2))))
	}
	return out
}

func TestThereAreThemesForEverybody(t *testing.T) {
	t.Parallel()
	seen, dark, light := map[string]bool{}, 0, 0
	for _, name := range themes.Names() {
		theme, _ := themes.ByName(name)
		if seen[name] {
			t.Errorf("two themes are called %s", name)
		}
		seen[name] = true
		switch {
		case !theme.HasColour():
		case theme.Dark:
			dark++
		default:
			light++
		}
	}
	if dark+light < 8 || dark < 3 || light < 3 {
		t.Errorf("%d dark and %d light themes", dark, light)
	}
}

func TestAFlatThemeHasNoSurfaces(t *testing.T) {
	t.Parallel()
	flat := themes.Auto(true).Flat()
	if flat.Surface+flat.Raised+flat.Band != "" || flat.Text == "" {
		t.Errorf("%+v", flat.Palette)
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

func TestCodeInMarkdownCanBeTold(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, theme themes.Theme) {
		s := themes.Markdown(theme)
		if s.Syntax != theme.Syntax || s.Surface != theme.Surface {
			t.Errorf("code has the style %+v on %q", s.Syntax, s.Surface)
		}
		if (s.CodeMark == "") == (s.Code == themes.Face{}) {
			t.Errorf("inline code has the face %+v and the mark %q", s.Code, s.CodeMark)
		}
	})
}

func TestStatesDifferInMono(t *testing.T) {
	t.Parallel()
	mono, _ := themes.ByName(themes.Mono)
	s := themes.Build(mono)
	for name, pair := range map[string][2]lipgloss.Style{
		"selected item":  {s.Overlay.Selected, s.Overlay.Item},
		"selected text":  {s.Text.Selection, s.Text.Assistant},
		"shell line":     {s.Composer.Shell, s.Composer.Border},
		"failed tool":    {s.Tool.Error, s.Tool.OK},
		"danger":         {s.Gauge.Danger, s.Gauge.Warning},
		"user":           {s.Text.User, s.Text.Assistant},
		"error":          {s.Text.Error, s.Text.Notice},
		"keys in a help": {s.Frame.HelpKey, s.Frame.Detail},
	} {
		if pair[0].Render("x") == pair[1].Render("x") {
			t.Errorf("%s looks like its opposite", name)
		}
	}
}

func TestAutoMatchesTheTerminal(t *testing.T) {
	t.Parallel()
	got := []string{themes.Auto(true).Name, themes.Auto(false).Name}
	if d := cmp.Diff([]string{themes.PlimsollDark, themes.PlimsollLight}, got); d != "" {
		t.Error(d)
	}
	if _, ok := themes.ByName("no such theme"); ok {
		t.Error("found a theme that is not there")
	}
}

// Budget: 200 us; it happens once per change of theme.
func BenchmarkBuild(b *testing.B) {
	theme := themes.Auto(true)
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
		x := theme.Indexed()
		for name, surface := range map[string]string{"surface": x.Surface, "raised": x.Raised, "band": x.Band} {
			v, err := strconv.ParseUint(surface[1:3], 16, 8)
			if err != nil || surface[1:3] != surface[3:5] || surface[3:5] != surface[5:7] || (v-8)%10 != 0 {
				t.Errorf("the %s %s is no gray of the palette", name, surface)
			}
			if surface == theme.Background {
				t.Errorf("the %s is the background", name)
			}
			for ink, hex := range map[string]string{"text": x.Text, "muted": x.Muted} {
				if c := contrast(t, hex, surface); c < 4.5 {
					t.Errorf("%s on the %s %s has a contrast of %.2f", ink, name, surface, c)
				}
			}
		}
	})
}

package themes_test

import (
	"encoding/json"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/styles"
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

func TestColoursReadAgainstTheBackground(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, theme themes.Theme) {
		if !theme.HasColour() {
			return
		}
		text, secondary := 4.5, 3.0
		if strings.HasPrefix(theme.Name, "contrast") {
			text, secondary = 7, 7
		}
		p := theme.Palette
		for name, c := range map[string]string{
			"text": p.Text, "accent": p.Accent, "link": p.Link, "inline": p.Inline, "success": p.Success, "warning": p.Warning,
			"danger": p.Danger, "added": p.Added, "removed": p.Removed, "hunk": p.Hunk,
		} {
			if got := contrast(t, c, p.Background); got < text {
				t.Errorf("%s %s has a contrast of %.2f, want %.1f", name, c, got, text)
			}
		}
		if got := contrast(t, p.Text, p.Selection); got < text {
			t.Errorf("selected text has a contrast of %.2f, want %.1f", got, text)
		}
		if got := contrast(t, p.Muted, p.Background); got < secondary {
			t.Errorf("muted has a contrast of %.2f, want %.1f", got, secondary)
		}
		gauge := reflect.ValueOf(theme.Gauge)
		for i := range gauge.NumField() {
			if got := contrast(t, gauge.Field(i).String(), p.Background); got < 3 {
				t.Errorf("gauge %s has a contrast of %.2f, want 3", gauge.Type().Field(i).Name, got)
			}
		}
	})
}

func TestCodeReadsAgainstTheBackground(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, theme themes.Theme) {
		if theme.Code == "" {
			return
		}
		style, ok := styles.Registry[theme.Code]
		if !ok {
			t.Fatalf("chroma has no style %q", theme.Code)
		}
		least := 4.5
		if strings.HasPrefix(theme.Name, "contrast") {
			least = 7
		}
		for _, token := range []chroma.TokenType{
			chroma.Text, chroma.Name, chroma.Keyword, chroma.KeywordType, chroma.NameFunction, chroma.NameTag, chroma.NameAttribute,
			chroma.LiteralString, chroma.LiteralNumber, chroma.Operator, chroma.Punctuation, chroma.Comment, chroma.CommentPreproc,
		} {
			c := style.Get(token).Colour
			if c.IsSet() && contrast(t, c.String(), theme.Background) < least {
				t.Errorf("%s %s has a contrast of %.2f, want %.1f", token, c, contrast(t, c.String(), theme.Background), least)
			}
		}
	})
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
		if s.Syntax != theme.Code {
			t.Errorf("code style %q", s.Syntax)
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

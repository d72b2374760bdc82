package tui

import (
	"io"
	"strings"

	"github.com/charmbracelet/colorprofile"

	"plimsoll/themes"
	"plimsoll/tui/transcript/markdown"
)

// PrintMarkdown writes a text rendered to w, without the screen, in the
// colours that the terminal of environ has. Text is made safe first.
func PrintMarkdown(w io.Writer, text string, width int, colourless bool, environ []string) error {
	theme, _ := chooseTheme("auto", !lightBackground(environ), colourless)
	lines := markdown.New(themes.Markdown(theme), width).Render(text)
	_, err := io.WriteString(colorprofile.NewWriter(w, environ), strings.Join(lines, "\n")+"\n")
	return err
}

// lightBackground reports whether the terminal says in COLORFGBG that its
// background is light. Asking it would leave the answer to the shell.
func lightBackground(environ []string) bool {
	for _, e := range environ {
		if v, ok := strings.CutPrefix(e, "COLORFGBG="); ok {
			bg := v[strings.LastIndexByte(v, ';')+1:]
			return bg == "7" || bg == "15"
		}
	}
	return false
}

// CheckTheme reports whether a theme can be chosen; the error names those
// there are.
func CheckTheme(wish string) error {
	if _, ok := chooseTheme(wish, true, false); !ok {
		return &themeError{wish}
	}
	return nil
}

type themeError struct{ wish string }

func (e *themeError) Error() string {
	return "there is no theme " + e.wish + "; the themes are auto, dark, light, " + strings.Join(themes.Names(), ", ")
}

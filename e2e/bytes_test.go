package e2e_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Control sequences in the program's output. Only those that the renderer needs are allowed, so that a test finds every one
// that a model, a tool or a file added.

var sgr = regexp.MustCompile(`\x1b\[([0-9;:]*)m`)

func colours(output string) []string {
	var found []string
	for _, m := range sgr.FindAllStringSubmatch(output, -1) {
		for _, n := range strings.FieldsFunc(m[1], func(r rune) bool { return r == ';' || r == ':' }) {
			if len(n) == 2 && strings.ContainsAny(n[:1], "349") && n[1] != '9' || len(n) == 3 {
				found = append(found, m[0])
				break
			}
		}
	}
	return found
}

// allowedCSI are the sequences that drawing needs: cursor, styles, parts of lines, scrolling. isFrameCSI checks the parameters
// of those that clear the screen (J) and set modes (h, l).
const allowedCSI = "ABCDEFGHKLMPSTXZ`abdefmr@Igq"

// unexpectedSequences lists the control sequences in the output that drawing a frame does not need.
func unexpectedSequences(output string) []string {
	var found []string
	add := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }
	p := ansi.NewParser()
	p.SetDataSize(1 << 20)
	p.SetHandler(ansi.Handler{
		Print: func(r rune) {
			if r == utf8.RuneError || !reorders(r) {
				return
			}
			add("U+%04X", r)
		},
		Execute: func(b byte) {
			if !strings.ContainsRune("\b\t\n\r", rune(b)) || b >= 0x80 {
				add("control %#02x", b)
			}
		},
		HandleCsi: func(cmd ansi.Cmd, params ansi.Params) {
			if !isFrameCSI(cmd, params) {
				add("CSI %c%v%c", cmd.Prefix(), params, cmd.Final())
			}
		},
		HandleEsc: func(cmd ansi.Cmd) {
			if cmd.Intermediate() != 0 || cmd.Final() != 'M' && cmd.Final() != '\\' { // up a line; the end of a string
				add("ESC %c", cmd.Final())
			}
		},
		HandleOsc: func(cmd int, data []byte) {
			if cmd != 2 || !strings.HasPrefix(string(data), "2;⊖ ") || !plainTitle(string(data)) {
				add("OSC %q", data)
			}
		},
		HandleDcs: func(cmd ansi.Cmd, _ ansi.Params, data []byte) { add("DCS %c %q", cmd.Final(), data) },
		HandlePm:  func(data []byte) { add("PM %q", data) },
		HandleApc: func(data []byte) { add("APC %q", data) },
		HandleSos: func(data []byte) { add("SOS %q", data) },
	})
	for i := range len(output) {
		p.Advance(output[i])
	}
	if !utf8.ValidString(output) {
		add("bytes that are no UTF-8")
	}
	return found
}

func isFrameCSI(cmd ansi.Cmd, params ansi.Params) bool {
	n, _, _ := params.Param(0, 0)
	switch {
	case cmd.Intermediate() != 0:
		return cmd.Intermediate() == ' ' && cmd.Final() == 'q' // the look of the cursor
	case cmd.Prefix() == '?' && (cmd.Final() == 'h' || cmd.Final() == 'l'):
		return n == 7 || n == 25 || n == 2026 || n == 2027 // wrapping at the last cell, the cursor, whole frames, widths as people see them
	case cmd.Prefix() != 0:
		return false
	case cmd.Final() == 'J':
		return n == 0 // to the end of the screen
	}
	return strings.ContainsRune(allowedCSI, rune(cmd.Final()))
}

// reorders reports whether a character changes the order of text around it, or is a control character.
func reorders(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r)
}

func plainTitle(s string) bool { return !strings.ContainsFunc(s, reorders) }

func TestUnexpectedControlSequencesAreFound(t *testing.T) {
	t.Parallel()
	for _, control := range []string{
		"\x1b]52;c;UFdORUQ=\x07", "\x1b]52;c;UFdORUQ=\x1b\\", "\x9d52;c;UFdORUQ=\x9c", "\u009d52;c;UFdORUQ=\u009c",
		"\x1b]8;;http://evil.example/\x1b\\", "\x1b]0;PWNED\x07", "\x1b]2;PWNED\x07", "\x1b]2;⊖ \u202e\x07",
		"\x1b[2J", "\x1b[3J", "\x9b2J", "\u009b2J", "\x1bc", "\x1b[!p", "\x1b[?1049l", "\x1b[?2004l", "\x1b[4h", "\x1b[6n",
		"\x1b[c", "\x1b[21t", "\x1bP+q544e\x1b\\", "\x1b_apc\x1b\\", "\x1b^pm\x1b\\", "\x1bXsos\x1b\\",
		"\x0e", "\x07", "\x00", "\u202e", "\u2066", "\u200f", "\xff",
	} {
		if found := unexpectedSequences("text " + control + " text"); len(found) == 0 {
			t.Errorf("%q was not seen", control)
		}
	}
	frame := "\x1b[?2026h\x1b[H\x1b[1;32mplimsoll\x1b[m 漢字 ▕█▏\r\n\x1b[K\x1b[3X\x1b[4 q\x1b]2;⊖ 61% a title\x07\x1b[?2026l"
	if found := unexpectedSequences(frame); len(found) > 0 {
		t.Errorf("a frame is taken for %v", found)
	}
}

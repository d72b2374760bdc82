package edit_test

import (
	"strings"
	"testing"
	"unicode"

	"plimsoll/compact/edit"
)

func TestBoundsAreReadAndTold(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"0":                   "0",
		"5":                   "5",
		"007":                 "7",
		"2147483647":          "2147483647",
		"-1":                  "-1",
		"-3":                  "-3",
		"-03":                 "-3",
		"last":                "last",
		"5h":                  "5h",
		"30m":                 "30m",
		"2d":                  "2d",
		"1w":                  "1w",
		"90s":                 "1m30s",
		"1h30m":               "1h30m",
		"90m":                 "1h30m",
		"1d12h":               "1d12h",
		"36h":                 "1d12h",
		"10d":                 "10d",
		"14d":                 "2w",
		"1w3d":                "10d",
		"1w2d3h4m5s":          "9d3h4m5s",
		"0s":                  "0s",
		"0w0m":                "0s",
		"15250w":              "15250w",
		"9223372036s":         "106751d23h47m16s",
		"0000000000000000001": "1",
	} {
		b, err := edit.ParseBound(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		if b.String() != want {
			t.Errorf("%q is told as %q, want %q", text, b, want)
		}
	}
}

func TestWhatIsNoBoundIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "-", "--3", "+5", "+5h", " 5", "last ", "Last", "h", "٥", "-0", "99999999999999999999", "-99999999999999999999", "15251w", "9223372037s",
		"15250w15250d", "-5h", "5 ", "5x", "5.5h", "1h30", "1hh", "5h\n", "0x10", "1_000", "30m1h", "5m5m", strings.Repeat("9", 5000) + "w"} {
		b, err := edit.ParseBound(text)
		if err == nil || b != (edit.Bound{}) || len(err.Error()) > 500 {
			t.Errorf("%.20q is read as %v, %v", text, b, err)
		}
	}
}

// FuzzParseBound: any text is a bound that reads back as itself, or an error
// that is safe to print.
func FuzzParseBound(f *testing.F) {
	for _, text := range []string{
		"", "0", "5", "-3", "-0", "+5", "last", "5h", "1h30m", "1w2d3h4m5s", "15250w", "15251w", "9223372036854775807",
		"-9223372036854775808", "٥", " 5", "5 h", "1.5h", "\xff", "\x1b[0m", "0s0s",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		b, err := edit.ParseBound(text)
		if err != nil {
			for _, r := range err.Error() {
				if !unicode.IsPrint(r) {
					t.Fatalf("%q is in the error %q", r, err)
				}
			}
			return
		}
		if strings.ContainsFunc(text, func(r rune) bool { return !strings.ContainsRune("-0123456789wdhmslat", r) }) {
			t.Fatalf("%q is read as %v", text, b)
		}
		again, err := edit.ParseBound(b.String())
		if err != nil || again != b {
			t.Fatalf("%q is told as %q, which is read as %v (%v)", text, b, again, err)
		}
	})
}

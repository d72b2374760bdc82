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

func TestBoundsThatMeanTheSameAreEqual(t *testing.T) {
	t.Parallel()
	for _, pair := range [][2]string{{"90m", "1h30m"}, {"7d", "1w"}, {"05", "5"}, {"-3", "-03"}, {"0s", "0h"}} {
		a, errA := edit.ParseBound(pair[0])
		b, errB := edit.ParseBound(pair[1])
		if errA != nil || errB != nil || a != b {
			t.Errorf("%v: %v and %v differ (%v, %v)", pair, a, b, errA, errB)
		}
	}
	zero, err := edit.ParseBound("0")
	if err != nil || zero != (edit.Bound{}) {
		t.Errorf("0 is %v (%v), not the zero value", zero, err)
	}
}

func TestWhatIsNoBoundIsRefusedWithTheForms(t *testing.T) {
	t.Parallel()
	const (
		other   = "it has none of the forms"
		zero    = "turns before the last one begin at -1"
		large   = "the number is too large"
		long    = "longer ago than can be counted"
		signed  = "a time ago takes no sign"
		numbers = "whole numbers, each with a unit"
		order   = "once each, the largest first"
	)
	for text, why := range map[string]string{
		"":                              other,
		" ":                             other,
		"-":                             other,
		"--3":                           other,
		"+5":                            other,
		"+5h":                           other,
		" 5":                            other,
		"last ":                         other,
		"Last":                          other,
		"first":                         other,
		"h":                             other,
		"٥":                             other,
		"五":                             other,
		"５":                             other,
		"-٣":                            other,
		"\x00":                          other,
		"-0":                            zero,
		"-00":                           zero,
		"99999999999999999999":          large,
		"-9223372036854775808":          large,
		"-99999999999999999999":         large,
		"15251w":                        long,
		"106752d":                       long,
		"9223372037s":                   long,
		"99999999999999999999h":         long,
		"15250w15250d":                  long,
		"-5h":                           signed,
		"-5 ":                           signed,
		"5 ":                            numbers,
		"5 h":                           numbers,
		"5x":                            numbers,
		"5H":                            numbers,
		"5.5h":                          numbers,
		"1h30":                          numbers,
		"1hh":                           numbers,
		"5h\n":                          numbers,
		"5١h":                           numbers,
		"1.0":                           numbers,
		"0x10":                          numbers,
		"1_000":                         numbers,
		"30m1h":                         order,
		"5m5m":                          order,
		"1h1d":                          order,
		strings.Repeat("9", 5000) + "w": long,
	} {
		b, err := edit.ParseBound(text)
		if err == nil {
			t.Errorf("%q is read as %v", text, b)
			continue
		}
		if b != (edit.Bound{}) {
			t.Errorf("%q: a bound comes with the error: %v", text, b)
		}
		for _, part := range []string{why, "a turn (5)", "(-3)", "5h, 30m, 2d, 1w, 1d12h", "or last"} {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: %q is missing in: %v", text, part, err)
			}
		}
	}
}

func TestRefusedBoundsAreToldShortAndHarmless(t *testing.T) {
	t.Parallel()
	_, err := edit.ParseBound("\x1b[31m\u202e" + strings.Repeat("é", 100_000))
	if err == nil {
		t.Fatal("read as a bound")
	}
	const want = `"\x1b[31m\u202eéé`
	if !strings.HasPrefix(err.Error(), want) || len(err.Error()) > 500 {
		t.Errorf("got %d bytes: %.100s", len(err.Error()), err)
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

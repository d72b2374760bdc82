package diffview_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation/diff"
	"plimsoll/themes"
	"plimsoll/tui/diffview"
)

// file is a change of one hunk. Lines begin with their sign.
func file(lines ...string) diff.File {
	h := diff.Hunk{Old: 9, New: 9}
	for _, l := range lines {
		h.Lines = append(h.Lines, diff.Line{Op: diff.Op(l[0]), Text: l[1:] + "\n"})
	}
	return diff.File{From: "x.go", To: "x.go", Hunks: []diff.Hunk{h}}
}

// marks underlines the changed words, which drawn shows as brackets.
var marks = diffview.Styles{AddedWord: lipgloss.NewStyle().Underline(true), RemovedWord: lipgloss.NewStyle().Underline(true)}

// drawn draws a diff with brackets around the changed words.
func drawn(f diff.File, width int, o diffview.Options) []string {
	rows, _ := marks.Draw(f, width, o)
	for i, r := range rows {
		r = strings.NewReplacer("\x1b[4m", "[", "\x1b[4;4m", "[", "\x1b[m", "]").Replace(r)
		rows[i] = strings.TrimRight(r, " ")
	}
	return rows
}

func check(t *testing.T, want string, got []string) {
	t.Helper()
	if d := cmp.Diff(strings.Trim(want, "\n"), strings.Join(got, "\n")); d != "" {
		t.Error(d)
	}
}

func TestWordsThatChangedAreMarked(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"a word": {[]string{`-srv := NewServer(":8080")`, `+srv := NewServer(":0")`}, `
 9 - srv := NewServer(":[8080]")
 9 + srv := NewServer(":[0]")`},
		"words with blanks between": {[]string{"-return one two three, err", "+return a b three, err"}, `
 9 - return [one two] three, err
 9 + return [a b] three, err`},
		"only added": {[]string{"-f(a)", "+f(a, b)"}, `
 9 - f(a)
 9 + f(a[, b])`},
		"little in common": {[]string{"-the quick brown fox", "+jumps over lazy dogs"}, `
 9 - the quick brown fox
 9 + jumps over lazy dogs`},
		"the line in the same place": {[]string{"-beta(one)", "-alpha(1)", "+beta(two)"}, `
 9 - beta([one])
10 - alpha(1)
 9 + beta([two])`},
		"wide": {[]string{"-漢字の一つ", "+漢字の二つ"}, `
 9 - 漢字の[一]つ
 9 + 漢字の[二]つ`},
		"marks stay with their letter": {[]string{"-xyz cafe\u0301 xyz", "+xyz cafe xyz"}, `
 9 - xyz [cafe` + "\u0301" + `] xyz
 9 + xyz [cafe] xyz`},
		"blank lines": {[]string{"-", "-a b", "+", "+a c"}, `
 9 -
10 - a [b]
 9 +
10 + a [c]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			check(t, c.want, drawn(file(c.lines...), 60, diffview.All))
		})
	}
}

func TestLongLinesWrapAtWordsAfterAMark(t *testing.T) {
	t.Parallel()
	f := file(" \tone two three four five six", "-\tsome words that are here and there", "+\tsome words that are here and here")
	check(t, `
 9       one two three four
 ↳       five six
10 -     some words that are
 ↳ -     here and [there]
10 +     some words that are
 ↳ +     here and [here]`, drawn(f, 30, diffview.All))
}

func TestFoldedDiffsShowLessAroundTheirChanges(t *testing.T) {
	t.Parallel()
	f := file(" a", " b", "-c", " d", " e", " f", "+g", " h", "-i", "+j")
	check(t, `
10   b
11 - c
11   d
 ⋯
13   f
14 + g
15   h
16 - i
16 + j`, drawn(f, 60, diffview.Options{Context: 1}))
	rows, left := marks.Draw(f, 60, diffview.Options{Context: 1, Most: 4})
	if len(rows) != 3 || left != 5 {
		t.Errorf("%d rows, %d lines left:\n%s", len(rows), left, strings.Join(rows, "\n"))
	}
}

func TestHostileTextIsMadeSafe(t *testing.T) {
	t.Parallel()
	f := file(" \x1b[2J\x1b]52;c;aGk=\x07", "-a\u202egpj.exe\rb", "+a\u2028c\x00")
	rows := strings.Join(drawn(f, 60, diffview.All), "\n")
	check(t, `
 9   ␛[2J␛]52;c;aGk=␇
10 - a«U+202E»gpj.exe␍b
10 + a␍c␀`, []string{rows})
}

// Rows fit their width and contain every line, for random texts and widths.
func TestRowsFitEveryWidth(t *testing.T) {
	t.Parallel()
	pieces := []string{"word", "漢字", " ", "\t", "👩‍👩‍👧", "e\u0301", "\x1b[31m", "(", "averyveryverylongwordwithoutanend", "\u202e", "\r"}
	styles := diffview.Styles(themes.Build(func() themes.Theme { t, _ := themes.ByName(themes.PlimsollDark); return t }()).Diff)
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 2))
		var lines []string
		for range 1 + r.IntN(6) {
			l := string(" +-"[r.IntN(3)])
			for range r.IntN(12) {
				l += pieces[r.IntN(len(pieces))]
			}
			lines = append(lines, l)
		}
		f, width := file(lines...), 1+r.IntN(100)
		for _, fill := range []bool{false, true} {
			rows, left := styles.Draw(f, width, diffview.Options{Context: -1, Fill: fill})
			if left != 0 {
				t.Fatalf("seed %d: %d lines left", seed, left)
			}
			for _, row := range rows {
				if w := ansi.StringWidth(row); w > width {
					t.Fatalf("seed %d: %d cells of %d: %q", seed, w, width, row)
				}
			}
		}
	}
}

func BenchmarkDraw(b *testing.B) {
	var lines []string
	for i := range 200 {
		lines = append(lines, fmt.Sprintf(" context line %d of the file", i), fmt.Sprintf("-was %d here and there", i), fmt.Sprintf("+is %d here and now", i))
	}
	f := file(lines...)
	for b.Loop() {
		marks.Draw(f, 100, diffview.All)
	}
}

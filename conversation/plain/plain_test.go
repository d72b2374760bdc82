package plain_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation/plain"
)

func TestTextShowsControlCharactersVisibly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ in, want string }{
		"clean":                {"héllo, 世界\n\tok", "héllo, 世界\n\tok"},
		"clipboard":            {"a\x1b]52;c;ZXZpbA==\x07b", "a␛]52;c;ZXZpbA==␇b"},
		"hyperlink":            {"\x1b]8;;http://x\x1b\\y", "␛]8;;http://x␛\\y"},
		"colour":               {"\x1b[31mred", "␛[31mred"},
		"eight bit CSI":        {"\u009b2J", "«U+009B»2J"},
		"raw C1 byte":          {"\x9b2J", "\uFFFD2J"},
		"device control":       {"\x1bPq\x1b\\ \x1b_x \x1b^y \x1bXz", "␛Pq␛\\ ␛_x ␛^y ␛Xz"},
		"nul bell backspace":   {"\x00\x07\x08\x7f", "␀␇␈␡"},
		"carriage returns":     {"a\r\nb\rc\r\r\n", "a\nb\nc\n\n"},
		"separators":           {"a\u2028b\u2029c", "a\nb\nc"},
		"right to left":        {"a\u202etxt.exe\u202c", "a«U+202E»txt.exe«U+202C»"},
		"isolates and marks":   {"\u2066\u2069\u200e\u200f\u061c", "«U+2066»«U+2069»«U+200E»«U+200F»«U+061C»"},
		"byte order mark":      {"\ufeffa\ufeffb", "ab"},
		"tags":                 {"x\U000e0041", "x«U+E0041»"},
		"zero width space":     {"rm\u200b -rf", "rm«U+200B» -rf"},
		"soft hyphen":          {"rm\u00ad", "rm«U+00AD»"},
		"family stays":         {"👨\u200d👩\u200d👧 ❤\ufe0f", "👨\u200d👩\u200d👧 ❤\ufe0f"},
		"selector of nothing":  {"a\ufe0f 1\ufe0f\u20e3 e\u0301\ufe0f\n\ufe0f❤\ufe0f", "a 1\u20e3 e\u0301\n❤\ufe0f"},
		"Persian joiner stays": {"می\u200cخواهم", "می\u200cخواهم"},
		"Hindi stays":          {"नमस्ते", "नमस्ते"},
		"not characters":       {"\ufdd0\ufffe\U0010ffff", "\uFFFD\uFFFD\uFFFD"},
		"broken UTF-8":         {"a\xff\xe2\x82", "a\uFFFD\uFFFD\uFFFD"},
		"flood":                {"z" + strings.Repeat("\u0301", 40) + "a", "z" + strings.Repeat("\u0301", 8) + "«…»a"},
		"joiners flood":        {"👨" + strings.Repeat("\u200d👨", 12), "👨" + strings.Repeat("\u200d👨", 8) + "«…»👨" + strings.Repeat("\u200d👨", 3)},
		"number sign":          {"x\u0600a\u06ddb\U000110cdc", "x«U+0600»a«U+06DD»b«U+110CD»c"},
		"flood, selector":      {"z" + strings.Repeat("\u0301", 9) + "\ufe0f\ufe0f", "z" + strings.Repeat("\u0301", 8) + "«…»"},
		"selectors flood":      {"z" + strings.Repeat("\U000e0100", 40) + "a", "z" + strings.Repeat("\U000e0100", 8) + "«…»a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if d := cmp.Diff(c.want, plain.Text(c.in)); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestLineStaysOnOneLine(t *testing.T) {
	t.Parallel()
	if d := cmp.Diff("a b c d␛", plain.Line("a\r\nb\tc\u2028d\x1b")); d != "" {
		t.Error(d)
	}
}

func TestCleanTextIsNotCopied(t *testing.T) {
	s := strings.Repeat("plain ünicode 世界 👍\n", 100)
	if n := testing.AllocsPerRun(20, func() { plain.Text(s) }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

// A character does not change the width of the next one, and truncated text has the requested width: otherwise text is
// drawn over its neighbours.
func TestMeasuredWidthIsTheSumOfTheCharacters(t *testing.T) {
	t.Parallel()
	for r := rune(1); r < 0x20000; r++ {
		if alone, both := ansi.StringWidth(plain.Line(string(r))), ansi.StringWidth(plain.Line(string(r)+"a")); both != alone+1 {
			t.Errorf("%U alone has %d cells, with an a behind it %d", r, alone, both)
		}
		if n := ansi.StringWidth(ansi.Truncate(plain.Line(strings.Repeat("a"+string(r), 4)), 3, "")); n > 3 {
			t.Errorf("%U: cut to 3 cells there are %d", r, n)
		}
	}
}

// corpus mixes all sequences that a cut could split.
var corpus = "a\r\nb\r\x1b[31m\x1b]0;t\x07\u009bx\u202e世界👨\u200d👩e\u0301" + strings.Repeat("\u0300", 12) + "\xff\xe2\x82\xf0\x9f\ufeff\u2028\U000e0041é\ra\ufe0f\ufe0f❤\ufe0f\u0301\ufe0f\n\ufe0f"

func TestStreamEqualsTextAtEveryCut(t *testing.T) {
	t.Parallel()
	want := plain.Text(corpus)
	for i := 0; i <= len(corpus); i++ {
		for j := i; j <= len(corpus); j++ {
			var st plain.Stream
			got := st.Write(corpus[:i]) + st.Write(corpus[i:j]) + st.Write(corpus[j:]) + st.Close()
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("cut at %d and %d: %s", i, j, d)
			}
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add(corpus, uint64(1))
	f.Add("\u200d\u0301\u0301", uint64(2))
	f.Add("👨\u200d👨\u200d\u200d\u0600\u0301\ufe0f"+strings.Repeat("\u200d👨", 9), uint64(4))
	f.Add("\u0301\ufe0fa\u0301\ufe0f❤\u0301\ufe0f", uint64(3))
	f.Fuzz(func(t *testing.T, s string, seed uint64) {
		got := plain.Text(s)
		if !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q", got)
		}
		for _, r := range got {
			if r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r == 0xfeff {
				t.Fatalf("%U left in %q", r, got)
			}
		}
		if again := plain.Text(got); again != got {
			t.Fatalf("not idempotent: %q then %q", got, again)
		}
		rng := rand.New(rand.NewPCG(seed, 0))
		var st plain.Stream
		var b strings.Builder
		for rest := s; rest != ""; {
			n := 1 + rng.IntN(len(rest))
			b.WriteString(st.Write(rest[:n]))
			rest = rest[n:]
		}
		b.WriteString(st.Close())
		if b.String() != got {
			t.Fatalf("streamed %q, whole %q", b.String(), got)
		}
		if strings.ContainsAny(plain.Line(s), "\n\t") {
			t.Fatalf("Line left a break in %q", plain.Line(s))
		}
	})
}

// Budget: 500 MB/s for ASCII, no allocation.
func BenchmarkTextASCII(b *testing.B) {
	s := strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 20000)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		plain.Text(s)
	}
}

// Budget: 100 MB/s for text that is not ASCII, no allocation.
func BenchmarkTextCJK(b *testing.B) {
	s := strings.Repeat("敏捷的棕色狐狸跳过懒狗。 Zażółć gęślą jaźń 👍\n", 10000)
	b.SetBytes(int64(len(s)))
	b.ReportAllocs()
	for b.Loop() {
		plain.Text(s)
	}
}

// Budget: 30 MB/s for hostile text.
func BenchmarkTextHostile(b *testing.B) {
	s := strings.Repeat("\x1b[31mred\x1b[0m\r\n", 20000)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		plain.Text(s)
	}
}

package markdown_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/themes"
	"plimsoll/tui/transcript/markdown"
)

// plainer takes from a source what glamour reads once more.
var plainer = strings.NewReplacer(`\`, "/", "&", "+", "\t", " ", "\u00a0", " ", "\r", "")

func compareLeaves(t rapid.TB, theme, source string, width int) (compared int) {
	th, _ := themes.ByName(theme)
	for _, leaf := range markdown.Leaves(themes.Markdown(th), source, width) {
		if d := cmp.Diff(leaf.Glamours, leaf.Ours); d != "" {
			t.Fatalf("%s at width %d, a leaf of %q (-glamour +ours):\n%s", theme, width, source, d)
		}
		compared++
	}
	return compared
}

// Paragraphs and headings are drawn as glamour draws them, byte for byte.
func TestLeavesAreThoseOfGlamour(t *testing.T) {
	t.Parallel()
	compared := 0
	for _, theme := range []string{themes.PlimsollDark, themes.Mono} {
		for _, width := range []int{20, 40, 80, 200} {
			for name, source := range corpus() {
				if name != "hostile" && name != "delimiters" {
					compared += compareLeaves(t, theme, plainer.Replace(source), width)
				}
			}
		}
	}
	if compared < 500 {
		t.Errorf("only %d leaves were compared", compared)
	}
}

func TestLeavesOfRandomTextsAreThoseOfGlamour(t *testing.T) {
	t.Parallel()
	part := rapid.SampledFrom([]string{
		"word ", "longer words and more ", "*", "**", "~~", "`code`", "[link](http://x.y)", "[*a* `b`](c)", "<br>", "<b>", "\n", "  \n", "\n\n", "# ", "### ",
		"| a | b |\n|:-:|--:|\n| *x* | `y` |\n", "世界", "👍🏽", "- ", "> ", "http://a.b/c_d", strings.Repeat("x", 50), "_", ":", "(", ")", "![i](j)",
	})
	rapid.Check(t, func(t *rapid.T) {
		source := strings.Join(rapid.SliceOfN(part, 0, 40).Draw(t, "source"), "")
		compareLeaves(t, themes.PlimsollDark, source, rapid.IntRange(8, 60).Draw(t, "width"))
	})
}

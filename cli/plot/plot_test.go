package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/charmbracelet/x/exp/golden"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/cli/plot"
)

// sample is a chart as replay makes it, with points that nearly coincide.
func sample() plot.Chart {
	return plot.Chart{
		Title:     "What compaction costs, and what it keeps",
		Subtitle:  "42 conversations, window of 128k tokens, prices of anthropic-5m",
		CostLabel: "cost, if truncate costs 1", KeptLabel: "content that is still in view",
		Points: []plot.Point{
			{Name: "plimsoll", Cost: 0.92, Kept: 0.944, Emphasis: true, Front: true},
			{Name: "jp", Cost: 0.75, Kept: 0.80, Overflow: 12},
			{Name: "jp-heavy", Cost: 0.6, Kept: 0.62, Overflow: 3},
			{Name: "adachsoft", Cost: 0.93, Kept: 0.94, Overflow: 300},
			{Name: "oneclaw", Cost: 0.91, Kept: 0.93, Overflow: 20},
			{Name: "raw", Cost: 2.15, Kept: 1, Overflow: 1},
			{Name: "truncate", Cost: 1, Kept: 0.97, Front: true},
			{Name: "unknown", Cost: 1, Kept: math.NaN()},
		},
	}
}

func with(points ...plot.Point) plot.Chart {
	c := sample()
	c.Points = points
	return c
}

// hostile are texts that a terminal or an XML reader would act on, or that are
// hard to lay out.
var hostile = []string{
	"<script>alert(1)</script>", `a&b"'`, "]]>", "x\x1b[31mred", "evil\u202etxt", "nul\x00\xff", "two\nlines\r\n", "", "   ",
	"日本語の名前です", strings.Repeat("W", 500), "e" + strings.Repeat("\u0301", 40), "%s%d%!", "--><!--", "&#0;", "\ufffe", "مرحبا",
}

func anyChart(t *rapid.T) plot.Chart {
	text := rapid.OneOf(rapid.SampledFrom(hostile), rapid.String(), rapid.StringMatching(`[a-z-]{1,12}`))
	odd := rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 0, -1, 1, 10, 100, 0.01, 1e-9, 1e300})
	cost, kept := rapid.OneOf(rapid.Float64Range(0.3, 2.5), odd), rapid.OneOf(rapid.Float64Range(0.2, 1), odd)
	return plot.Chart{
		Title: text.Draw(t, "title"), Subtitle: text.Draw(t, "subtitle"), CostLabel: text.Draw(t, "cost"), KeptLabel: text.Draw(t, "kept"),
		Points: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) plot.Point {
			return plot.Point{
				Name: text.Draw(t, "name"), Cost: cost.Draw(t, "cost"), Kept: kept.Draw(t, "in view"),
				Front: rapid.Bool().Draw(t, "front"), Emphasis: rapid.Bool().Draw(t, "emphasis"), Overflow: rapid.IntRange(-1, 3).Draw(t, "overflow"),
			}
		}), 0, 70).Draw(t, "points"),
	}
}

// node is an element of a picture.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Nodes   []node     `xml:",any"`
}

func (n node) attr(name string) string {
	i := slices.IndexFunc(n.Attrs, func(a xml.Attr) bool { return a.Name.Local == name })
	if i < 0 {
		return ""
	}
	return n.Attrs[i].Value
}

func (n node) is(class string) bool { return slices.Contains(strings.Fields(n.attr("class")), class) }

// all lists the elements of a name and a class, in the order they are drawn.
func (n node) all(name, class string) []node {
	var out []node
	if n.XMLName.Local == name && (class == "" || n.is(class)) {
		out = append(out, n)
	}
	for _, c := range n.Nodes {
		out = append(out, c.all(name, class)...)
	}
	return out
}

// words is the text of all text elements, a line each.
func (n node) words() string {
	var b strings.Builder
	for _, text := range n.all("text", "") {
		b.WriteString(text.Text + "\n")
	}
	return b.String()
}

// fataler is what testing.T and rapid.T share.
type fataler interface {
	Helper()
	Fatalf(format string, args ...any)
}

func draw(t fataler, c plot.Chart) string {
	t.Helper()
	var b bytes.Buffer
	if err := plot.SVG(&b, c); err != nil {
		t.Fatalf("drawing: %v", err)
	}
	return b.String()
}

func parse(t fataler, svg string) node {
	t.Helper()
	var n node
	if err := xml.NewDecoder(strings.NewReader(svg)).Decode(&n); err != nil {
		t.Fatalf("the picture is not XML: %v\n%s", err, svg)
	}
	return n
}

func number(t fataler, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		t.Fatalf("%q is not a length", s)
	}
	return v
}

func TestPictureLooksAsBefore(t *testing.T) {
	t.Parallel()
	golden.RequireEqual(t, draw(t, sample()))
}

func TestAnyPictureIsWellFormedBoundedAndStandsAlone(t *testing.T) {
	t.Parallel()
	known := []string{"svg", "title", "desc", "style", "rect", "line", "path", "circle", "text", "tspan", "g"}
	outside := regexp.MustCompile(`(?i)url\(|@import|@font-face|href|http`)
	rapid.Check(t, func(t *rapid.T) {
		c := anyChart(t)
		root := parse(t, draw(t, c))
		limits := map[string]float64{"x": number(t, root.attr("width")), "y": number(t, root.attr("height"))}
		var walk func(n node)
		walk = func(n node) {
			if !slices.Contains(known, n.XMLName.Local) {
				t.Fatalf("there is an element <%s>", n.XMLName.Local)
			}
			for _, a := range n.Attrs {
				name := a.Name.Local
				if strings.HasPrefix(name, "on") || name != "xmlns" && outside.MatchString(a.Value) {
					t.Fatalf("<%s> has %s=%q", n.XMLName.Local, name, a.Value)
				}
				if limit, ok := limits[strings.Trim(name, "c12")]; ok {
					if v := number(t, a.Value); v < 0 || v > limit {
						t.Fatalf("<%s> has %s=%s outside of the picture", n.XMLName.Local, name, a.Value)
					}
				}
			}
			for _, k := range n.Nodes {
				walk(k)
			}
		}
		walk(root)
		if outside.MatchString(root.all("style", "")[0].Text) {
			t.Fatalf("the style leads outside")
		}
		title, desc := root.Nodes[0], root.Nodes[1]
		if root.attr("role") != "img" || root.attr("aria-labelledby") != title.attr("id")+" "+desc.attr("id") || title.Text == "" || desc.Text == "" {
			t.Fatalf("screen readers are not told what to read")
		}
		if got := len(root.all("text", "name")); got != len(c.Points) {
			t.Fatalf("the key has %d names of %d points", got, len(c.Points))
		}
	})
}

func TestOrderOfThePointsDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := anyChart(t)
		svg := draw(t, c)
		c.Points = rapid.Permutation(c.Points).Draw(t, "order")
		if diff := cmp.Diff(svg, draw(t, c)); diff != "" {
			t.Fatalf("the picture changes with the order (-before +after):\n%s", diff)
		}
	})
}

// point is the mark of a policy in the plot: its dot, or its disc.
func point(t *testing.T, root node, name string) node {
	t.Helper()
	for _, g := range root.all("g", "") {
		if strings.HasPrefix(g.Nodes[0].Text, name+":") {
			circles := g.all("circle", "point")
			return circles[len(circles)-1]
		}
	}
	t.Fatalf("no point is named %q", name)
	return node{}
}

func TestPointsStandWhereTheirFiguresSay(t *testing.T) {
	t.Parallel()
	root := parse(t, draw(t, sample()))
	at := func(name string) (x, y float64) {
		c := point(t, root, name)
		return number(t, c.attr("cx")), number(t, c.attr("cy"))
	}
	points := sample().Points[:7]
	for _, a := range points {
		for _, b := range points {
			ax, ay := at(a.Name)
			bx, by := at(b.Name)
			if a.Cost < b.Cost && ax >= bx || a.Kept > b.Kept && ay >= by {
				t.Errorf("%s is at %v %v, %s at %v %v", a.Name, ax, ay, b.Name, bx, by)
			}
		}
	}
	one := number(t, root.all("line", "one")[0].attr("x1"))
	if x, _ := at("truncate"); one != x {
		t.Errorf("cost 1 is drawn at %v, its line at %v", x, one)
	}
}

func TestKeyHasTheNumbersOfTheDiscs(t *testing.T) {
	t.Parallel()
	root := parse(t, draw(t, sample()))
	words := root.words()
	for i, row := range []string{"jp-heavy\n0.600\n62.0 %", "jp\n0.750\n80.0 %", "oneclaw\n0.910\n93.0 %", "plimsoll\n0.920\n94.4 %"} {
		if !strings.Contains(words, fmt.Sprintf("%d\n%s\n", i+1, row)) {
			t.Errorf("the key has no row %d of %q:\n%s", i+1, row, words)
		}
	}
	for number, times := range map[string]int{"1": 2, "2": 2, "3": 1, "4": 1, "5": 1, "3–5": 1, "6": 2, "7": 2} { // in the key, and alone or together in the plot
		if n := strings.Count("\n"+words, "\n"+number+"\n"); n != times {
			t.Errorf("number %s stands %d times, not %d", number, n, times)
		}
	}
	if !strings.Contains(words, "\n100.0 %\nunknown\n–\n–\n") {
		t.Errorf("what cannot be drawn is not in the key:\n%s", words)
	}
}

func TestOverflowIsHollowAndTold(t *testing.T) {
	t.Parallel()
	svg := draw(t, sample())
	root := parse(t, svg)
	for _, p := range sample().Points[:7] {
		if got := point(t, root, p.Name).is("hollow"); got != (p.Overflow > 0) {
			t.Errorf("%s, with %d that do not fit, is hollow: %v", p.Name, p.Overflow, got)
		}
		if got := point(t, root, p.Name).is("ours"); got != p.Emphasis {
			t.Errorf("%s is emphasized: %v", p.Name, got)
		}
	}
	for _, want := range []string{"raw: cost 2.150, in view 100.0 %, 1 request does not fit", "adachsoft: cost 0.930, in view 94.0 %, 300 requests do not fit"} {
		if strings.Count(svg, want) != 2 { // the description and the tooltip
			t.Errorf("%q is not told", want)
		}
	}
	if !strings.Contains(root.words(), "some do not fit the window") {
		t.Error("the legend does not explain hollow points")
	}
	if fits := draw(t, with(plot.Point{Name: "a", Cost: 1, Kept: 1})); strings.Contains(fits, "not fit") {
		t.Error("the legend explains what does not occur")
	}
}

func TestALineJoinsTheFrontByCost(t *testing.T) {
	t.Parallel()
	root := parse(t, draw(t, sample()))
	a, b := point(t, root, "plimsoll"), point(t, root, "truncate")
	want := fmt.Sprintf("M%s %sH%sV%s", a.attr("cx"), a.attr("cy"), b.attr("cx"), b.attr("cy"))
	if got := root.all("path", "front"); len(got) != 2 || got[0].attr("d") != want { // the other is in the legend
		t.Errorf("the front is %v, want %s", got, want)
	}
	single := with(plot.Point{Name: "a", Cost: 1, Kept: 1, Front: true}, plot.Point{Name: "b", Cost: 2, Kept: 1})
	if got := parse(t, draw(t, single)).all("path", "front"); len(got) > 0 {
		t.Error("a front of one point is drawn")
	}
}

func TestErrorOfTheWriterIsReturned(t *testing.T) {
	t.Parallel()
	full := errors.New("disk full")
	if err := plot.SVG(failing{full}, sample()); !errors.Is(err, full) {
		t.Errorf("the error is %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

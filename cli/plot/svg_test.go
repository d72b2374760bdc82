package plot_test

import (
	"bytes"
	"encoding/xml"
	"errors"
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

// words is the text of an element and all in it.
func (n node) words() string {
	s := n.Text
	for _, c := range n.Nodes {
		s += c.words()
	}
	return s
}

// point is the group of the policy whose tooltip begins with a name.
func (n node) point(t *testing.T, name string) node {
	t.Helper()
	for _, g := range n.all("g", "") {
		if len(g.Nodes) > 0 && strings.HasPrefix(g.Nodes[0].Text, name+":") {
			return g
		}
	}
	t.Fatalf("no point is named %q", name)
	return node{}
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
	d := xml.NewDecoder(strings.NewReader(svg))
	if err := d.Decode(&n); err != nil {
		t.Fatalf("the picture is not XML: %v\n%s", err, svg)
	}
	if !strings.HasSuffix(svg, "</svg>\n") || strings.Count(svg, "</svg>") != 1 {
		t.Fatalf("something follows the picture:\n%s", svg)
	}
	return n
}

func TestPictureLooksAsItDid(t *testing.T) {
	t.Parallel()
	golden.RequireEqual(t, draw(t, sample()))
}

func TestEveryPictureStandsOnItsOwn(t *testing.T) {
	t.Parallel()
	known := []string{"svg", "title", "desc", "style", "rect", "line", "path", "circle", "text", "tspan", "g"}
	outside := regexp.MustCompile(`(?i)url\(|@import|@font-face|href|http`)
	for name, c := range charts() {
		svg := draw(t, c)
		root := parse(t, svg)
		var walk func(n node)
		walk = func(n node) {
			if !slices.Contains(known, n.XMLName.Local) {
				t.Errorf("%s: there is an element <%s>", name, n.XMLName.Local)
			}
			for _, a := range n.Attrs {
				if strings.HasPrefix(a.Name.Local, "on") || a.Name.Local != "xmlns" && outside.MatchString(a.Value) {
					t.Errorf("%s: <%s> has %s=%q", name, n.XMLName.Local, a.Name.Local, a.Value)
				}
			}
			for _, k := range n.Nodes {
				walk(k)
			}
		}
		walk(root)
		if style := root.all("style", "")[0].Text; outside.MatchString(style) {
			t.Errorf("%s: the style leads outside: %s", name, style)
		}
		if root.attr("role") != "img" || root.attr("aria-labelledby") != root.Nodes[0].attr("id")+" "+root.Nodes[1].attr("id") {
			t.Errorf("%s: screen readers are not told what to read", name)
		}
		if root.Nodes[0].XMLName.Local != "title" || root.Nodes[0].Text == "" || root.Nodes[1].XMLName.Local != "desc" || root.Nodes[1].Text == "" {
			t.Errorf("%s: there is no title or no description at the top", name)
		}
	}
}

func TestPictureOfAnythingIsWellFormedAndBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		root := parse(t, draw(t, anyChart(t)))
		width, height := number(t, root.attr("width")), number(t, root.attr("height"))
		if width != 760 || height < 440 || height > 560 {
			t.Fatalf("the picture is %v by %v", width, height)
		}
		for _, n := range slices.Concat(root.all("circle", ""), root.all("text", ""), root.all("line", "")) {
			for _, a := range n.Attrs {
				limit := width
				switch a.Name.Local {
				case "y", "cy", "y1", "y2":
					limit = height
				case "x", "cx", "x1", "x2":
				default:
					continue
				}
				if v := number(t, a.Value); v < 0 || v > limit {
					t.Fatalf("<%s> has %s=%s outside of the picture", n.XMLName.Local, a.Name.Local, a.Value)
				}
			}
		}
	})
}

func number(t fataler, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		t.Fatalf("%q is no length", s)
	}
	return v
}

func TestOrderOfThePointsDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := anyChart(t)
		svg, text := draw(t, c), plot.Text(c, 60, 16, true)
		c.Points = rapid.Permutation(c.Points).Draw(t, "order")
		if diff := cmp.Diff(svg, draw(t, c)); diff != "" {
			t.Fatalf("the picture changes with the order (-before +after):\n%s", diff)
		}
		if diff := cmp.Diff(text, plot.Text(c, 60, 16, true)); diff != "" {
			t.Fatalf("the text changes with the order (-before +after):\n%s", diff)
		}
	})
}

func TestPointsStandWhereTheirNumbersSay(t *testing.T) {
	t.Parallel()
	root := parse(t, draw(t, sample()))
	at := func(name string) (x, y float64) {
		c := root.point(t, name).all("circle", "point")[0]
		return number(t, c.attr("cx")), number(t, c.attr("cy"))
	}
	points := sample().Points
	for _, a := range points {
		for _, b := range points {
			ax, ay := at(a.Name)
			bx, by := at(b.Name)
			if a.Cost < b.Cost && ax >= bx || a.Kept > b.Kept && ay >= by {
				t.Errorf("%s is at %v %v, %s at %v %v", a.Name, ax, ay, b.Name, bx, by)
			}
		}
	}
	// 1 stands on its line, and 0.6 to 1 is as long as 1 to 1/0.6.
	x, _ := at("truncate")
	if one := root.all("line", "one")[0].attr("x1"); number(t, one) != x {
		t.Errorf("cost 1 is drawn at %v, its line at %s", x, one)
	}
	root = parse(t, draw(t, with(plot.Point{Name: "a", Cost: 0.6, Kept: 1}, plot.Point{Name: "b", Cost: 1 / 0.6, Kept: 1})))
	one := number(t, root.all("line", "one")[0].attr("x1"))
	a, _ := at("a")
	b, _ := at("b")
	if math.Abs((one-a)-(b-one)) > 0.2 {
		t.Errorf("0.6 is %v from 1, 1/0.6 is %v", one-a, b-one)
	}
}

func TestOverflowIsHollowAndToldInTheTooltip(t *testing.T) {
	t.Parallel()
	root := parse(t, draw(t, sample()))
	for _, p := range sample().Points {
		g := root.point(t, p.Name)
		if got := g.all("circle", "point")[0].is("over"); got != (p.Overflow > 0) {
			t.Errorf("%s, with %d that do not fit, is hollow: %v", p.Name, p.Overflow, got)
		}
		if got := strings.Contains(g.Nodes[0].Text, "do not fit"); got != (p.Overflow > 0) || p.Overflow > 0 && !strings.Contains(g.Nodes[0].Text, strconv.Itoa(p.Overflow)+" requests") {
			t.Errorf("the tooltip of %s is %q", p.Name, g.Nodes[0].Text)
		}
	}
	if !strings.Contains(root.words(), "some do not fit the window") {
		t.Error("the legend does not explain hollow points")
	}
	if fits := draw(t, with(plot.Point{Name: "a", Cost: 1, Kept: 1})); strings.Contains(fits, "not fit") {
		t.Error("the legend explains what does not occur")
	}
}

func TestEmphasisIsBolderAndInTheAccentColour(t *testing.T) {
	t.Parallel()
	root := parse(t, draw(t, sample()))
	for _, p := range sample().Points {
		g := root.point(t, p.Name)
		label, circle := g.all("text", "name")[0], g.all("circle", "point")[0]
		for what, got := range map[string]bool{"label accent": label.is("accent"), "label strong": label.is("strong"), "point": circle.is("ours")} {
			if got != p.Emphasis {
				t.Errorf("%s of %s is emphasised: %v", what, p.Name, got)
			}
		}
	}
}

func TestFrontIsJoinedByCost(t *testing.T) {
	t.Parallel()
	root := parse(t, draw(t, sample()))
	paths := root.all("path", "front")
	if len(paths) != 2 { // the line and its sign in the legend
		t.Fatalf("there are %d lines of the front", len(paths))
	}
	a := root.point(t, "plimsoll").all("circle", "point")[0]
	b := root.point(t, "truncate").all("circle", "point")[0]
	want := "M" + a.attr("cx") + " " + a.attr("cy") + "L" + b.attr("cx") + " " + a.attr("cy") + "L" + b.attr("cx") + " " + b.attr("cy")
	if got := paths[0].attr("d"); got != want {
		t.Errorf("the front is %s, want %s", got, want)
	}
	single := with(plot.Point{Name: "a", Cost: 1, Kept: 1, Front: true}, plot.Point{Name: "b", Cost: 2, Kept: 1})
	if got := parse(t, draw(t, single)).all("path", "front"); len(got) > 0 {
		t.Error("a front of one point is drawn")
	}
}

func TestLineOfEqualCostIsDrawnOnlyInRange(t *testing.T) {
	t.Parallel()
	for cost, want := range map[float64]int{1: 1, 1.05: 1, 0.5: 0, 2: 0} {
		root := parse(t, draw(t, with(plot.Point{Name: "a", Cost: cost, Kept: 1})))
		if got := len(root.all("line", "one")); got != want {
			t.Errorf("with a cost of %v there are %d lines of equal cost", cost, got)
		}
	}
}

func TestPointsWithoutNumbersAreNamedBelow(t *testing.T) {
	t.Parallel()
	root := parse(t, draw(t, charts()["odd"]))
	if got := root.all("circle", "point"); len(got) > 0 {
		t.Errorf("%d points without numbers are drawn", len(got))
	}
	want := "Not drawn, for want of a cost or a share: a, b, c, d, e, f, g"
	for _, text := range root.all("text", "") {
		if text.Text == want {
			return
		}
	}
	t.Errorf("nothing says %q:\n%s", want, root.words())
}

func TestManyNamesBelowAreCounted(t *testing.T) {
	t.Parallel()
	c := with()
	for range 300 {
		c.Points = append(c.Points, plot.Point{Name: "nameless policy", Cost: math.NaN()})
	}
	root := parse(t, draw(t, c))
	listed, more := 0, 0
	for _, text := range root.all("text", "quiet") {
		listed += strings.Count(text.Text, "nameless")
		if m := regexp.MustCompile(`and (\d+) more$`).FindStringSubmatch(text.Text); m != nil {
			more, _ = strconv.Atoi(m[1])
		}
	}
	if listed == 0 || listed+more != 300 {
		t.Errorf("%d are listed and %d more counted, of 300", listed, more)
	}
}

func TestCostFarBeyondTheOthersStandsAtTheEdge(t *testing.T) {
	t.Parallel()
	root := parse(t, draw(t, charts()["beyond"]))
	g := root.point(t, "outlier")
	if len(g.all("circle", "")) > 0 || len(g.all("path", "point")) != 1 {
		t.Error("the outlier is drawn on the scale")
	}
	if got := g.all("text", "name")[0].Text; got != "outlier (10)" {
		t.Errorf("its label is %q", got)
	}
	if !strings.Contains(root.words(), "beyond the scale") {
		t.Error("the legend does not explain the arrow")
	}
	before := parse(t, draw(t, sample()))
	for _, p := range sample().Points {
		if a, b := before.point(t, p.Name).all("circle", "point"), root.point(t, p.Name).all("circle", "point"); len(b) != 1 || a[0].attr("cx") != b[0].attr("cx") {
			t.Errorf("the outlier moves %s", p.Name)
		}
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

package web

import (
	"strings"
	"testing"
)

func TestASmallPageDoesNotBecomeHugeMarkdown(t *testing.T) {
	t.Parallel()
	for name, page := range map[string]string{
		"one cell spans all": "<table><tr><td colspan=100000000 rowspan=100000000>x",
		"out of range":       "<table><tr><td colspan=99999999999999999999>x",
		"many cells span":    "<table>" + strings.Repeat("<tr><td colspan=1000>x", 3000),
		"rows span":          "<table>" + strings.Repeat("<tr><td rowspan=1000 colspan=100>x", 1000),
		"one row is long":    "<table><tr>" + strings.Repeat("<td>x", 5000) + strings.Repeat("<tr><td>x", 5000),
		"tables in tables":   "<table><tr>" + strings.Repeat("<td><table><tr><td>x</table>", 2000) + strings.Repeat("<tr><td>x", 5000),
		"one cell is wide":   "<table><tr><td>" + strings.Repeat("y", 10_000) + strings.Repeat("<tr><td>x", 2000),
		"lists in lists":     strings.Repeat("<ul><li>", 200) + strings.Repeat("x<br>", 20_000),
		"quotes in quotes":   strings.Repeat("<blockquote>", 200) + strings.Repeat("x<br>", 20_000),
	} {
		text, err := toMarkdown(page, "http://x")
		if err == nil && (len(text) > 12*len(page)+200_000 || !strings.Contains(text, "x")) {
			t.Errorf("%s: %d bytes became %d", name, len(page), len(text))
		}
	}
}

func TestTablesKeepTheirColumns(t *testing.T) {
	t.Parallel()
	got, err := toMarkdown("<table><tr><th colspan=2>ab</th><th>c</th></tr><tr><td rowspan=2>1</td><td>2</td><td>3</td></tr><tr><td>5</td><td>6</td></tr></table>", "http://x")
	want := "| ab | | c |\n|---|---|---|\n| 1 | 2 | 3 |\n| | 5 | 6 |"
	if strings.ReplaceAll(got, "  ", " ") != want || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

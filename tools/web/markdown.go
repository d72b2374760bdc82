package web

import (
	"errors"
	"strconv"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/table"
	"golang.org/x/net/html"
)

// A small page can become Markdown that fills the memory: by a cell that spans a
// million others, one long row to whose length all others are filled, or nested
// lists that indent every line. Such a page is not converted. Columns are not
// padded to the width of their longest cell.

const (
	maxCells  = 1_000_000 // cells of one table, including spanned ones
	maxIndent = 30        // nesting of lists and quotes
)

// removed are elements of a page without readable text.
var removed = []string{"noscript", "template", "svg", "canvas", "iframe", "object"}

var errUnwieldy = errors.New("nested too deeply, or tables too large")

// toMarkdown converts an HTML page; origin makes its links absolute.
func toMarkdown(page, origin string) (string, error) {
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		return "", err
	}
	if unwieldy(doc, 0) {
		return "", errUnwieldy
	}
	conv := converter.NewConverter(converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(),
		table.NewTablePlugin(table.WithCellPaddingBehavior(table.CellPaddingBehaviorMinimal))))
	for _, element := range removed {
		conv.Register.TagType(element, converter.TagTypeRemove, converter.PriorityEarly)
	}
	out, err := conv.ConvertNode(doc, converter.WithDomain(origin))
	return string(out), err
}

// unwieldy reports whether the Markdown of n would become too large. The parser
// limits the depth of the recursion.
func unwieldy(n *html.Node, indent int) bool {
	switch n.Data {
	case "ul", "ol", "blockquote":
		if indent++; indent > maxIndent {
			return true
		}
	case "table":
		if cells(n) > maxCells {
			return true
		}
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if unwieldy(c, indent) {
			return true
		}
	}
	return false
}

// cells counts the cells of a table after every row is filled to the longest, including nested tables.
func cells(table *html.Node) int {
	rows, columns, tallest, spanned := 0, 0, 0, 0
	for n := range table.Descendants() {
		if n.Data != "tr" {
			continue
		}
		rows++
		row := 0
		for c := range n.ChildNodes() {
			if c.Data == "td" || c.Data == "th" {
				wide, tall := span(c, "colspan"), span(c, "rowspan")
				row, tallest, spanned = row+wide, max(tallest, tall), spanned+wide*tall
			}
		}
		columns = max(columns, row)
	}
	return max((rows+tallest)*columns, spanned)
}

// span returns how many columns or rows a cell spans, at most maxCells.
func span(cell *html.Node, key string) int {
	for _, a := range cell.Attr {
		if a.Key == key {
			n, err := strconv.Atoi(strings.TrimSpace(a.Val))
			if errors.Is(err, strconv.ErrRange) {
				n = maxCells
			}
			return min(max(n, 1), maxCells)
		}
	}
	return 1
}

package page

import (
	"bytes"
	"regexp"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// Markdown of messages becomes HTML. Rules:
//
//   - HTML in it is text: the parser does not know it.
//   - Links lead to http, https and mailto; any other is its text. An image is a link, so that nothing is loaded.
//   - A text that could take the parser long, or grow many times in size, is shown as plain text.

func newMarkdown() goldmark.Markdown {
	p := util.Prioritized
	parsing := parser.NewParser(
		parser.WithBlockParsers(p(parser.NewSetextHeadingParser(), 100), p(parser.NewThematicBreakParser(), 200), p(parser.NewListParser(), 300),
			p(parser.NewListItemParser(), 400), p(parser.NewCodeBlockParser(), 500), p(parser.NewATXHeadingParser(), 600),
			p(parser.NewFencedCodeBlockParser(), 700), p(parser.NewBlockquoteParser(), 800), p(parser.NewParagraphParser(), 1000)),
		parser.WithInlineParsers(p(parser.NewCodeSpanParser(), 100), p(parser.NewLinkParser(), 200), p(parser.NewAutoLinkParser(), 300),
			p(parser.NewEmphasisParser(), 500)),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))
	return goldmark.New(goldmark.WithParser(parsing),
		goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Strikethrough, extension.Linkify),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(p(links{}, 1))))
}

// links renders links, and images as links.
type links struct{}

func (links) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindLink, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		return writeLink(w, n.(*ast.Link).Destination, entering)
	})
	r.Register(ast.KindImage, func(w util.BufWriter, _ []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		return writeLink(w, n.(*ast.Image).Destination, entering)
	})
	r.Register(ast.KindAutoLink, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		link := n.(*ast.AutoLink)
		url := link.URL(source)
		if link.AutoLinkType == ast.AutoLinkEmail {
			url = append([]byte("mailto:"), bytes.TrimPrefix(url, []byte("mailto:"))...)
		}
		_, _ = writeLink(w, url, entering) // the writer keeps its error
		if entering {
			_, _ = w.Write(util.EscapeHTML(link.Label(source)))
		}
		return ast.WalkContinue, nil
	})
}

// safeURL matches the URLs that stay links.
var safeURL = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^(?:https?://|mailto:)`) })

// writeLink writes the beginning or the end of a link.
func writeLink(w util.BufWriter, url []byte, entering bool) (ast.WalkStatus, error) {
	switch {
	case !safeURL().Match(url):
	case entering:
		_, _ = w.WriteString(`<a rel="noreferrer noopener" href="`) // the writer keeps its error
		_, _ = w.Write(util.EscapeHTML(util.URLEscape(url, true)))
		_, _ = w.WriteString(`">`)
	default:
		_, _ = w.WriteString(`</a>`)
	}
	return ast.WalkContinue, nil
}

// isTame reports whether the parser takes a text in time that grows with its length: without thousands of characters that begin
// something, and without a table of many more cells than it has bytes.
func isTame(text []byte) bool {
	marks, bars := 0, 0
	for _, mark := range []string{"*", "_", "[", "~", "<", "`", "!", ">", "- ", "+ ", ". ", ") "} {
		marks += bytes.Count(text, []byte(mark))
	}
	for line := range bytes.Lines(text) {
		bars = max(bars, bytes.Count(line, []byte("|")))
	}
	return len(text) <= 256<<10 && marks <= 4096 && bars*bytes.Count(text, []byte("\n")) <= 50_000
}

package markdown

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark/ast"

	"plimsoll/conversation/plain"
)

// Links come from models. Rules:
//
//   - the address always stands in the text; the terminal is told of it too (OSC 8) where it knows links
//   - it is told of addresses of the web and of mailboxes only, of at most mostTarget bytes, in ASCII, without names and
//     passwords and with a host that cannot be taken for another one
//   - a text that looks like an address is a link only where it is the address: else the address behind it is
//   - in a table, which glamour draws, there is only the text

// mostTarget is how long an address a terminal surely takes.
const mostTarget = 2000

// SetLinks says whether the terminal is told of links.
func (r *Renderer) SetLinks(on bool) { r.links = on }

// target is where the terminal may lead for a destination, "" for nowhere.
func (p *page) target(destination string) string {
	if !p.r.links || len(destination) > mostTarget || plain.Line(destination) != destination {
		return ""
	}
	u, err := url.Parse(destination)
	if err != nil || u.User != nil {
		return ""
	}
	switch u.Scheme { // lower case
	case "http", "https":
		if u.Host == "" || strings.Trim(strings.ToLower(u.Host), "abcdefghijklmnopqrstuvwxyz0123456789.-:[]") != "" {
			return ""
		}
	case "mailto":
		if u.Opaque == "" {
			return ""
		}
	default:
		return ""
	}
	return escaped(destination)
}

// escaped is an address in characters that end no sequence.
func escaped(address string) string {
	var b strings.Builder
	for i := range len(address) {
		if c := address[i]; c <= ' ' || c >= 0x7f || c == ';' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// likeAddress are characters that stand in addresses, and those that look like them.
const likeAddress = ".:/@\\．。｡․∙·∕⁄／：﹕＠"

// link is a link that shows these nodes, and leads to a target unless that is "".
func (p *page) link(target string, children ...ast.Node) ast.Node {
	l := ast.NewLink()
	if target != "" {
		l.SetAttributeString(leadsTo, target)
	}
	for _, c := range children {
		l.AppendChild(l, c)
	}
	return l
}

// leadsTo is the attribute of a link with its target.
const leadsTo = "target"

// linked writes what shows a link.
func (w *styled) linked(l *ast.Link, write func()) {
	target, _ := l.AttributeString(leadsTo)
	if address, ok := target.(string); ok {
		w.WriteString(ansi.SetHyperlink(address))
		defer w.WriteString(endLink)
	}
	write()
}

// endLink ends a link.
const endLink = "\x1b]8;;\x07"

// autoLink is an address as it stands in a text.
func (p *page) autoLink(l *ast.AutoLink) ast.Node {
	to := string(unguard(l.URL(p.source)))
	if l.AutoLinkType == ast.AutoLinkEmail {
		to = "mailto:" + strings.TrimPrefix(to, "mailto:")
	}
	return p.link(p.target(to), p.newText(shown(l.Label(p.source))))
}

// rewriteLink shows the address of a link behind its text, unless the text says it.
func (p *page) rewriteLink(parent ast.Node, l *ast.Link) {
	var text []ast.Node
	for c := l.FirstChild(); c != nil; c = c.NextSibling() {
		text = append(text, c)
	}
	p.addressed(parent, l, text, p.address(p.plainText(l), l.Destination, l.Title))
}

func (p *page) rewriteImage(parent ast.Node, img *ast.Image) {
	p.inline(img, true)
	alt := p.plainText(img)
	a, what := p.address(alt, img.Destination, img.Title), strings.TrimSpace("image: "+alt)
	if !a.apart() {
		parent.ReplaceChild(parent, img, p.link(a.target, p.newText(what+a.text())))
		return
	}
	p.addressed(parent, img, []ast.Node{p.newText(what)}, a)
}

// addressed puts a text and the address behind it in place of a node: as one link, or the address alone as one.
func (p *page) addressed(parent, n ast.Node, text []ast.Node, a address) {
	if !a.apart() {
		if a.text() != "" {
			text = append(text, p.newText(a.text()))
		}
		parent.ReplaceChild(parent, n, p.link(a.target, text...))
		return
	}
	for _, c := range append(text, p.newText(a.before), p.link(a.target, p.newText(a.shown)), p.newText(a.behind)) {
		parent.InsertBefore(parent, n, c)
	}
	parent.RemoveChild(parent, n)
}

// address is what follows the text of a link, and where it leads.
type address struct {
	before, shown, behind string // shown is the address, "" where the text says it, or it leads only within the text
	target                string
	doubtful              bool // the text looks like an address
}

func (a *address) text() string { return a.before + a.shown + a.behind }

// apart reports whether the address alone is the link.
func (a *address) apart() bool { return a.target != "" && a.shown != "" && a.doubtful }

func (p *page) address(label string, destination, title []byte) address {
	whole := strings.TrimSpace(literal(destination))
	a := address{shown: strings.TrimSpace(plain.Line(whole)), target: p.target(whole), doubtful: strings.ContainsAny(label, likeAddress)}
	if a.shown == "" || a.shown[0] == '#' || a.shown == label || strings.TrimPrefix(a.shown, "mailto:") == label {
		a.shown = ""
	}
	if len(title) > 0 {
		a.behind = `"` + plain.Line(literal(title)) + `"`
		if a.shown != "" {
			a.behind = " " + a.behind
		}
	}
	if a.text() != "" && label != "" {
		a.before, a.behind = " (", a.behind+")"
	}
	return a
}

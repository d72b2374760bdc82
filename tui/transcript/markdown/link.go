package markdown

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"

	"plimsoll/conversation/plain"
)

// Links come from models. Rules:
//
//   - the address always stands in the text, and is itself the link (OSC 8) where the terminal knows links
//   - it is told of addresses of the web and of mailboxes only, of at most mostTarget bytes, in ASCII, without names and
//     passwords and with a host that cannot be taken for another one
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

// link is a link that shows these nodes. Its destination is where the terminal leads, "" for nowhere.
func (p *page) link(target string, children ...ast.Node) ast.Node {
	l := ast.NewLink()
	l.Destination = []byte(target)
	for _, c := range children {
		l.AppendChild(l, c)
	}
	return l
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

func (p *page) rewriteLink(parent ast.Node, l *ast.Link) {
	var text []ast.Node
	for c := l.FirstChild(); c != nil; c = c.NextSibling() {
		text = append(text, c)
	}
	p.addressed(parent, l, p.plainText(l), text, l.Destination, l.Title)
}

func (p *page) rewriteImage(parent ast.Node, img *ast.Image) {
	p.inline(img, true)
	alt := p.plainText(img)
	text := []ast.Node{p.newText(strings.TrimSpace("image: " + alt))}
	p.addressed(parent, img, alt, text, img.Destination, img.Title)
}

// addressed puts a text with the address and the title behind it in place of a node. The address is the link, or the text
// that says it.
func (p *page) addressed(parent, n ast.Node, label string, text []ast.Node, destination, title []byte) {
	whole := strings.TrimSpace(literal(destination))
	target, address := p.target(whole), strings.TrimSpace(plain.Line(whole))
	var behind []ast.Node
	switch {
	case address == "" || address[0] == '#' || address == label || strings.TrimPrefix(address, "mailto:") == label:
	default:
		behind = append(behind, p.link(target, p.newText(address)))
		target = ""
	}
	if len(title) > 0 {
		said := `"` + plain.Line(literal(title)) + `"`
		if len(behind) > 0 {
			said = " " + said
		}
		behind = append(behind, p.newText(said))
	}
	nodes := []ast.Node{p.link(target, text...)}
	if len(behind) > 0 && label != "" {
		nodes = append(append(append(nodes, p.newText(" (")), behind...), p.newText(")"))
	} else {
		nodes = append(nodes, behind...)
	}
	for _, c := range nodes {
		parent.InsertBefore(parent, n, c)
	}
	parent.RemoveChild(parent, n)
}

package markdown

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/yuin/goldmark/ast"

	"plimsoll/conversation/plain"
)

// Models write the links. Rules:
//
//   - the address is always shown, and is itself the link (OSC 8) if the terminal supports links
//   - only http, https and mailto addresses become OSC 8 links: at most maxTarget bytes, in ASCII, without user names and
//     passwords, and with a host of ASCII letters, which cannot imitate another host
//   - in a table, which glamour draws, links are plain text

// maxTarget is a length of addresses, in bytes, that every terminal accepts.
const maxTarget = 2000

// SetLinks sets whether links are written as OSC 8 sequences.
func (r *Renderer) SetLinks(on bool) { r.links = on }

// target returns the OSC 8 address for a destination, or "" if it is not allowed.
func (p *page) target(destination string) string {
	if !p.r.links || len(destination) > maxTarget || plain.Line(destination) != destination {
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

// escaped percent-encodes characters that could end the sequence.
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

// link returns a link that shows the nodes. target is its OSC 8 address; "" for no link.
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

// autoLink returns the link for a bare address in a text.
func (p *page) autoLink(l *ast.AutoLink) ast.Node {
	to := string(restoreDelimiters(l.URL(p.source)))
	if l.AutoLinkType == ast.AutoLinkEmail {
		to = "mailto:" + strings.TrimPrefix(to, "mailto:")
	}
	return p.link(p.target(to), p.newText(plain.Line(string(restoreDelimiters(l.Label(p.source))))))
}

func (p *page) rewriteLink(parent ast.Node, l *ast.Link) {
	var text []ast.Node
	for c := l.FirstChild(); c != nil; c = c.NextSibling() {
		text = append(text, c)
	}
	p.withAddress(parent, l, p.plainText(l), text, l.Destination, l.Title)
}

func (p *page) rewriteImage(parent ast.Node, img *ast.Image) {
	p.inline(img, true)
	alt := p.plainText(img)
	text := []ast.Node{p.newText(strings.TrimSpace("image: " + alt))}
	p.withAddress(parent, img, alt, text, img.Destination, img.Title)
}

// withAddress replaces a node by a text, followed by the address and the title. The address is the link; if it is not
// shown because the text is the same, the text is the link.
func (p *page) withAddress(parent, n ast.Node, label string, text []ast.Node, destination, title []byte) {
	whole := strings.TrimSpace(literal(destination))
	target, address := p.target(whole), strings.TrimSpace(plain.Line(whole))
	var after []ast.Node
	switch {
	case address == "" || address[0] == '#' || address == label || strings.TrimPrefix(address, "mailto:") == label:
	default:
		after = append(after, p.link(target, p.newText(address)))
		target = ""
	}
	if len(title) > 0 {
		quoted := `"` + plain.Line(literal(title)) + `"`
		if len(after) > 0 {
			quoted = " " + quoted
		}
		after = append(after, p.newText(quoted))
	}
	nodes := []ast.Node{p.link(target, text...)}
	if len(after) > 0 && label != "" {
		nodes = append(append(append(nodes, p.newText(" (")), after...), p.newText(")"))
	} else {
		nodes = append(nodes, after...)
	}
	for _, c := range nodes {
		parent.InsertBefore(parent, n, c)
	}
	parent.RemoveChild(parent, n)
}

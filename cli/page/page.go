// Package page writes a conversation as one HTML page that a browser shows without network and without scripts: messages, calls
// with their results, diffs, and beside them how the window filled and what each compaction made of the turns.
//
// Guarantees: the page loads nothing, runs nothing and sends nothing (its content security policy allows its own style and images
// within it); text of messages, tools and files is escaped and made safe by package plain; only links to http, https and mailto
// stay links; strings that look like keys are left out. It is written in pieces: memory holds the log and one message.
package page

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"github.com/yuin/goldmark"

	"plimsoll/compact/inspect"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/themes"
)

// Omit is the set of what a page leaves out.
type Omit map[string]bool

// What a page can leave out.
const (
	Output = "output" // results of tools
	Files  = "files"  // attached files, diffs, arguments of calls, and results of tools other than commands
	Images = "images"
	Home   = "home" // the path of the home folder, which becomes ~
)

// Omissions reads a list of what to leave out, like "output,home"; "none" is an empty one.
func Omissions(list string) (Omit, error) {
	omit := Omit{}
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.TrimSpace(word); !slices.Contains([]string{Output, Files, Images, Home, "none"}, word) {
			return nil, fmt.Errorf("what can be left out is output, files, images, home or none, not %q", word)
		}
		omit[word] = true
	}
	return omit, nil
}

// Content is a conversation with what its page shows of it.
type Content struct {
	ID, Title string
	Events    []conversation.Event
	Text      func(blob string) (string, bool) // a stored text; false if it cannot be read
	Omit      Omit
	HomeDir   string   // "" if unknown
	Keys      []string // those that are configured, which are left out wherever they stand
}

// Write writes the page, and stops at the first error of w.
func Write(w io.Writer, c Content) error {
	p := &page{Content: c, w: w, markdown: newMarkdown(), view: projection.Project(c.Events), turn: -1, entries: map[uint64]inspect.Entry{}}
	if dir := strings.TrimRight(c.HomeDir, `/\`); dir != "" && c.Omit[Home] {
		p.home = regexp.MustCompile(regexp.QuoteMeta(dir) + `($|[^\w-])`) // not a folder such as DIR-2
	}
	// Paths, as variables of servers hold them too, are no keys.
	keys := slices.DeleteFunc(slices.Clone(c.Keys), func(k string) bool { return len(k) < shortestKey || k[0] == '/' })
	slices.SortFunc(keys, func(a, b string) int { return len(b) - len(a) }) // one may hold another
	var pairs []string
	for _, k := range keys {
		pairs = append(pairs, k, keyLeftOut)
	}
	p.keys = strings.NewReplacer(pairs...)
	p.rows = inspect.HistoryRows(c.Events, p.view)
	for _, e := range inspect.CompactionLog(c.Events) {
		p.entries[e.Event] = e
	}
	p.writeHead()
	p.writeGauge()
	p.put("<main>\n")
	for i := range c.Events {
		if p.writeEvent(&c.Events[i]); p.err != nil {
			return p.err
		}
	}
	p.endTurn()
	p.put("</main>\n<footer>Written by <b>⊖ Plimsoll</b>. This page loads nothing from elsewhere.</footer>\n</body></html>\n")
	return p.err
}

// page writes piece after piece until the first error.
type page struct {
	Content
	w        io.Writer
	err      error
	markdown goldmark.Markdown
	keys     *strings.Replacer // of configured keys
	home     *regexp.Regexp    // nil: nothing to replace
	view     projection.View
	rows     []inspect.HistoryRow     // of the messages that are not written yet
	entries  map[uint64]inspect.Entry // of the compaction log, by event
	turn     int                      // whose section is open, -1 before the first
	summary  uint64                   // overlay of the message before in this turn
	open     []conversation.ToolCall  // calls whose results have not come yet
}

// markup is trusted HTML.
type markup string

// put writes HTML. Arguments that are strings are made safe and escaped, those that are markup are not.
func (p *page) put(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = html.EscapeString(p.clean(s))
		}
	}
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}

// secrets matches what looks like a key: those of well-known services, tokens of sign-ins, private keys, and the values of
// headers and variables whose names say so. The group is what stays.
var secrets = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(?:sk|pk|rk|gsk|xai|hf|glpat|csk|fw|r8|nvapi)[-_][A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_\w{20,}|` +
		`\bAKIA[0-9A-Z]{16}\b|\bAIza[\w-]{30,}|\bxox[abprs]-[\w-]{10,}|\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]+|` +
		`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*-----)?|((?i:\b(?:bearer|basic) +))[\w.~+/=-]{16,}|` +
		`((?i:\b(?:authorization|x-api-key|api-key)["']?: *["']?|\b\w*(?:_key|_token|_secret|_password)["']?[=:] *["']?))[\w.~+/=-]{8,}`)
})

// What stands in place of a key, and the length of the shortest configured one, in bytes: shorter ones stand in texts by chance.
const (
	keyLeftOut  = "[key left out]"
	shortestKey = 8
)

// clean makes a text safe to show, and leaves keys and the path of the home folder out of it. It removes colors first, because
// a color within a key would hide the key.
func (p *page) clean(text string) string {
	text = p.keys.Replace(plain.Text(ansi.Strip(text)))
	if text = secrets().ReplaceAllString(text, "$1$2"+keyLeftOut); p.home != nil {
		text = p.home.ReplaceAllString(text, "~$1")
	}
	return text
}

//go:embed page.css
var layout string

// style is the layout with the colors of the light theme and, where the reader prefers dark, of the dark theme.
func style() string {
	colors := func(name string) string {
		t, _ := themes.ByName(name)
		return fmt.Sprintf(":root{--back:%s;--surface:%s;--band:%s;--text:%s;--muted:%s;--rule:%s;--accent:%s;--user:%s;--link:%s;--added:%s;--removed:%s;--hunk:%s;--note:%s;--cached:%s;--fresh:%s}",
			t.Background, t.Surface, t.Band, t.Text, t.Muted, t.Rule, t.Accent, t.User, t.Link, t.Added, t.Removed, t.Hunk, t.Gauge.Summary, t.Gauge.Tools, t.Gauge.User)
	}
	return colors(themes.PlimsollLight) + "\n@media (prefers-color-scheme:dark){" + colors(themes.PlimsollDark) + "}\n" + layout
}

func (p *page) writeHead() {
	title := cmp.Or(strings.Join(strings.Fields(p.Title), " "), "Conversation "+p.ID)
	css := style()
	hash := sha256.Sum256([]byte(css))
	p.put(`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'sha256-%s'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">
<title>%s</title><style>%s</style></head>
<body>
<header><h1><span class="mark">⊖</span> %s</h1>
`, markup(base64.StdEncoding.EncodeToString(hash[:])), title, markup(css), title)
	facts := "nothing was said"
	for i, e := range p.Events {
		if i == 0 {
			facts = e.Time.UTC().Format("2006-01-02 15:04 MST") + " · " + numbers.Count(p.Events[len(p.Events)-1].Turn+1, "turn")
		}
		if b, ok := e.Body.(conversation.AssistantMessage); ok && b.Model != "" {
			facts += " · " + b.Model
			break
		}
	}
	if c := inspect.CostsOf(p.Events); c.Prompt > 0 {
		facts += fmt.Sprintf(" · %s · %s tokens in, %s from the cache", numbers.Count(c.ReplyRequests+c.SummaryRequests, "request"),
			numbers.Tokens(c.Prompt), numbers.Percent(float64(c.Cached)/float64(c.Prompt)))
		if c.Total != nil && *c.Total > 0 {
			facts += fmt.Sprintf(" · $%.2f", *c.Total)
		}
	}
	for _, omitted := range [][2]string{{Output, "output of tools"}, {Files, "contents of files"}, {Images, "images"}} {
		if p.Omit[omitted[0]] {
			facts += " · without " + omitted[1]
		}
	}
	p.put("<p class=\"faint\">%s</p></header>\n", facts)
}

func (p *page) endTurn() {
	p.endCalls()
	if p.turn >= 0 {
		p.put("</section>\n")
	}
}

func (p *page) writeEvent(e *conversation.Event) {
	entry, isEntry := p.entries[e.Seq]
	if !isEntry && !conversation.IsMessage(e.Body) && e.Body.Kind() != conversation.KindJobEnded && e.Body.Kind() != conversation.KindTurnFailed {
		return
	}
	if e.Body.Kind() != conversation.KindResult {
		p.endCalls()
	}
	if e.Turn != p.turn {
		p.endTurn()
		p.turn, p.summary = e.Turn, 0
		p.put("<section id=\"t%d\"><h2>Turn %d <time>%s</time></h2>\n", e.Turn+1, e.Turn+1, e.Time.UTC().Format("15:04"))
	}
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		p.writeUser(b)
	case conversation.AssistantMessage:
		p.writeReply(b)
	case conversation.ToolResult:
		p.writeResult(b)
	case conversation.JobEnded:
		p.put("<p class=\"event\">%s</p>\n", b.Text())
	case conversation.TurnFailed:
		p.put("<p class=\"event failed\">The turn failed: %s</p>\n", strings.TrimSuffix(b.Message+" ("+b.Hint+")", " ()"))
	default:
		p.writeEntry(entry)
	}
}

func (p *page) writeUser(b conversation.UserMessage) {
	message, files := conversation.SplitAttachments(b.Text)
	p.put("<article class=\"user\">")
	if command, output, ok := conversation.ParseCommandOutput(message); ok {
		p.put("<p><code>! %s</code></p>", command)
		p.writePre(output, p.Omit[Output])
	} else {
		p.writeMarkdown(message)
	}
	p.writeImages(b.Images)
	for _, f := range files {
		p.put("<details><summary>attached <code>%s</code>%s</summary>", f.Path, size(len(f.Text)))
		p.writePre(f.Text, p.Omit[Files])
		p.put("</details>")
	}
	p.endMessage(p.Omit[Files] && len(files) > 0)
}

func (p *page) writeReply(b conversation.AssistantMessage) {
	p.open = b.Calls
	p.put("<article class=\"reply\">")
	if strings.TrimSpace(b.Reasoning) != "" {
		p.put("<details><summary>thinking%s</summary>", size(len(b.Reasoning)))
		p.writeMarkdown(b.Reasoning)
		p.put("</details>")
	}
	p.writeMarkdown(b.Text)
	if b.Stop != conversation.StopEnd && b.Stop != conversation.StopCalls && b.Stop != "" {
		p.put("<p class=\"event failed\">The reply ended early (%s)</p>", strings.TrimSuffix(string(b.Stop)+": "+b.Error, ": "))
	}
	p.endMessage(p.Omit[Files] && len(b.Calls) > 0)
}

// size is the size of a text after a heading.
func size(bytes int) string { return " · " + numbers.Bytes(int64(bytes)) }

// writeImages embeds images that a browser shows, and names the others.
func (p *page) writeImages(images []conversation.Image) {
	for _, m := range images {
		name, data := path.Base(strings.ReplaceAll(m.Label(), `\`, "/")), ""
		if !p.Omit[Images] && (m.Media == "image/png" || m.Media == "image/jpeg") {
			text, _ := p.Text(m.Blob)
			if raw, err := base64.StdEncoding.DecodeString(text); err == nil {
				data = base64.StdEncoding.EncodeToString(raw)
			}
		}
		if data == "" {
			p.put("<p class=\"event\">%s <code>%s</code></p>", m.What(), name)
		} else {
			p.put("<p><img alt=\"%s\" src=\"data:%s;base64,%s\"></p>", name, m.Media, markup(data))
		}
	}
}

package transcript

import (
	"strings"
	"time"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/diffview"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript/markdown"
)

// item is one entry of the transcript: a message, a tool call, a notice, the line of an overlay.
type item interface {
	// draw returns the lines, each at most width cells and without the margin.
	// They are valid until the item changes.
	draw(l *drawOptions, width int) []string
	// version changes whenever the drawn lines of the item change.
	version() int
	// indent is how many cells at the beginning of a line, as last drawn, are
	// a mark or indentation rather than text.
	indent(line int) int
	// source is the sanitised text from which the lines were wrapped.
	source(l *drawOptions) string
}

// versioned counts the changes of an item.
type versioned struct{ n int }

func (v *versioned) version() int { return v.n }
func (v *versioned) bump()        { v.n++ }

// foldable is an item that a click unfolds or folds.
type foldable struct {
	versioned
	expanded bool // unfolded although the others are not
}

func (f *foldable) toggle() {
	f.expanded = !f.expanded
	f.bump()
}

// drawOptions is what the drawn lines depend on besides the item.
type drawOptions struct {
	styles     Styles
	markdown   *markdown.Renderer
	factor     float64
	price      float64 // of a million tokens that are sent again, in US dollars; 0 if unknown or free
	keys       Keys
	zone       *time.Location
	expanded   bool
	pictures   map[string]Picture // by the blob of the image
	generation int                // counts changes of styles, markdown, keys, zone and pictures
}

// Keys are the keys or commands that lines of the transcript name, "" for none.
type Keys struct {
	Undo  string // undoes the newest compaction
	View  string // shows the history
	Retry string // sends a failed request again
}

// roundedFactor rounds the factor so that a small change does not redraw
// everything.
func (l *drawOptions) roundedFactor() int { return int(l.factor * 20) }

// Styles are the styles of the transcript. All are inline: without padding, margin,
// border or width.
type Styles struct {
	UserMark, User, Band     lipgloss.Style // Band is the background of user messages
	Reasoning, ReasoningMark lipgloss.Style
	ToolFailed, ToolRunning  lipgloss.Style
	ToolName, ToolSubject    lipgloss.Style
	Faint, Hint              lipgloss.Style // Faint: tokens, durations, separators
	Output, Block            lipgloss.Style // Block is the background of commands
	Diff                     diffview.Styles
	Undone, Note             lipgloss.Style // overlays that were undone or are no compaction; the bars of a compaction's card
	Info, Warning, Error     lipgloss.Style
	Selected                 lipgloss.Style
}

// growing wraps a text to which text is appended. Complete lines are wrapped only once.
type growing struct {
	upTo, width, generation int
	lines                   []string
}

// wrap returns the lines of text, styled, of at most width cells.
func (g *growing) wrap(text string, width int, s lipgloss.Style, generation int) []string {
	if g.width != width || g.generation != generation || len(text) < g.upTo {
		*g = growing{width: width, generation: generation}
	}
	if end := strings.LastIndexByte(text, '\n') + 1; end > g.upTo {
		piece := strings.TrimSuffix(text[g.upTo:end-1], "\r")
		g.lines = append(g.lines, pane.Each(s, pane.Wrap(plain.Text(piece), width))...)
		g.upTo = end
	}
	rest := pane.Each(s, pane.Wrap(plain.Text(text[g.upTo:]), width))
	return append(g.lines[:len(g.lines):len(g.lines)], rest...)
}

// indented puts prefix before the first line and as many blanks before the
// others. It changes lines.
func indented(prefix string, lines []string) []string {
	blank := strings.Repeat(" ", ansi.StringWidth(prefix))
	for i := range lines {
		switch {
		case i == 0:
			lines[i] = prefix + lines[i]
		case lines[i] != "":
			lines[i] = blank + lines[i]
		}
	}
	return lines
}

// oneLine returns the beginning of a text, sanitised, on one line of at most width
// cells. Its cost does not depend on the length of the text.
func oneLine(text string, width int) string {
	const bytesPerCell = 32 // a base character with as many combining marks as package plain allows
	return pane.Clip(plain.Line(head(text, 1<<30, (width+1)*bytesPerCell)), width)
}

// head returns the beginning of a text: at most that many lines and bytes, without
// a partial character at its end.
func head(text string, lines, bytes int) string {
	text = conversation.Beginning(text, bytes)
	at := 0
	for range lines {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			return text
		}
		at += i + 1
	}
	return text[:at]
}

// tail returns the end of a text: at most that many bytes, without a partial character
// at its beginning.
func tail(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	text = text[len(text)-bytes:]
	for len(text) > 0 && text[0]&0xC0 == 0x80 {
		text = text[1:]
	}
	return text
}

// Package transcript shows a conversation: what was said, streaming replies,
// and the tools that ran.
//
// It is drawn only where it is visible: an item renders when it is on screen,
// keeps its lines while it is near, and is measured only then, so that the
// length of a conversation costs nothing. It follows the end unless the reader
// scrolled up, and never jumps: the position is an item and a line of it.
//
// View has exactly the height it was given, no line is wider than the width,
// and it holds no control sequence but SGR: all text from models, tools and
// files passes package plain before it is drawn.
package transcript

import (
	"strings"
	"time"

	"plimsoll/conversation"
	"plimsoll/tui/transcript/markdown"
)

// Model is the transcript. It is owned by the program's one goroutine.
type Model struct {
	width, height int
	look          look
	entries       []*entry
	calls         map[string]*entry // by call id, the newest of each
	running       []*toolItem
	live          *entry // the reply that streams, nil without one
	said          bool   // there is more than notices
	model         string // the newest that the log names
	overlays      overlays
	adding        placed // what is being added

	at        position
	selection selection
	drawn     drawn
	view      string
	dirty     bool
}

// entry is an item with the lines it was last drawn as.
type entry struct {
	item  item
	lines []string // nil: not drawn, or drawn too long ago
	key   drawKey
	used  int // the view that needed it last
	placed
	gone bool // a rewind took it back
}

// drawKey is everything an item's lines depend on.
type drawKey struct {
	width, version, generation, factor int
	expanded, gone                     bool
}

// New returns an empty transcript.
func New(s Styles, md *markdown.Renderer) *Model {
	return &Model{calls: map[string]*entry{}, dirty: true, at: position{follow: true},
		look: look{styles: s, markdown: md, factor: 1, zone: time.Local}}
}

// SetSize gives the transcript its place in cells.
func (m *Model) SetSize(width, height int) {
	width, height = max(width, 1), max(height, 0)
	if width == m.width && height == m.height {
		return
	}
	if width != m.width {
		m.pin()
		m.look.markdown.SetWidth(textWidth(width))
		m.selection = selection{}
	}
	m.width, m.height, m.dirty = width, height, true
}

// SetStyles draws everything anew in another theme.
func (m *Model) SetStyles(s Styles, md *markdown.Renderer) {
	md.SetWidth(textWidth(m.width))
	m.look.styles, m.look.markdown = s, md
	m.look.generation++
	m.dirty = true
}

// SetExpandKey names the key that calls ToggleExpanded, for the hints; "" if
// there is none.
func (m *Model) SetExpandKey(name string) {
	m.look.hint = ""
	if name != "" {
		m.look.hint = "(" + name + " to expand)"
	}
	m.look.generation++
	m.dirty = true
}

// SetUndoKey names the key that takes the newest compaction back, for its line;
// "" if there is none.
func (m *Model) SetUndoKey(name string) {
	m.look.undo = name
	m.look.generation++
	m.dirty = true
}

// SetViewKey names the key that shows the history, for the line of the newest
// compaction; "" if there is none.
func (m *Model) SetViewKey(name string) {
	m.look.view = name
	m.look.generation++
	m.dirty = true
}

// SetZone sets the time zone of what is shown from now on.
func (m *Model) SetZone(zone *time.Location) {
	m.look.zone = zone
	m.look.generation++
	m.dirty = true
}

// SetFactor sets how many tokens of the model an estimated token is, for the
// weights of tool results.
func (m *Model) SetFactor(factor float64) {
	if factor <= 0 || factor == m.look.factor {
		return
	}
	before := m.look.roughFactor()
	m.look.factor = factor
	m.dirty = m.dirty || m.look.roughFactor() != before
}

// SetFrame moves the spinner of running calls.
func (m *Model) SetFrame(frame int) {
	for _, t := range m.running {
		t.frame = frame
		t.bump()
		m.dirty = true
	}
}

// Reset empties the transcript and shows other events.
func (m *Model) Reset(events []conversation.Event) {
	m.entries, m.running, m.live = nil, nil, nil
	m.said, m.model, m.overlays = false, "", overlays{}
	clear(m.calls)
	m.at, m.selection, m.drawn = position{follow: true}, selection{}, drawn{}
	m.Append(events)
}

// ToggleExpanded unfolds everything that folds, or folds it again.
func (m *Model) ToggleExpanded() {
	m.settle()
	m.look.expanded = !m.look.expanded
	m.selection = selection{}
	m.dirty = true
}

// Expanded reports whether folding is off.
func (m *Model) Expanded() bool { return m.look.expanded }

// Empty reports whether there is nothing to show.
func (m *Model) Empty() bool { return len(m.entries) == 0 }

// Said reports whether the conversation has begun: notices alone do not.
func (m *Model) Said() bool { return m.said }

// Turns is how many turns the conversation has, those that were taken back
// included.
func (m *Model) Turns() int {
	if n := len(m.overlays.turns); n > 0 {
		return m.overlays.turns[n-1].turn + 1
	}
	return 0
}

// Height is the number of lines View has.
func (m *Model) Height() int { return m.height }

// View is the transcript in exactly its height of lines. An unchanged
// transcript costs nothing.
func (m *Model) View() string {
	if !m.dirty {
		return m.view
	}
	m.drawn.view++
	rows := m.rows()
	if m.selection.at != m.at.place {
		m.selection = selection{}
	}
	lines := make([]string, m.height)
	for y := range lines {
		if y < len(rows) {
			lines[y] = m.text(rows[y])
		}
	}
	m.highlight(lines, rows)
	m.view = strings.Join(lines, "\n")
	m.dirty = false
	return m.view
}

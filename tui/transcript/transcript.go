// Package transcript shows a conversation: messages, streaming replies,
// and the tools that ran.
//
// It is drawn only where it is visible: an item renders when it is on screen,
// keeps its lines while it is near, and is measured only then, so that the
// length of a conversation costs nothing. It follows the end unless the reader
// scrolled up, and never jumps: the position is an item and a line of it.
//
// View has exactly the height it was given, no line is wider than the width,
// and it holds no control sequence but SGR, and OSC 8 where links are asked for: all text from models, tools and
// files passes package plain before it is drawn.
package transcript

import (
	"strings"
	"time"

	"plimsoll/conversation"
	"plimsoll/tui/transcript/markdown"
)

// Model is the transcript. It is owned by the program's one goroutine. It makes items of what happens; scroll knows which
// of them are in view, selection what of these is marked, overlays what is in force.
type Model struct {
	items     *items
	scroll    *scroll
	selection *selection
	overlays  overlays

	calls   map[string]*toolItem // the newest of each id
	running []*toolItem          // since the last was started; some may be over
	live    *entry               // the reply that streams, nil without one
	failed  *noticeItem          // why the newest turn failed, nil where something followed
	said    bool                 // there is more than notices
	model   string               // the newest that the log names
	adding  placed               // what is being added

	view  string
	dirty bool
}

// New returns an empty transcript.
func New(s Styles, md *markdown.Renderer) *Model {
	x := &items{look: look{styles: s, markdown: md, factor: 1, zone: time.Local}}
	sc := &scroll{items: x, position: position{follow: true}}
	return &Model{items: x, scroll: sc, selection: &selection{scroll: sc}, calls: map[string]*toolItem{}, dirty: true}
}

// SetSize gives the transcript its place in cells.
func (m *Model) SetSize(width, height int) {
	width, height = max(width, 1), max(height, 0)
	if width == m.items.width && height == m.scroll.height {
		return
	}
	if width != m.items.width {
		m.scroll.pin()
		m.items.look.markdown.SetWidth(proseWidth(width))
		m.selection.clear()
	}
	m.items.width, m.scroll.height, m.dirty = width, height, true
}

// SetStyles draws everything anew in another theme.
func (m *Model) SetStyles(s Styles, md *markdown.Renderer) {
	md.SetWidth(proseWidth(m.items.width))
	m.relook(func(l *look) { l.styles, l.markdown = s, md })
}

// SetUndoKey names the key that undoes the newest compaction, for its line;
// "" if there is none.
func (m *Model) SetUndoKey(name string) { m.relook(func(l *look) { l.undo = name }) }

// SetViewKey names the key that shows the history, for the line of the newest
// compaction; "" if there is none.
func (m *Model) SetViewKey(name string) { m.relook(func(l *look) { l.view = name }) }

// SetRetryKey names what sends a failed request again, for the line of the failure; "" if nothing does.
func (m *Model) SetRetryKey(name string) { m.relook(func(l *look) { l.retry = name }) }

// Failed reports whether the newest turn failed, and nothing followed.
func (m *Model) Failed() bool { return m.failed != nil }

// SetZone sets the time zone of what is shown from now on.
func (m *Model) SetZone(zone *time.Location) { m.relook(func(l *look) { l.zone = zone }) }

// relook changes how everything looks.
func (m *Model) relook(change func(*look)) {
	change(&m.items.look)
	m.items.look.generation++
	m.dirty = true
}

// SetFactor sets how many tokens of the model an estimated token is, for the
// weights of tool results.
func (m *Model) SetFactor(factor float64) {
	if factor <= 0 || factor == m.items.look.factor {
		return
	}
	before := m.items.look.roughFactor()
	m.items.look.factor = factor
	m.dirty = m.dirty || m.items.look.roughFactor() != before
}

// SetFrame moves the spinner of running calls.
func (m *Model) SetFrame(frame int) {
	for _, t := range m.running {
		if t.state == callRunning {
			t.frame = frame
			t.bump()
			m.dirty = true
		}
	}
}

// Reset empties the transcript and shows other events.
func (m *Model) Reset(events []conversation.Event) {
	m.items.entries, m.items.drawn = nil, drawn{}
	m.calls, m.running, m.live, m.failed = map[string]*toolItem{}, nil, nil, nil
	m.said, m.model, m.overlays = false, "", overlays{}
	m.scroll.position = position{follow: true}
	m.selection.clear()
	m.Append(events)
}

// ToggleExpanded unfolds everything that folds, or folds it again.
func (m *Model) ToggleExpanded() {
	m.scroll.settle()
	m.items.look.expanded = !m.items.look.expanded
	m.selection.clear()
	m.dirty = true
}

// Empty reports whether there is nothing to show.
func (m *Model) Empty() bool { return len(m.items.entries) == 0 }

// Said reports whether the conversation has begun: notices alone do not.
func (m *Model) Said() bool { return m.said }

// Turns is how many turns the conversation has, those that were rewound
// included.
func (m *Model) Turns() int {
	if n := len(m.overlays.turns); n > 0 {
		return m.overlays.turns[n-1].turn + 1
	}
	return 0
}

// Height is the number of lines View has.
func (m *Model) Height() int { return m.scroll.height }

// View is the transcript in exactly its height of lines. An unchanged
// transcript costs nothing.
func (m *Model) View() string {
	if !m.dirty {
		return m.view
	}
	m.items.drawn.view++
	rows := m.scroll.rows()
	if m.selection.at != m.scroll.place {
		m.selection.clear()
	}
	lines := make([]string, m.scroll.height)
	for y := range min(len(rows), len(lines)) {
		lines[y] = m.items.text(rows[y])
	}
	m.selection.highlight(lines, rows)
	m.view = strings.Join(lines, "\n")
	m.dirty = false
	return m.view
}

// TurnOf is the turn that an event of the log belongs to.
func (m *Model) TurnOf(seq uint64) int { return m.overlays.turnOf(seq) }

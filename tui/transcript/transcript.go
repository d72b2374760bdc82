// Package transcript shows a conversation: messages, streaming replies,
// and the tools that ran.
//
// Only visible items are drawn and measured, and their lines are cached, so that
// the cost of a view does not depend on the length of the conversation. The view
// follows the end unless the user scrolled up, and never jumps: the position is an
// item and a line of it.
//
// View returns exactly as many lines as the height, none wider than the width. Its
// only control sequences are SGR, and OSC 8 if links are enabled: package plain
// sanitises all text from models, tools and files before it is drawn.
package transcript

import (
	"strings"
	"time"

	"plimsoll/conversation"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript/markdown"
)

// Model is the transcript. The goroutine of the Bubble Tea program owns it. It turns events and updates into items. scroll
// holds which items are in view, selection what is selected, overlays which overlays are in force.
type Model struct {
	items     *items
	scroll    *scroll
	selection *selection
	overlays  overlays

	calls       map[string]*toolItem // by call ID, the newest of each
	running     []*toolItem          // calls that were started; some may have ended
	live        *entry               // the streaming reply, or nil
	turn        *turnEnd             // the newest turn, nil without one
	turnLine    *entry               // its last line, nil while it runs
	asked       *toolItem            // the call that an open question shows; nil for none
	failed      *noticeItem          // why the newest turn failed; nil if it did not, or more followed
	hasMessages bool                 // there are items other than notices and outputs
	model       string               // the newest in the log
	adding      logPosition          // position of the event being added
	toDraw      []conversation.Image // ascending

	view  string
	dirty bool
}

// New returns an empty transcript.
func New(s Styles, md *markdown.Renderer) *Model {
	x := &items{options: drawOptions{styles: s, markdown: md, factor: 1, zone: time.Local}}
	sc := &scroll{items: x, position: position{follow: true}}
	return &Model{items: x, scroll: sc, selection: &selection{scroll: sc}, calls: map[string]*toolItem{}, dirty: true}
}

// SetSize sets the size of the view in cells.
func (m *Model) SetSize(width, height int) {
	width, height = max(width, 1), max(height, 0)
	if width == m.items.width && height == m.scroll.height {
		return
	}
	if width != m.items.width {
		m.scroll.saveAnchor()
		m.items.options.markdown.SetWidth(pane.TextWidth(width))
		m.selection.clear()
	}
	m.items.width, m.scroll.height, m.dirty = width, height, true
}

// SetStyles changes the theme, which redraws everything.
func (m *Model) SetStyles(s Styles, md *markdown.Renderer) {
	md.SetWidth(pane.TextWidth(m.items.width))
	m.changeOptions(func(l *drawOptions) { l.styles, l.markdown = s, md })
}

// SetKeys sets the keys that lines of the transcript name.
func (m *Model) SetKeys(k Keys) { m.changeOptions(func(l *drawOptions) { l.keys = k }) }

// Failed reports whether the newest turn failed and no event followed.
func (m *Model) Failed() bool { return m.failed != nil }

// SetBusy sets whether a turn runs: then no key is offered to send a failed one again.
func (m *Model) SetBusy(busy bool) {
	if m.failed != nil && m.failed.canRetry == busy {
		m.failed.canRetry = !busy
		m.failed.bump()
		m.dirty = true
	}
}

// SetZone sets the time zone in which times are shown.
func (m *Model) SetZone(zone *time.Location) { m.changeOptions(func(l *drawOptions) { l.zone = zone }) }

// changeOptions changes options on which all drawn lines depend.
func (m *Model) changeOptions(change func(*drawOptions)) {
	change(&m.items.options)
	m.items.options.generation++
	m.dirty = true
}

// SetFactor sets how many tokens of the model an estimated token is, for shown numbers of tokens.
func (m *Model) SetFactor(factor float64) {
	if factor <= 0 || factor == m.items.options.factor {
		return
	}
	before := m.items.options.roundedFactor()
	m.items.options.factor = factor
	m.dirty = m.dirty || m.items.options.roundedFactor() != before
}

// SetPrice sets the price of a million tokens that are sent again, in US dollars; 0 if unknown or free.
func (m *Model) SetPrice(usd float64) {
	if l := &m.items.options; l.price != usd {
		l.price, m.dirty = usd, true
		l.generation++
	}
}

// SetFrame sets the frame of the spinners of running calls.
func (m *Model) SetFrame(frame int) {
	for _, t := range m.running {
		if t.state == callRunning {
			t.frame = frame
			t.bump()
			m.dirty = true
		}
	}
}

// Reset replaces the content of the transcript by other events.
func (m *Model) Reset(events []conversation.Event) {
	m.items.entries, m.items.cache = nil, lineCache{}
	m.calls, m.running, m.live, m.failed = map[string]*toolItem{}, nil, nil, nil
	m.turn, m.turnLine = nil, nil
	m.hasMessages, m.model, m.overlays = false, "", overlays{}
	m.toDraw, m.items.options.pictures = nil, nil
	m.scroll.position = position{follow: true}
	m.selection.clear()
	m.Append(events)
}

// ToggleExpanded unfolds all items that fold, or folds them again.
func (m *Model) ToggleExpanded() {
	m.scroll.normalize()
	m.items.options.expanded = !m.items.options.expanded
	for _, e := range m.items.entries {
		if t, tool := e.item.(*toolItem); tool && t.exploration != nil {
			t.exploration.open = false
		}
	}
	m.selection.clear()
	m.dirty = true
}

// HasMessages reports whether the transcript shows anything other than notices and outputs.
func (m *Model) HasMessages() bool { return m.hasMessages }

// Height is the number of lines that View returns.
func (m *Model) Height() int { return m.scroll.height }

// View returns the visible part, exactly as many lines as the height. An unchanged
// transcript is not drawn again.
func (m *Model) View() string {
	if !m.dirty {
		return m.view
	}
	m.items.cache.view++
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

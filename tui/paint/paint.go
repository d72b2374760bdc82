// Package paint turns frames into what a terminal has to be told: of each frame only
// what is different from the one before.
//
// A frame is the rows of the screen as the views draw them, each with its own styles,
// which end with the row. Rows that stay are compared and nothing else; rows that moved
// are scrolled; a row that grew is written from where it differs. So a frame costs what
// changed. The package does no I/O.
package paint

import (
	"bytes"
	"strings"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Painter knows what a terminal shows. The zero value knows nothing and draws
// without colour; it must not be shared between goroutines.
type Painter struct {
	// Profile is the colours that the terminal has.
	Profile colorprofile.Profile
	// Synced says that the terminal shows what stands between two marks at once.
	Synced bool
	// Scrolls says that the terminal scrolls parts of its screen.
	Scrolls bool

	width, height int
	rows          []string    // that the terminal shows
	known         bool        // it shows them
	cursor        *tea.Cursor // as the terminal has it, nil while it is hidden
	shape         int         // of the cursor, as the terminal is told, 0 before it is
	out           bytes.Buffer
}

// Resize has the next frames be of another size.
func (p *Painter) Resize(width, height int) {
	p.width, p.height = max(0, width), max(0, height)
	p.Forget()
}

// Forget has the next frame drawn anew: something else wrote to the terminal.
func (p *Painter) Forget() { p.known = false }

// clear empties every row. Rows are emptied one by one: a terminal that is told to erase
// its screen may flicker, or move what stands there to its scrollback.
func (p *Painter) clear() {
	p.out.WriteString(ansi.ResetStyle + "\x1b[r")
	for y := range p.height {
		p.out.WriteString(ansi.CursorPosition(1, y+1) + ansi.EraseLineRight)
	}
}

// Frame is what leads from the frame before to this one, nil if they are the same. It
// is valid until the next call.
func (p *Painter) Frame(content string, cursor *tea.Cursor) []byte {
	p.out.Reset()
	if p.width == 0 || p.height == 0 {
		return nil
	}
	fresh := !p.known
	if fresh {
		p.clear()
		p.rows, p.known, p.cursor = make([]string, p.height), true, nil
	}
	rows := p.split(content)
	p.scroll(rows)
	for y, row := range rows {
		if row != p.rows[y] {
			p.row(y, p.rows[y], row)
		}
	}
	p.rows = rows
	painted := p.out.Len() > 0
	p.place(cursor, painted)
	if !painted {
		return p.out.Bytes()
	}
	return p.framed(bytes.Clone(p.out.Bytes()), fresh)
}

// split is the rows of a frame, of the terminal's height.
func (p *Painter) split(content string) []string {
	rows := make([]string, p.height)
	for y := range rows {
		row, rest, more := strings.Cut(content, "\n")
		rows[y] = strings.TrimSuffix(row, "\r")
		if !more {
			break
		}
		content = rest
	}
	return rows
}

// place puts the cursor where it belongs, or hides it.
func (p *Painter) place(cursor *tea.Cursor, painted bool) {
	switch {
	case cursor == nil:
		if p.cursor != nil {
			p.out.WriteString(ansi.ResetModeTextCursorEnable)
		}
		p.cursor = nil
		return
	case painted, p.cursor == nil, p.cursor.Position != cursor.Position:
		p.moveTo(cursor.X, cursor.Y)
	}
	if p.cursor == nil {
		p.out.WriteString(ansi.SetModeTextCursorEnable)
	}
	if s := shape(cursor); s != p.shape {
		p.out.WriteString(ansi.SetCursorStyle(s))
		p.shape = s
	}
	at := *cursor
	p.cursor = &at
}

// shape is the number of the cursor's look.
func shape(c *tea.Cursor) int {
	if c.Blink {
		return 2*int(c.Shape) + 1
	}
	return 2*int(c.Shape) + 2
}

// Leave is what gives the terminal back as it was, nil if nothing has to be.
func (p *Painter) Leave() []byte {
	p.Forget()
	told := p.shape
	if p.shape = 0; told <= 1 { // the terminal's own, mostly
		return nil
	}
	return []byte(ansi.SetCursorStyle(0))
}

func (p *Painter) moveTo(x, y int) { p.out.WriteString(ansi.CursorPosition(x+1, y+1)) }

// framed is a painted frame between marks, so that none of it is seen before all of it.
// Where the terminal has no such marks the cursor is hidden while it wanders.
func (p *Painter) framed(frame []byte, fresh bool) []byte {
	p.out.Reset()
	switch {
	case p.Synced:
		p.out.WriteString(ansi.SetModeSynchronizedOutput)
	case p.cursor != nil && !fresh:
		p.out.WriteString(ansi.ResetModeTextCursorEnable)
	}
	p.out.Write(frame)
	switch {
	case p.Synced:
		p.out.WriteString(ansi.ResetModeSynchronizedOutput)
	case p.cursor != nil && !fresh:
		p.out.WriteString(ansi.SetModeTextCursorEnable)
	}
	return p.out.Bytes()
}

package tui

import (
	"context"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation"
	"plimsoll/tui/pane"
	"plimsoll/tui/transcript"
)

// Images are drawn one after the other, the newest first, each once and beside the screen's goroutine. A terminal that has to say
// first that it can draw gets none before that.

// Pictures draws images.
type Pictures struct {
	// Draw returns an image as lines, and a sequence that the terminal needs before. id is one of 240 numbers. Nil: none is drawn.
	Draw func(ctx context.Context, m conversation.Image, id int) (p Picture, before string, err error)
	// Query asks the terminal whether it can draw; "" if that is known.
	Query string
}

// Numbers of pictures: the colors that all terminals with 256 have.
const (
	firstPicture = 16
	pictureCount = 240
)

type pictures struct {
	Pictures
	canDraw bool
	busy    bool
	drawn   int
	colors  bool
}

// pictureMsg is a drawn image. What the terminal needs before is written first.
type pictureMsg struct {
	image  conversation.Image
	shown  Picture
	before string
	err    error
}

func (p *pictures) start() tea.Cmd {
	if p.canDraw = p.Draw != nil && p.Query == ""; p.Draw == nil || p.canDraw {
		return nil
	}
	return tea.Raw(p.Query)
}

// next draws the next image.
func (p *pictures) next(ctx context.Context, t *transcript.Model) tea.Cmd {
	if !p.canDraw || !p.colors || p.busy {
		return nil
	}
	m, ok := t.NextImage()
	if !ok {
		return nil
	}
	id, draw := firstPicture+p.drawn%pictureCount, p.Draw
	p.busy, p.drawn = true, p.drawn+1
	return func() tea.Msg {
		shown, before, err := draw(ctx, m, id)
		return pictureMsg{m, shown, before, err}
	}
}

func (p *pictures) show(msg pictureMsg, t *transcript.Model) tea.Cmd {
	if before := msg.before; before != "" && msg.err == nil {
		msg.before = ""
		return tea.Sequence(tea.Raw(before), func() tea.Msg { return msg })
	}
	if p.busy = false; msg.err == nil { // else its line stands for it
		t.SetPicture(msg.image, msg.shown)
	}
	return nil
}

// pasteImage mentions the image in the clipboard.
func (m *Model) pasteImage() tea.Cmd {
	ctx, read := m.env.ctx, m.env.ClipboardImage
	if read == nil {
		return nil
	}
	return func() tea.Msg {
		path, err := read(ctx)
		if err != nil {
			return commandResult{err, func() pane.Action { return requestFailed{err} }}
		}
		return tea.PasteMsg{Content: path}
	}
}

package transcript

import (
	"slices"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tui/pane"
)

// Picture is a drawn image.
type Picture struct {
	Lines   []string // with SGR sequences only
	Columns int      // of each line, in cells
}

// mostPictures is how many images of a part of the log are drawn, the newest.
const mostPictures = 12

// wantPictures notes the images of events for NextImage.
func (m *Model) wantPictures(events []conversation.Event) {
	for _, e := range events {
		m.toDraw = append(m.toDraw, slices.DeleteFunc(slices.Clone(conversation.ImagesOf(e.Body)), conversation.Image.IsPDF)...)
	}
	m.toDraw = m.toDraw[max(0, len(m.toDraw)-mostPictures):]
}

// NextImage returns the newest image that was not drawn yet, and forgets it.
func (m *Model) NextImage() (next conversation.Image, ok bool) {
	for n := len(m.toDraw); n > 0 && !ok; n = len(m.toDraw) {
		next, m.toDraw = m.toDraw[n-1], m.toDraw[:n-1]
		_, drawn := m.items.options.pictures[next.Blob]
		ok = !drawn
	}
	return next, ok
}

// SetPicture shows an image below its line.
func (m *Model) SetPicture(image conversation.Image, p Picture) {
	m.scroll.saveAnchor()
	m.changeOptions(func(l *drawOptions) {
		if l.pictures == nil {
			l.pictures = map[string]Picture{}
		}
		l.pictures[image.Blob] = p
	})
}

// chips draws a line for each image: its name, its size and what it takes, and below it the picture.
func chips(l *drawOptions, images []conversation.Image, room int) (lines []string) {
	for _, m := range images {
		text := "▣ " + plain.Line(m.Label()) + " · " + numbers.Bytes(int64(m.Bytes))
		if m.Tokens > 0 {
			text += " · ~" + numbers.Count(m.Tokens, "token")
		}
		lines = append(lines, l.styles.Hint.Render(pane.Clip(text, room)))
		if p := l.pictures[m.Blob]; p.Columns <= room {
			lines = append(lines, p.Lines...)
		}
	}
	return lines
}

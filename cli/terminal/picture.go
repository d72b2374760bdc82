package terminal

import (
	"fmt"
	"image"
	"strings"

	"github.com/charmbracelet/x/ansi"
	graphics "github.com/charmbracelet/x/ansi/kitty"
)

// Pictures in a terminal. Rules:
//
//   - The kitty graphics protocol is used with placeholders: characters that stand in the text and scroll with it. Where it is
//     not configured, it is used only in a terminal that is known to have placeholders and says that it takes images.
//   - Half blocks are characters with two colors each, and are used only where they are configured.
//   - Nothing of a file reaches the terminal but its pixels, encoded anew.

// The values of images.draw.
const (
	DrawAuto   = "auto"
	DrawKitty  = "kitty"
	DrawBlocks = "blocks"
	DrawNever  = "never"
)

// The box that a picture is drawn in, in cells, and the pixels of a cell that it is scaled for.
const (
	pictureColumns, pictureRows = 48, 14
	cellWidth, cellHeight       = 10, 20
)

// Artist draws pictures in one way.
type Artist struct {
	blocks bool
	wrap   func(sequence string) string // makes tmux pass a sequence on to the terminal
	// Query is the sequence that asks the terminal whether it can draw; "" if that is known.
	Query string
}

// Artist returns the artist for a value of images.draw, nil if no pictures are drawn.
func (t *Terminal) Artist(how string) *Artist {
	wrap := func(sequence string) string { return sequence }
	kind := t.detect()
	if kind == multiplexer && t.env("TMUX") != "" {
		wrap = func(sequence string) string { return ansi.TmuxPassthrough(sequence) }
	}
	switch {
	case how == DrawBlocks:
		return &Artist{blocks: true}
	case how == DrawKitty:
		return &Artist{wrap: wrap}
	case how == DrawAuto && (kind == kitty || kind == ghostty):
		return &Artist{wrap: wrap, Query: ansi.KittyGraphics([]byte("AAAA"), "i=31", "s=1", "v=1", "a=q", "t=d", "f=24")}
	}
	return nil
}

// Size returns the cells that a picture of so many pixels takes, and the pixels that are drawn there.
func (a *Artist) Size(width, height int) (cells, pixels image.Point) {
	w, h := min(width, pictureColumns*cellWidth), min(height, pictureRows*cellHeight)
	if w*height < h*width {
		h = max(1, height*w/width)
	} else {
		w = max(1, width*h/height)
	}
	cells = image.Pt((w+cellWidth-1)/cellWidth, (h+cellHeight-1)/cellHeight)
	if a.blocks {
		return cells, image.Pt(cells.X, 2*cells.Y)
	}
	return cells, image.Pt(w, h)
}

// Draw returns the lines of a picture that was scaled to the pixels of Size, and a sequence to send before them. id is from 16 to
// 255; the picture replaces an earlier one with that id.
func (a *Artist) Draw(m image.Image, cells image.Point, id int) (lines []string, before string, err error) {
	if a.blocks {
		return halfBlocks(m), "", nil
	}
	var out strings.Builder
	err = graphics.EncodeGraphics(&out, m, &graphics.Options{Action: graphics.TransmitAndPut, Transmission: graphics.Direct, Format: graphics.PNG, ID: id,
		Columns: cells.X, Rows: cells.Y, VirtualPlacement: true, Quiet: 2, Chunk: true, ChunkFormatter: a.wrap})
	for y := range cells.Y {
		line := fmt.Sprintf("\x1b[38;5;%dm", id) // the color of a placeholder is the number of its picture
		for x := range cells.X {
			line += string([]rune{graphics.Placeholder, graphics.Diacritic(y), graphics.Diacritic(x)})
		}
		lines = append(lines, line+"\x1b[39m")
	}
	return lines, out.String(), err
}

// halfBlocks draws two rows of pixels in a line.
func halfBlocks(m image.Image) (lines []string) {
	b := m.Bounds()
	color := func(x, y int) string {
		r, g, b, _ := m.At(x, y).RGBA()
		return fmt.Sprintf("8;2;%d;%d;%d", r>>8, g>>8, b>>8)
	}
	for y := b.Min.Y; y+1 < b.Max.Y; y += 2 {
		line := ""
		for x := b.Min.X; x < b.Max.X; x++ {
			line += "\x1b[3" + color(x, y) + ";4" + color(x, y+1) + "m▀"
		}
		lines = append(lines, line+"\x1b[m")
	}
	return lines
}

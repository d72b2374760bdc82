package screen

import (
	"context"
	"encoding/base64"
	"errors"

	"plimsoll/cli/terminal"
	"plimsoll/conversation"
	"plimsoll/tools/picture"
	"plimsoll/tui"
)

// Pictures returns how the images of the open conversation are drawn; by is nil if they are not.
func (h *Host) Pictures(by *terminal.Artist) tui.Pictures {
	if by == nil {
		return tui.Pictures{}
	}
	return tui.Pictures{Query: by.Query, Draw: func(ctx context.Context, m conversation.Image, id int) (p tui.Picture, before string, err error) {
		open, _ := h.openID()
		text, err := h.deps.Resources.Store.Blob(ctx, open, m.Blob)
		file, decodeErr := base64.StdEncoding.DecodeString(text)
		if err = errors.Join(err, decodeErr); err != nil {
			return p, "", err
		}
		cells, pixels := by.Size(m.Width, m.Height)
		scaled, err := picture.Scale(file, pixels.X, pixels.Y)
		if err != nil {
			return p, "", err
		}
		p.Columns = cells.X
		p.Lines, before, err = by.Draw(scaled, cells, id)
		return p, before, err
	}}
}

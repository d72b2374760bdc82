package screen

import (
	"context"
	"encoding/base64"
	"errors"
	"os"

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

// ClipboardImage returns a function that stores the image in a clipboard as a file, which the host removes at its end.
func (h *Host) ClipboardImage(of terminal.Clipboard) func(ctx context.Context) (path string, err error) {
	return func(ctx context.Context) (string, error) {
		image, err := of.Image(ctx, picture.MaxBytes)
		if err != nil {
			return "", err
		}
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.isClosed {
			return "", errClosing
		}
		if h.pasted == "" {
			if h.pasted, err = os.MkdirTemp("", "plimsoll-"); err != nil {
				return "", err
			}
		}
		f, err := os.CreateTemp(h.pasted, "pasted-*.png")
		if err != nil {
			return "", err
		}
		_, err = f.Write(image)
		return f.Name(), errors.Join(err, f.Close())
	}
}

package tools

import (
	"context"
	"errors"
	"fmt"

	"plimsoll/conversation"
)

// An image that a tool brings is scaled and stored before the result is, and the result's text has a line for it. One that cannot
// be shown is no failure of the call.

// ImageFile is an image as a tool brings it, not checked.
type ImageFile struct {
	Name string
	Data []byte
}

// maxResultImages is how many images a result has at most.
const maxResultImages = 8

// keepImages adds files to a result, as images.
func (b *Box) keepImages(ctx context.Context, r *result, files []ImageFile) {
	for i, f := range files {
		var m conversation.Image
		err := errors.New("images are not kept here")
		switch {
		case i >= maxResultImages:
			err = fmt.Errorf("a result shows at most %d images", maxResultImages)
		case b.options.KeepImage != nil:
			m, err = b.options.KeepImage(ctx, f.Name, f.Data)
		}
		if err != nil {
			r.text += fmt.Sprintf("\n[%s: not shown: %v]", f.Name, err)
			continue
		}
		r.text += "\n[" + m.Label() + "]"
		r.images = append(r.images, m)
	}
}

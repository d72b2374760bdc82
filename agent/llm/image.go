package llm

import (
	"context"
	"fmt"

	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// WithImages returns the request with the bytes of its images read. An image that is lost is sent as a line of text.
func (r Request) WithImages(ctx context.Context) (Request, error) {
	if r.LoadImage == nil || r.Images != nil {
		return r, nil
	}
	for i := range r.Messages {
		for _, m := range r.Messages[i].Images {
			if _, ok := r.Images[m.Blob]; ok || m.IsPDF() && !r.PDFs {
				continue
			}
			data, err := r.LoadImage(ctx, m.Blob)
			if err != nil {
				return r, fmt.Errorf("reading the %s %s: %w", m.What(), conversation.OneLine(m.Name, 60), err)
			}
			if r.Images == nil {
				r.Images = map[string]string{}
			}
			r.Images[m.Blob] = data
		}
	}
	return r, nil
}

// Content returns the images that are sent with a message, and its text with a line for each image that is not. Where the bytes
// are not read yet, every image counts as sent.
func (r Request) Content(m *projection.Message) (sent []conversation.Image, text string) {
	text = m.Text
	for _, image := range m.Images {
		data, read := r.Images[image.Blob]
		if r.LoadImage != nil && (r.PDFs || !image.IsPDF()) && (data != "" || !read && r.Images == nil) {
			sent = append(sent, image)
			continue
		}
		if text != "" {
			text += "\n"
		}
		text += "[" + image.What() + " " + image.Label() + ": not sent, because it cannot be shown to this model]"
	}
	return sent, text
}

// DataURL returns an image as a data URL.
func (r Request) DataURL(m conversation.Image) string {
	return "data:" + m.Media + ";base64," + r.Images[m.Blob]
}

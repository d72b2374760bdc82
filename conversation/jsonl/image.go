package jsonl

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"image"
	_ "image/gif" // their headers are read
	_ "image/jpeg"
	_ "image/png"
	"strings"

	"plimsoll/conversation"
)

// Picture is an image of a message, with its bytes in base64.
type Picture struct {
	conversation.Image
	Data string
}

// ImagePart is a part of a content that may be an image, in the forms of the APIs and of other clients.
type ImagePart struct {
	ImageURL json.RawMessage `json:"image_url"` // a data URL, or an object with one
	Source   struct {        // of the Messages API
		Data string `json:"data"`
	} `json:"source"`
	Data string `json:"data"`
}

// maxHeader is how much of an image is read for its size, in bytes of base64; a multiple of 4.
const maxHeader = 128 << 10

// Picture returns the image of a part; false if it has none, or one whose size cannot be read.
func (p *ImagePart) Picture() (out Picture, ok bool) {
	var object struct{ URL string }
	url := ""
	if json.Unmarshal(p.ImageURL, &url) != nil && json.Unmarshal(p.ImageURL, &object) == nil {
		url = object.URL
	}
	data := p.Source.Data + p.Data
	if head, rest, found := strings.Cut(url, ";base64,"); found && strings.HasPrefix(head, "data:image/") {
		data = rest
	}
	raw, err := base64.StdEncoding.DecodeString(data[:min(len(data), maxHeader)])
	if err != nil || len(raw) == 0 {
		return out, false
	}
	size, format, err := image.DecodeConfig(bytes.NewReader(raw))
	if err != nil {
		return out, false
	}
	return Picture{conversation.Image{Media: "image/" + format, Name: "image", Width: size.Width, Height: size.Height,
		Bytes: base64.StdEncoding.DecodedLen(len(data))}, data}, true
}

// images stores the pictures of a message and returns them as those of an event.
func (b *builder) images(pictures []Picture) (out []conversation.Image, err error) {
	for _, p := range pictures {
		if p.Blob, err = b.keep(p.Data); err != nil {
			return nil, err
		}
		out = append(out, p.Image)
	}
	return out, nil
}

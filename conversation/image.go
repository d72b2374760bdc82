package conversation

import (
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// Image is what a model looks at beside a text: a picture, or a PDF, that came with a message of the user or with a result. Its
// bytes are a blob, in base64: no event has them.
type Image struct {
	Blob   string `json:"blob"`             // of the base64 text
	Media  string `json:"media"`            // "image/png", "image/jpeg" or [MediaPDF]
	Name   string `json:"name"`             // as the user wrote it
	Width  int    `json:"width"`            // in pixels, as it is sent; 0 of a PDF
	Height int    `json:"height"`           // in pixels
	Pages  int    `json:"pages,omitempty"`  // of a PDF
	Bytes  int    `json:"bytes"`            // of what is sent, before base64
	Tokens int    `json:"tokens,omitempty"` // by the rule of the model that it was attached for
}

// MediaPDF is the media type of a PDF.
const MediaPDF = "application/pdf"

// IsPDF reports whether the image is a PDF.
func (m Image) IsPDF() bool { return m.Media == MediaPDF }

// IsImage reports whether a path has the extension of an image or a PDF that can be attached.
func IsImage(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf":
		return true
	}
	return false
}

// ImageSize is the part of a [Size] that providers bill for images: their number, the tiles of 512 pixels that pictures take
// (OpenAI), their pixels (Anthropic), and the pages of PDFs.
type ImageSize struct {
	Count, Tiles, Pages int32
	Pixels              int64
}

// Plus returns the sum of two sizes.
func (s ImageSize) Plus(t ImageSize) ImageSize {
	return ImageSize{s.Count + t.Count, s.Tiles + t.Tiles, s.Pages + t.Pages, s.Pixels + t.Pixels}
}

// Bounds that OpenAI fits an image into before it counts tiles, and the largest side that an event may claim, in pixels.
const (
	tileBox   = 2048
	tileShort = 768
	tileSide  = 512
	maxSide   = 1 << 16
)

// maxPages is how many pages an event may claim.
const maxPages = 1 << 16

// Size returns what providers bill for the image.
func (m Image) Size() ImageSize {
	if m.IsPDF() {
		return ImageSize{Count: 1, Pages: int32(m.Pages)} // of at most maxPages
	}
	w, h := m.Width, m.Height
	if long := max(w, h); long > tileBox {
		w, h = w*tileBox/long, h*tileBox/long
	}
	if short := min(w, h); short > tileShort {
		w, h = w*tileShort/short, h*tileShort/short
	}
	tiles := ((max(w, 1) + tileSide - 1) / tileSide) * ((max(h, 1) + tileSide - 1) / tileSide)
	return ImageSize{Count: 1, Tiles: int32(tiles), Pixels: int64(m.Width) * int64(m.Height)}
}

// SizeOfImages returns the sum of what providers bill for images.
func SizeOfImages(images []Image) (sum ImageSize) {
	for _, m := range images {
		sum = sum.Plus(m.Size())
	}
	return sum
}

// ImagesOf returns the images that came with a message of the user or with a result.
func ImagesOf(b Body) []Image {
	switch b := b.(type) {
	case UserMessage:
		return b.Images
	case ToolResult:
		return b.Images
	}
	return nil
}

// Label names the image on one line: "shot.png 1568x1176", "spec.pdf 12 pages". The name is not safe to draw.
func (m Image) Label() string {
	switch {
	case m.IsPDF() && m.Pages == 1:
		return m.Name + " 1 page"
	case m.IsPDF():
		return fmt.Sprintf("%s %d pages", m.Name, m.Pages)
	}
	return fmt.Sprintf("%s %dx%d", m.Name, m.Width, m.Height)
}

// What is "image" or "PDF".
func (m Image) What() string {
	if m.IsPDF() {
		return "PDF"
	}
	return "image"
}

// normalize makes the values of an event from anywhere safe.
func (m *Image) normalize() {
	m.Name = OneLine(Clean(m.Name), maxImageName)
	if m.IsPDF() {
		m.Width, m.Height, m.Pages = 0, 0, min(max(m.Pages, 1), maxPages)
	} else {
		m.Width, m.Height, m.Pages = min(max(m.Width, 1), maxSide), min(max(m.Height, 1), maxSide), 0
	}
	m.Bytes, m.Tokens = max(m.Bytes, 0), max(m.Tokens, 0)
}

// maxImageName is how many characters of a name are kept.
const maxImageName = 120

// An image that was attached to a text, but is not in the log yet, is a line at the text's end, after a blank line.
const (
	imageBegin = "\n\n<image {"
	imageEnd   = "}>"
)

// FormatImages returns the text to append to a user message that has these images attached.
func FormatImages(images ...Image) string {
	var b strings.Builder
	for _, m := range images {
		fields, _ := EncodeJSON(m) // strings and numbers always encode
		b.WriteString(strings.TrimSuffix(imageBegin, "{") + string(fields) + strings.TrimPrefix(imageEnd, "}"))
	}
	return b.String()
}

// CutImages separates the images that FormatImages appended from a text.
func CutImages(text string) (string, []Image) {
	var images []Image
	for strings.HasSuffix(text, imageEnd) {
		at := strings.LastIndex(text, imageBegin)
		var m Image
		if at < 0 || json.Unmarshal([]byte(text[at+len(imageBegin)-1:len(text)-1]), &m) != nil || m.Blob == "" {
			break
		}
		m.normalize()
		text, images = text[:at], append([]Image{m}, images...)
	}
	return text, images
}

// MeasureMessage measures a text with the images that FormatImages appended.
func MeasureMessage(text string) Size {
	text, images := CutImages(text)
	size := Measure(Clean(text))
	size.Images = SizeOfImages(images)
	return size
}

package tools

import (
	"bytes"
	"net/http"
	"strings"
)

// sniffed is how many bytes of a file decide whether it is text.
const sniffed = 8 << 10

// notText says what a file is that begins with head, "" for text. A file with a
// NUL byte is no text, as git sees it.
func notText(head []byte) string {
	head = head[:min(len(head), sniffed)]
	if bytes.HasPrefix(head, []byte{0xFF, 0xFE}) || bytes.HasPrefix(head, []byte{0xFE, 0xFF}) {
		return "UTF-16 text"
	}
	media, _, _ := strings.Cut(http.DetectContentType(head), ";")
	switch {
	case strings.HasPrefix(media, "image/"), strings.HasPrefix(media, "audio/"), strings.HasPrefix(media, "video/"),
		media == "application/pdf":
		return media
	case bytes.IndexByte(head, 0) < 0:
		return ""
	case media == "application/octet-stream", strings.HasPrefix(media, "text/"):
		return "binary"
	}
	return media
}

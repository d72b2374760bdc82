package workspace

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"

	"plimsoll/tools/words"
)

// MaxEdit is the largest file that tools read or edit, in bytes.
const MaxEdit = 16 << 20

// Sniffed is how many leading bytes of a file decide whether it is text.
const Sniffed = 8 << 10

// NotText returns the kind of a file that begins with head ("binary", "image/png"), or
// "" for text. Like git, it takes a file with a NUL byte for binary.
func NotText(head []byte) string {
	head = head[:min(len(head), Sniffed)]
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

// ExistsAlready returns the error for creating a file that exists.
func ExistsAlready(p Place) error {
	return fmt.Errorf("%s exists already. Use modify_file to change part of it, or overwrite: true to replace it", p.Name)
}

// Content reads a whole file; larger ones than MaxEdit are an error.
func (f *Files) Content(p Place) (string, error) {
	file, st, err := f.Open(p)
	if err != nil {
		return "", err
	}
	defer func() { _ = file.Close() }() // opened for reading
	if st.Size() > MaxEdit {
		return "", fmt.Errorf("%s is %s; files over 16 MiB are neither read nor edited", p.Name, words.Bytes(st.Size()))
	}
	text, err := io.ReadAll(io.LimitReader(file, MaxEdit))
	if err != nil {
		return "", p.Explain(err)
	}
	return string(text), nil
}

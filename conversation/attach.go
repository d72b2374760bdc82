package conversation

import (
	"strconv"
	"strings"
)

// AttachedFile is a file whose text goes with a message.
type AttachedFile struct {
	Path string
	Text string // without line ends at its end
}

// How files stand behind a message: <file path="a.go">, the text, </file>, each
// on lines of their own and after a blank line.
const (
	fileBegin   = "\n\n<file path=\""
	filePathEnd = "\">\n"
	fileEnd     = "\n</file>"
)

// FormatAttachments returns the text of files as it follows a message.
func FormatAttachments(files ...AttachedFile) string {
	var b strings.Builder
	for _, f := range files {
		quoted := strconv.Quote(f.Path)
		b.WriteString(fileBegin + quoted[1:len(quoted)-1] + filePathEnd + strings.TrimRight(f.Text, "\n") + fileEnd)
	}
	return b.String()
}

// SplitAttachments separates what a message says from the files behind it. A message
// without files, or with something that only looks like them, is all said.
func SplitAttachments(text string) (said string, files []AttachedFile) {
	if !strings.HasSuffix(text, fileEnd) {
		return text, nil
	}
	said, rest, more := strings.Cut(strings.TrimSuffix(text, fileEnd), fileBegin)
	for more {
		quoted, body, ok := strings.Cut(rest, filePathEnd)
		if !ok {
			return text, nil
		}
		body, rest, more = strings.Cut(body, fileEnd+fileBegin)
		path, err := strconv.Unquote(`"` + quoted + `"`)
		if err != nil {
			path = quoted // not written by us, but readable
		}
		files = append(files, AttachedFile{Path: path, Text: body})
	}
	if len(files) == 0 {
		return text, nil
	}
	return said, files
}

package conversation

import (
	"strconv"
	"strings"
)

// AttachedFile is a file that the user attached to a message.
type AttachedFile struct {
	Path string
	Text string // without trailing newlines
}

// An attached file follows the message text as <file path="a.go">, the file's text
// and </file>, each on lines of its own, after a blank line.
const (
	fileBegin   = "\n\n<file path=\""
	filePathEnd = "\">\n"
	fileEnd     = "\n</file>"
)

// FormatAttachments returns the text to append to a user message that has these files attached.
func FormatAttachments(files ...AttachedFile) string {
	var b strings.Builder
	for _, f := range files {
		quoted := strconv.Quote(f.Path)
		b.WriteString(fileBegin + quoted[1:len(quoted)-1] + filePathEnd + strings.TrimRight(f.Text, "\n") + fileEnd)
	}
	return b.String()
}

// SplitAttachments separates the user's own text from the files attached after it. A
// message without well-formed attachments is returned unchanged, with nil files.
func SplitAttachments(text string) (message string, files []AttachedFile) {
	if !strings.HasSuffix(text, fileEnd) {
		return text, nil
	}
	message, rest, more := strings.Cut(strings.TrimSuffix(text, fileEnd), fileBegin)
	for more {
		quoted, body, ok := strings.Cut(rest, filePathEnd)
		if !ok {
			return text, nil
		}
		body, rest, more = strings.Cut(body, fileEnd+fileBegin)
		path, err := strconv.Unquote(`"` + quoted + `"`)
		if err != nil {
			path = quoted // written by another program, but readable
		}
		files = append(files, AttachedFile{Path: path, Text: body})
	}
	if len(files) == 0 {
		return text, nil
	}
	return message, files
}

// Mentions returns the words of a text that begin with @, without it: @a.png, @"two words.png". A full stop or the like after the
// word is left out.
func Mentions(text string) []string {
	var names []string
	for i, c := range text {
		if c != '@' || i > 0 && !strings.ContainsAny(text[i-1:i], " \t\n(") {
			continue
		}
		name := text[i+1:]
		if quoted, ok := strings.CutPrefix(name, `"`); ok {
			name, _, _ = strings.Cut(quoted, `"`)
		} else {
			if end := strings.IndexAny(name, " \t\r\n"); end >= 0 {
				name = name[:end]
			}
			name = strings.TrimRight(name, ".,:;!?)")
		}
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

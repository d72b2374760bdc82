package replay

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
)

// The file edits of a reply show which lines it had to see. Rules:
//
//   - A call with the text to be replaced (old_string and similar fields, alone or in a list of edits) needs
//     the lines of that text: one anchor per call. In a patch, every hunk of an updated file is an anchor: its
//     context lines and removed lines.
//   - A call that writes a whole file needs those of its lines that earlier results contain.
//   - Lines are compared without surrounding space. Short lines are ignored, because they are not distinctive.

// minLineChars is the shortest line that counts, in code points.
const minLineChars = 13

var (
	oldFields   = []string{"old_string", "old_str", "old_text", "oldText", "string_to_replace"}
	editLists   = []string{"edits", "patterns"}
	oldInEdits  = append([]string{"old"}, oldFields...)
	wholeFields = []string{"content", "contents", "file_text"}
	nameFields  = []string{"path", "file_path", "filename", "file"}
)

// oldAndNew are names that mean an old and a new text only as a pair: a field search alone is a search.
var oldAndNew = [][2]string{{"search", "replace"}, {"old", "new"}}

// patchMark is the first line of a patch, at any position in an argument.
const patchMark = "*** Begin Patch"

// anchors returns the texts that a call replaces, each as its lines.
func anchors(call conversation.ToolCall) [][]string {
	fields := fieldsOf(call)
	if lines := oldLines(fields); lines != nil {
		return [][]string{lines}
	}
	if !strings.Contains(call.Arguments, patchMark) {
		return nil
	}
	var out [][]string
	texts(call.Arguments, func(text string) {
		if strings.Contains(text, patchMark) {
			out = append(out, patchHunks(text)...)
		}
	})
	return out
}

// fieldsOf returns the arguments of a call, nil if they are not an object.
func fieldsOf(call conversation.ToolCall) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(call.Arguments), &fields) != nil {
		return nil
	}
	return fields
}

// textOf returns a string field, "" for other types.
func textOf(fields map[string]json.RawMessage, name string) string {
	var text string
	if json.Unmarshal(fields[name], &text) != nil {
		return ""
	}
	return text
}

// oldLines returns the lines that a call replaces, nil if it replaces none.
func oldLines(fields map[string]json.RawMessage) []string {
	var lines []string
	take := func(text string) {
		if text != "" {
			lines = append(lines, strings.Split(text, "\n")...)
		}
	}
	takeAll := func(fields map[string]json.RawMessage, names []string) {
		for _, name := range names {
			take(textOf(fields, name))
		}
		for _, pair := range oldAndNew {
			if _, replaces := fields[pair[1]]; replaces {
				take(textOf(fields, pair[0]))
			}
		}
	}
	takeAll(fields, oldFields)
	for _, name := range editLists {
		var edits []map[string]json.RawMessage
		if json.Unmarshal(fields[name], &edits) != nil {
			continue
		}
		for _, edit := range edits {
			takeAll(edit, oldInEdits)
		}
	}
	return lines
}

// patchHunks returns the hunks of a patch that update files.
func patchHunks(patch string) [][]string {
	var out [][]string
	var hunk []string
	updates := false
	end := func() {
		if len(hunk) > 0 {
			out = append(out, hunk)
		}
		hunk = nil
	}
	for line := range strings.SplitSeq(patch, "\n") {
		switch {
		case strings.HasPrefix(line, "*** "):
			end()
			updates = strings.HasPrefix(line, "*** Update File")
		case !updates:
		case strings.HasPrefix(line, "@@"):
			end()
		case strings.HasPrefix(line, "-"), strings.HasPrefix(line, " "):
			hunk = append(hunk, line[1:])
		}
	}
	end()
	return out
}

// writtenLines returns the lines of a file that a call writes whole.
func writtenLines(call conversation.ToolCall) []string {
	fields := fieldsOf(call)
	named := false
	for _, name := range nameFields {
		named = named || textOf(fields, name) != ""
	}
	if !named {
		return nil
	}
	for _, name := range wholeFields {
		if text := textOf(fields, name); text != "" {
			return strings.Split(text, "\n")
		}
	}
	return nil
}

// countedLines returns the long enough lines, trimmed, each once, in order.
func countedLines(lines []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, line := range lines {
		line = strings.TrimSpace(line)
		if seen[line] || utf8.RuneCountInString(line) < minLineChars {
			continue
		}
		seen[line] = true
		out = append(out, line)
	}
	return out
}

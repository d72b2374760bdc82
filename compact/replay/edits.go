package replay

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
)

// What a reply changes in files says what it had to see. Rules:
//
//   - A call with the text to be replaced (old_string and its kin, alone or in a
//     list of edits) needs the lines of that text: one anchor for a call. Of a
//     patch every hunk of an updated file is an anchor: its context, and the lines
//     it takes away.
//   - A call with the whole text of a file needs those of its lines that it took
//     from results.
//   - Lines count without the space around them, and only if they are long enough
//     to say something.

// minLineChars is the shortest line that counts, in code points.
const minLineChars = 13

var (
	oldFields   = []string{"old_string", "old_str", "old_text", "oldText", "string_to_replace"}
	editLists   = []string{"edits", "patterns"}
	oldInEdits  = append([]string{"old"}, oldFields...)
	wholeFields = []string{"content", "contents", "file_text"}
	nameFields  = []string{"path", "file_path", "filename", "file"}
)

// oldAndNew are an old text and a new one only together: a search alone looks for
// something.
var oldAndNew = [][2]string{{"search", "replace"}, {"old", "new"}}

// patchMark opens a patch, wherever it stands.
const patchMark = "*** Begin Patch"

// anchors lists the texts that a call replaces, as their lines.
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

// fieldsOf is the arguments of a call, nil if they are no object.
func fieldsOf(call conversation.ToolCall) map[string]json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(call.Arguments), &fields) != nil {
		return nil
	}
	return fields
}

// textOf is a field that is a text, "" otherwise.
func textOf(fields map[string]json.RawMessage, name string) string {
	var text string
	if json.Unmarshal(fields[name], &text) != nil {
		return ""
	}
	return text
}

// oldLines is the lines of all that a call replaces, nil if it replaces nothing.
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

// patchHunks lists the hunks of a patch that update files.
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

// writtenLines is the lines of a file that a call writes whole.
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

// countedLines lists the lines that count, each once, in order.
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

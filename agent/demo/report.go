package demo

import (
	"fmt"
	"strconv"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// Reports on the results of tools. Their text is not trusted, so it is shown as code or without markup.

// file is a file in the result of list_files.
type file struct {
	name string
	size int // bytes, 0 if the listing has none
}

func (x exchange) files() (out []file) {
	for l := range strings.Lines(x.result) {
		name, size, ok := strings.Cut(strings.TrimSpace(l), "  ")
		if !ok || strings.HasSuffix(name, "/") {
			continue
		}
		var n float64
		var unit string
		f := file{name: name}
		if _, err := fmt.Sscan(size, &n, &unit); err == nil {
			f.size = int(n * map[string]float64{"B": 1, "bytes": 1, "KiB": 1 << 10, "MiB": 1 << 20}[unit])
		}
		out = append(out, f)
	}
	return out
}

// opening returns the beginning of a file as a sentence: the first two lines with words of a readme, the first one of another
// file. It is the whole result if no line has a number, as read_file gives them.
func (x exchange) opening() string {
	var lines []string
	prose := strings.Contains(strings.ToLower(x.argument("path")), "readme")
	for l := range strings.Lines(x.result) {
		number, text, _ := strings.Cut(l, "\t")
		text = strings.TrimSpace(text)
		if _, err := strconv.Atoi(number); err != nil || strings.Trim(text, "#-={}[]()<> ") == "" || strings.HasPrefix(text, "[![") || strings.HasPrefix(text, "<") {
			continue
		}
		if text = strings.TrimLeft(text, "# "); prose {
			text = strings.TrimRight(text, ".")
		}
		if lines = append(lines, text); len(lines) == 2 || !prose {
			break
		}
	}
	if lines == nil {
		return code(x.result)
	}
	text := conversation.OneLine(markup.Replace(strings.Join(lines, ". ")), lineShown)
	if prose && !strings.HasSuffix(text, "…") {
		text += "."
	}
	return text
}

// markup removes characters that Markdown would read as markup.
var markup = strings.NewReplacer("`", "", "*", "", "[", "", "]", "", "<", "", ">", "", "|", " ", "\\", "", "~", "", "!", "")

const (
	linesShown = 12  // of a result
	lineShown  = 160 // characters of a line
)

// report returns what the tool did, as Markdown.
func (x exchange) report() string {
	if strings.HasPrefix(x.result, "denied") {
		return "`" + x.tool + "` was not allowed, so I did nothing. It said: " + code(x.result)
	}
	lines := strings.Split(strings.TrimSpace(x.result), "\n")
	if len(lines) == 1 {
		return "The result: " + code(x.result)
	}
	text := "`" + x.tool + "` returned " + numbers.Count(len(lines), "line") + ":\n\n"
	if left := len(lines) - linesShown; left > 0 {
		lines = append(lines[:linesShown], "… "+numbers.Count(left, "line")+" left out …")
	}
	for i, l := range lines {
		if runes := []rune(strings.TrimRight(l, "\r")); len(runes) > lineShown {
			lines[i] = string(runes[:lineShown-1]) + "…"
		}
	}
	fence := "```" // longer than any in the lines, so that they cannot close the block
	for strings.Contains(strings.Join(lines, "\n"), fence) {
		fence += "`"
	}
	return text + fence + "\n" + strings.Join(lines, "\n") + "\n" + fence
}

// code returns a text on one line as inline code.
func code(s string) string {
	s = conversation.OneLine(strings.ReplaceAll(s, "`", "'"), lineShown)
	if s == "" {
		return "(nothing)"
	}
	return "`" + s + "`"
}

package demo

import (
	"path"
	"regexp"
	"slices"
	"strings"
)

// Searching: names, contents, two files against each other, and counting.

func (t *turn) grep() reply {
	switch len(t.steps) {
	case 0:
		return t.use("I'll search the files.", t.grepCall(t.wish.Text, t.wish.Path))
	case 1:
		hits := t.found()
		if len(hits) == 0 || !t.has("read_file") {
			return reply{text: t.describeHits(hits)}
		}
		from := max(hits[0].n-4, 1)
		lead := "I'll look around it."
		if len(hits) > 1 {
			lead = "I'll look around the first of " + plural(len(hits), "match") + "."
		}
		return t.use(lead,
			want("read_file", arg{"path", hits[0].path}, arg{"offset", from}, arg{"limit", 12}))
	}
	return reply{text: t.describeHits(t.found())}
}

var defines = lazy(`\b(?:func|type|class|def|fn|struct|enum|interface|trait|var|let|const|function|module|define)\b`)

func rank(h hit) int {
	if defines().MatchString(h.text) {
		return 0
	}
	return 1
}

// found are the matches, declarations first when it was asked where something
// is defined.
func (t *turn) found() []hit {
	hits := t.steps[0][0].hits()
	if strings.Contains(t.said, "defined") || strings.Contains(t.said, "declared") {
		slices.SortStableFunc(hits, func(a, b hit) int {
			return rank(a) - rank(b)
		})
	}
	return hits
}

// grepCall searches for text literally, without regard to case if it has none.
func (t *turn) grepCall(text, folder string) wanted {
	return want("grep_files", arg{"pattern", regexp.QuoteMeta(text)}, arg{"path", folder},
		arg{"ignore_case", text == strings.ToLower(text)}, arg{"limit", 30})
}

func (t *turn) describeHits(hits []hit) string {
	if len(hits) == 0 {
		return "No line matches " + quoteLine(t.wish.Text, 80) + ". It said: " + quoteLine(t.steps[0][0].result, 120)
	}
	var files []string
	for _, h := range hits {
		if !slices.Contains(files, h.path) {
			files = append(files, h.path)
		}
	}
	var b strings.Builder
	b.WriteString(quoteLine(t.wish.Text, 80) + " stands in " + plural(len(hits), "line") + " of " + plural(len(files), "file"))
	if note := t.steps[0][0].note(); note != "" {
		b.WriteString(" (" + quoteLine(note, 120) + ")")
	}
	b.WriteString(":\n")
	for _, h := range hits[:min(len(hits), 8)] {
		b.WriteString("\n- " + at(h.path, h.n) + " " + quoteLine(h.text, 120))
	}
	if len(hits) > 8 {
		b.WriteString("\n- and " + itoa(len(hits)-8) + " more")
	}
	if len(t.steps) > 1 {
		if v := t.last()[0].file(); v.problem == "" && len(v.lines) > 0 {
			var lines []string
			for _, l := range v.lines {
				lines = append(lines, itoa(l.n)+"  "+clipText(l.text, 160))
			}
			b.WriteString("\n\nThe lines around:\n\n" + fence(strings.TrimPrefix(path.Ext(v.path), "."), lines))
		}
	}
	return b.String()
}

func (t *turn) find() reply {
	switch len(t.steps) {
	case 0:
		pattern := t.wish.Text
		if !strings.ContainsAny(pattern, "*?[{.") {
			pattern = "*" + pattern + "*"
		}
		return t.use("I'll look for files of that name.", want("find_files", arg{"pattern", pattern}, arg{"limit", 50}))
	case 1:
		found := t.foundFiles()
		if len(found) == 0 && t.has("grep_files") && !strings.ContainsAny(t.wish.Text, "*?[{") {
			return t.use("No file has that name; I'll search inside the files.", t.grepCall(t.wish.Text, ""))
		}
		return reply{text: t.describeFound(found)}
	}
	return reply{text: "No file has " + quoteLine(t.wish.Text, 80) + " in its name.\n\n" + (&turn{
		wish: t.wish, steps: t.steps[1:],
	}).describeHits(t.last()[0].hits())}
}

// foundFiles are the paths of a find_files result, none if it only says so.
func (t *turn) foundFiles() []string {
	return slices.DeleteFunc(t.steps[0][0].entries(), func(e string) bool { return strings.HasPrefix(e, "no ") || strings.HasPrefix(e, "No ") })
}

func (t *turn) describeFound(found []string) string {
	if len(found) == 0 {
		return "No file matches " + quoteLine(t.wish.Text, 80) + "."
	}
	text := plural(len(found), "file") + " found for " + quoteLine(t.wish.Text, 80)
	if note := t.steps[0][0].note(); note != "" {
		text += " (" + quoteLine(note, 120) + ")"
	}
	text += ":\n"
	for _, f := range found[:min(len(found), 15)] {
		text += "\n- " + quoteLine(f, 160)
	}
	if len(found) > 15 {
		text += "\n- and " + itoa(len(found)-15) + " more"
	}
	return text
}

func (t *turn) compare() reply {
	if len(t.steps) == 0 {
		limit := t.lines(2)
		return t.use("I'll read both.",
			want("read_file", arg{"path", t.wish.Path}, arg{"limit", limit}), want("read_file", arg{"path", t.wish.Other}, arg{"limit", limit}))
	}
	step := t.last()
	if len(step) < 2 {
		return reply{text: "I need both files to compare them, and got one."}
	}
	a, b := step[0].file(), step[1].file()
	for _, v := range []fileView{a, b} {
		if v.problem != "" {
			return reply{text: v.problem}
		}
	}
	return reply{text: describeDifference(a, b)}
}

func describeDifference(a, b fileView) string {
	onlyA, onlyB := differing(a.lines, b.lines)
	var text strings.Builder
	text.WriteString("| | `" + a.path + "` | `" + b.path + "` |\n|---|---:|---:|\n")
	text.WriteString("| lines | " + a.size() + " | " + b.size() + " |\n")
	text.WriteString("| compared | " + itoa(len(a.lines)) + " | " + itoa(len(b.lines)) + " |\n")
	text.WriteString("| only here | " + itoa(len(onlyA)) + " | " + itoa(len(onlyB)) + " |\n")
	text.WriteString("| in both | " + itoa(len(a.lines)-len(onlyA)) + " | " + itoa(len(b.lines)-len(onlyB)) + " |\n")
	if len(onlyA)+len(onlyB) == 0 {
		text.WriteString("\nThe lines compared are the same.")
		return text.String()
	}
	text.WriteString("\nThe first that differ:\n")
	for _, side := range []struct {
		path  string
		lines []line
	}{{a.path, onlyA}, {b.path, onlyB}} {
		for _, l := range side.lines[:min(len(side.lines), 4)] {
			text.WriteString("\n- " + at(side.path, l.n) + " " + quoteLine(l.text, 120))
		}
	}
	return text.String()
}

// differing returns the lines that a longest common subsequence leaves out.
// Both sides are at most a page, so that the table stays small.
func differing(a, b []line) (onlyA, onlyB []line) {
	common := make([][]int, len(a)+1)
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].text == b[j].text {
				common[i][j] = common[i+1][j+1] + 1
			} else {
				common[i][j] = max(common[i+1][j], common[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i].text == b[j].text:
			i, j = i+1, j+1
		case common[i+1][j] >= common[i][j+1]:
			onlyA = append(onlyA, a[i])
			i++
		default:
			onlyB = append(onlyB, b[j])
			j++
		}
	}
	return append(onlyA, a[i:]...), append(onlyB, b[j:]...)
}

var (
	countLines = lazy(`(?i)^(?:lines?|rows?|words?|characters?|chars?)(?:\s+of\s+code)?(?:\s+(?:are|does|do))?(?:\s+there)?(?:\s+(?:in|of|has))?\s+(?:the\s+)?(?:file\s+)?(?P<path>\S+?)(?:\s+(?:have|has|contain))?$`)
	countFiles = lazy(`(?i)^(?P<kind>[\w+#*.]+\s+)?files?(?:\s+(?:are|do we have|exist))?(?:\s+(?:there|here))?(?:\s+(?:in|under)\s+(?:the\s+|this\s+)?(?:project|folder|repo|(?P<path>\S+)))?(?:\s+(?:are\s+)?(?:there|here))?$`)
	countTimes = lazy(`(?i)^(?:times(?:\s+does)?|occurrences?\s+of|matches\s+(?:of|for)|mentions\s+of|uses\s+of)?\s*(?P<text>.+?)(?:\s+(?:appears?|occurs?|are there|is used|are used))?(?:\s+(?:in|under)\s+(?P<path>\S+))?$`)
)

func (t *turn) count() reply {
	text := unquote(t.wish.Text)
	if m := countLines().FindStringSubmatch(text); m != nil && looksLikePath(cleanPath(m[1])) {
		return t.countLines(cleanPath(m[1]))
	}
	if m := countFiles().FindStringSubmatch(text); m != nil {
		pattern := "*"
		if k := strings.TrimSpace(m[1]); k != "" && !strings.EqualFold(k, "the") {
			pattern = "*." + extension(strings.TrimPrefix(strings.TrimPrefix(k, "*"), "."))
		}
		return t.countFiles(pattern, cleanPath(m[2]))
	}
	m := countTimes().FindStringSubmatch(text)
	if m == nil {
		return reply{text: t.unknown()}
	}
	needle, folder := unquote(m[1]), cleanPath(m[2])
	if len(t.steps) == 0 {
		return t.use("I'll search for it.", t.grepCall(needle, folder))
	}
	t.wish.Text = needle
	return reply{text: t.describeHits(t.last()[0].hits())}
}

func (t *turn) countLines(file string) reply {
	if len(t.steps) == 0 {
		return t.use("I'll read it.", want("read_file", arg{"path", file}, arg{"limit", t.lines(1)}))
	}
	v := t.last()[0].file()
	switch {
	case v.problem != "":
		return reply{text: v.problem}
	case v.isEmpty:
		return reply{text: "`" + file + "` is empty: no lines."}
	}
	text := "`" + file + "` has " + v.size() + " lines. The " + itoa(len(v.lines)) + " I read hold " +
		plural(len(strings.Fields(v.text())), "word") + " and " + plural(len([]rune(v.text())), "character") + "."
	return reply{text: text}
}

func (t *turn) countFiles(pattern, folder string) reply {
	if len(t.steps) == 0 {
		return t.use("I'll look for them.", want("find_files", arg{"pattern", pattern}, arg{"path", folder}, arg{"limit", 100}))
	}
	found := t.foundFiles()
	text := plural(len(found), "file")
	if t.steps[0][0].note() != "" {
		text = "At least " + text
	}
	text += " match " + quoteLine(pattern, 60)
	if folder != "" {
		text += " in " + quoteLine(folder, 120)
	}
	if len(found) > 0 {
		text += ", the first being " + quoteLine(found[0], 120)
	}
	return reply{text: text + "."}
}

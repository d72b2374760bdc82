package demo

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Results are read as the tools write them, and leniently, because the tools
// may be somebody else's: numbered lines, path:line:text, one path per line. A
// result in which none of that is found is shown as it is.

// line is a line of a file.
type line struct {
	n    int
	text string
}

// fileView is what a read_file result says.
type fileView struct {
	path     string
	lines    []line
	total    int // lines of the file, 0 unknown
	atLeast  bool
	problem  string // why there are no lines, "" if there are
	isEmpty  bool
	truncate bool // the file goes on after the last line
}

var (
	numbered  = lazy(`^\s*(\d+)(?:\t|: ?|→| ?\| ?)(.*)$`)
	rangeHead = lazy(`lines? (\d+)(?:-(\d+))? of (more than )?([\d,.' ]*\d)`)
	hitLine   = lazy(`^([^:\n]+):(\d+):\s?(.*)$`)
	sizeTail  = lazy(`(?:\s{2,}|\t)\S.*$|\s+->\s.*$|\s+\(\d[^)]*\)$`)
	treeMarks = lazy(`^[\s│├└─|*+` + "`" + `-]+`)
)

func (x exchange) file() fileView {
	v := fileView{path: x.argument("path")}
	if x.result == "" || strings.HasSuffix(strings.TrimSpace(x.result), "is empty") {
		v.isEmpty = true
		return v
	}
	all := strings.Split(strings.TrimRight(x.result, "\n"), "\n")
	if m := rangeHead().FindStringSubmatch(all[0]); m != nil && !numbered().MatchString(all[0]) {
		v.total, v.atLeast = digits(m[4]), m[3] != ""
		all = all[1:]
	}
	for _, text := range all {
		m := numbered().FindStringSubmatch(text)
		if m == nil {
			continue
		}
		if n := digits(m[1]); len(v.lines) == 0 || n > v.lines[len(v.lines)-1].n {
			v.lines = append(v.lines, line{n, m[2]})
		}
	}
	if len(v.lines) == 0 && (x.failed() || len(all) == 0) { // none: a heading with nothing below it
		v.problem = x.trouble()
		return v
	}
	if len(v.lines) == 0 { // a tool that does not number
		for i, text := range all {
			v.lines = append(v.lines, line{x.offset() + i, text})
		}
	}
	last := v.lines[len(v.lines)-1].n
	v.truncate = v.total > last || v.atLeast
	v.total = max(v.total, last)
	return v
}

// text is the file's text without the numbers.
func (v fileView) text() string {
	var b strings.Builder
	for _, l := range v.lines {
		b.WriteString(l.text + "\n")
	}
	return b.String()
}

func digits(s string) int {
	n := 0
	for _, r := range s {
		if r >= '0' && r <= '9' && n < 1e8 {
			n = n*10 + int(r-'0')
		}
	}
	return n
}

// hit is a line that a search found.
type hit struct {
	path string
	n    int
	text string
}

func (x exchange) hits() []hit {
	var hits []hit
	var heading string
	for text := range strings.Lines(x.result) {
		text = strings.TrimRight(text, "\r\n")
		if m := hitLine().FindStringSubmatch(text); m != nil && digits(m[2]) > 0 {
			hits = append(hits, hit{m[1], digits(m[2]), m[3]})
			continue
		}
		if m := numbered().FindStringSubmatch(text); m != nil && heading != "" {
			hits = append(hits, hit{heading, digits(m[1]), m[2]})
			continue
		}
		heading = ""
		if name := strings.TrimSuffix(strings.TrimSpace(text), ":"); looksLikePath(name) {
			heading = name
		}
	}
	return hits
}

// entries are the paths of a listing; folders end in a slash. Notes in
// brackets and indentation drawn as a tree are left out.
func (x exchange) entries() []string {
	var out []string
	for text := range strings.Lines(x.result) {
		text = strings.TrimRight(text, "\r\n")
		if strings.HasPrefix(text, "[") {
			continue
		}
		text = treeMarks().ReplaceAllString(text, "")
		text = strings.TrimSpace(sizeTail().ReplaceAllString(text, ""))
		if text != "" && text != "./" && text != "." {
			out = append(out, text)
		}
	}
	return out
}

// note is what a listing says in brackets at its end, "" if nothing.
func (x exchange) note() string {
	for text := range strings.Lines(x.result) {
		if text = strings.TrimSpace(text); strings.HasPrefix(text, "[") && strings.HasSuffix(text, "]") {
			return strings.Trim(text, "[]")
		}
	}
	return ""
}

var (
	refusalText = lazy(`(?i)^(?:denied|refused|not allowed|the user (?:denied|declined|refused|rejected|said no|did not))\b`)
	stoppedText = lazy(`(?i)^(?:interrupted|cancell?ed|aborted|not run)\b`)
	changedText = lazy(`(?i)^(?:created|modified|replaced|wrote|written|updated|overwr\w+|edited|saved|changed|done|ok|success\w*)\b`)
	noSuch      = lazy(`(?i)^(?:error|failed|failure|cannot|can't|could not|unable|there is no|no such|invalid|unknown)\b`)
	troubleText = lazy(`(?i)no such file|does not exist|do(?:es)? not occur|is not in|not found|not a (?:directory|folder|file)|is a (?:directory|folder)|permission denied|outside (?:of )?the workspace|is no text file|is an image|has only [\d,]+ lines|is required|occurs \d+ times|already exists|exists already`)
)

// failed reports whether a result says that the call did not do its work. The
// wire has no field for it: refusals and interruptions open with a word of
// their own, and of file tools a short text that speaks of trouble is trouble.
func (x exchange) failed() bool {
	text := strings.TrimSpace(x.result)
	if refusalText().MatchString(text) || stoppedText().MatchString(text) || strings.HasPrefix(text, "error:") {
		return true
	}
	if utf8.RuneCountInString(text) > 700 || strings.Count(text, "\n") > 5 {
		return false
	}
	switch x.name {
	case "create_file", "modify_file":
		return !changedText().MatchString(text)
	case "run_command", "todo_read", "todo_write", "ask_user":
		return false
	case "recall":
		return noSuch().MatchString(text)
	}
	for l := range strings.Lines(text) {
		if numbered().MatchString(l) || hitLine().MatchString(l) {
			return false
		}
	}
	return noSuch().MatchString(text) || troubleText().MatchString(text)
}

// trouble says in a sentence why a call did not work.
func (x exchange) trouble() string {
	text := quoteLine(x.result, 240)
	switch {
	case stoppedText().MatchString(strings.TrimSpace(x.result)):
		return "`" + x.name + "` was interrupted before it was done, so I have nothing to report from it. Ask again to repeat it."
	case refusalText().MatchString(strings.TrimSpace(x.result)):
		return "`" + x.name + "` was not allowed, so I did nothing. It said: " + text
	}
	return "`" + x.name + "` did not work. It said: " + text
}

// last is the newest step; only called after a step was taken.
func (t *turn) last() step { return t.steps[len(t.steps)-1] }

// sorry reports the failed calls of the newest step, if all failed.
func (t *turn) sorry() (reply, bool) {
	var said []string
	for _, x := range t.last() {
		if !x.failed() {
			return reply{}, false
		}
		if s := x.trouble(); !slices.Contains(said, s) {
			said = append(said, s)
		}
	}
	return reply{text: strings.Join(said, "\n\n")}, true
}

// quoteLine shows a line of foreign text as code, on one line.
func quoteLine(s string, n int) string {
	s = clipText(foldSpace(strings.ReplaceAll(s, "`", "'")), n)
	if s == "" {
		return "(an empty line)"
	}
	return "`" + s + "`"
}

// at names a place in a file.
func at(path string, n int) string { return "`" + path + ":" + itoa(n) + "`" }

// fence shows foreign lines as a code block that they cannot close.
func fence(language string, lines []string) string {
	mark := "```"
	for _, l := range lines {
		for strings.Contains(l, mark) {
			mark += "`"
		}
	}
	return mark + language + "\n" + strings.Join(lines, "\n") + "\n" + mark
}

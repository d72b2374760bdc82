package composer

import (
	"path"
	"regexp"
	"strconv"
	"strings"
)

// Mentions: an @ that begins a word, with a file, a folder (config/) or some lines
// of a file (go.mod:3-9) behind it. What looks like a path and is none of them is
// marked, as it would be sent as plain text. Decorators, names of people and
// addresses are not taken for paths, and neither is anything between fences.

// mention is a word that begins with an @.
type mention struct {
	from, to int // bytes of the line, the @ and what is added
	path     string
	file     File // what it adds
	found    bool
}

// Mentions are the files named with @ in the draft, each once, in the order
// they are named. Pastes are not looked at.
func (m *Model) Mentions() []File {
	var found []File
	seen := map[string]bool{}
	m.eachMention(func(_ int, a mention) {
		if a.found && !seen[a.file.Path] {
			seen[a.file.Path] = true
			found = append(found, a.file)
		}
	})
	return found
}

// Unknown are the paths named with @ in the draft that are none of the files, each
// once, in the order they are named.
func (m *Model) Unknown() []string {
	var paths []string
	seen := map[string]bool{}
	m.eachMention(func(_ int, a mention) {
		if !a.found && !seen[a.path] {
			seen[a.path] = true
			paths = append(paths, a.path)
		}
	})
	return paths
}

// eachMention calls f for each mention of the draft, with its line.
func (m *Model) eachMention(f func(line int, a mention)) {
	fenced := false
	for i, l := range m.buf.lines {
		if strings.HasPrefix(strings.TrimSpace(l.text), "```") {
			fenced = !fenced
		}
		if fenced || strings.IndexByte(l.text, '@') < 0 {
			continue
		}
		for _, a := range m.mentionsIn(l.text) {
			f(i, a)
		}
	}
}

// mentionsIn lists the mentions of a line: what is found, and what should be.
func (m *Model) mentionsIn(s string) []mention {
	var out []mention
	for i := 0; i < len(s); i++ {
		if s[i] != '@' || i > 0 && !blankAt(s, i-1) {
			continue
		}
		if quoted, ok := strings.CutPrefix(s[i+1:], `"`); ok {
			if p, _, ok := strings.Cut(quoted, `"`); ok && p != "" {
				file, found := m.find(p)
				out = append(out, mention{i, i + len(p) + 3, p, file, found})
			}
			continue
		}
		word := s[i+1:]
		if end := strings.IndexAny(word, " \t"); end >= 0 {
			word = word[:end]
		}
		bare := strings.TrimRight(word, ".,:;!?)")
		for _, p := range []string{word, bare} {
			if file, found := m.find(p); found {
				out = append(out, mention{i, i + 1 + len(p), p, file, true})
				word = ""
				break
			}
		}
		if word != "" && m.pathLike(bare) {
			out = append(out, mention{i, i + 1 + len(bare), bare, File{}, false})
		}
	}
	return out
}

// lines is a path with the lines that are meant behind it: main.go:7, main.go:7-20.
var lines = regexp.MustCompile(`^(.+):([0-9]{1,7})(?:-([0-9]{1,7}))?$`)

// lineTokens is about how many tokens a line has.
const lineTokens = 10

// find is what a path adds: a file, a folder, or lines of a file.
func (m *Model) find(p string) (File, bool) {
	for _, name := range []string{p, p + "/"} {
		if i, ok := m.paths[name]; ok {
			return File{Path: p, Tokens: m.files[i].Tokens}, true // by the name that was written
		}
	}
	part := lines.FindStringSubmatch(p)
	if part == nil {
		return File{}, false
	}
	i, ok := m.paths[part[1]]
	if !ok || strings.HasSuffix(part[1], "/") {
		return File{}, false
	}
	first, _ := strconv.Atoi(part[2])
	last, err := strconv.Atoi(part[3])
	if err != nil {
		last = first
	}
	if first < 1 || last < first {
		return File{}, false
	}
	tokens := (last - first + 1) * lineTokens
	if whole := m.files[i].Tokens; whole > 0 {
		tokens = min(tokens, whole)
	}
	return File{Path: p, Tokens: tokens}, true
}

// pathLike reports whether what stands behind an @ must be meant as a path: it ends
// with a slash, begins with a folder that there is, or ends as files do.
func (m *Model) pathLike(p string) bool {
	if strings.Trim(p, "/.~") == "" || strings.ContainsAny(p, "()[]{}<>=*&|\\\"'`$#%^@,;") || chipIndexIn(p) {
		return false
	}
	if part := lines.FindStringSubmatch(p); part != nil {
		p = part[1]
	}
	first, _, nested := strings.Cut(strings.TrimPrefix(p, "./"), "/")
	switch {
	case strings.HasSuffix(p, "/") && len(p) > 1:
		return true
	case nested && (m.folders[first] || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.HasPrefix(p, ".")):
		return true
	}
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(p), "."))
	return ending != "" && (m.endings[ending] || strings.Contains(endings, " "+ending+" "))
}

// chipIndexIn reports whether a folded paste is part of a word.
func chipIndexIn(s string) bool {
	at := strings.IndexByte(s, planeLead)
	return at >= 0 && chipIndex(s[at:]) >= 0
}

// endings are how files are called that may be meant without being listed.
const endings = " bmp c cc cfg conf cpp cs css csv docx env gif go h hpp htm html ico ini ipynb java jpeg jpg js json jsx kt lock log lua " +
	"md mod mp3 mp4 pdf php pl png pptx py r rb rs scala sh sql sum svg swift tar tf toml ts tsx txt vue wav webp xlsx xml yaml yml zig zip "

// know takes down what the files say about paths.
func (m *Model) know() {
	m.paths = make(map[string]int, len(m.files))
	m.folders, m.endings = map[string]bool{}, map[string]bool{}
	for i, f := range m.files {
		m.paths[f.Path] = i
		if first, _, nested := strings.Cut(f.Path, "/"); nested {
			m.folders[first] = true
		}
		if ending := strings.TrimPrefix(path.Ext(f.Path), "."); len(ending) > 1 {
			m.endings[strings.ToLower(ending)] = true
		}
	}
}

// marks are the mentions of a line as it is drawn: what is being completed is not
// judged yet.
func (m *Model) marks(i int) []mention {
	text := m.buf.lines[i].text
	if strings.IndexByte(text, '@') < 0 {
		return nil
	}
	var marks []mention
	m.eachMention(func(line int, a mention) {
		if line == i && (a.found || !m.completes(line, a)) {
			marks = append(marks, a)
		}
	})
	return marks
}

// completes reports whether a mention is being completed.
func (m *Model) completes(line int, a mention) bool {
	return m.list.open() && m.list.word == place{line, a.from}
}

// unknownNote says which path of the draft is none, "" if all are.
func (m *Model) unknownNote() string {
	note := ""
	m.eachMention(func(line int, a mention) {
		if note == "" && !a.found && !m.completes(line, a) {
			note = " ✗ @" + a.path + " is no file "
		}
	})
	return note
}

package composer

import (
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"plimsoll/tui/edit"
)

// Mentions: an @ that begins a word, with a file, a folder (config/) or some lines
// of a file (go.mod:3-9) behind it. What looks like a path and names no file is
// marked, as it would be sent as plain text. Decorators, names of people and
// addresses are not taken for paths, and neither is anything between fences.

// mention is a word that begins with an @.
type mention struct {
	from, to int // bytes of the line, the @ and what is added
	path     string
	file     File // what it adds
	found    bool
}

// fileIndex is the files that can be mentioned.
type fileIndex struct {
	list    []File
	paths   map[string]int // index in list by path
	folders map[string]bool
	endings map[string]bool
}

func newFileIndex(list []File) *fileIndex {
	x := &fileIndex{list: list, paths: make(map[string]int, len(list)), folders: map[string]bool{}, endings: map[string]bool{}}
	for i, f := range list {
		x.paths[f.Path] = i
		if first, _, nested := strings.Cut(f.Path, "/"); nested {
			x.folders[first] = true
		}
		if ending := strings.TrimPrefix(path.Ext(f.Path), "."); len(ending) > 1 {
			x.endings[strings.ToLower(ending)] = true
		}
	}
	return x
}

// each calls f for each mention of a text, with its line.
func (x *fileIndex) each(text *edit.Editor, f func(line int, a mention)) {
	fenced := false
	for i := range text.Lines() {
		s := text.Line(i)
		if strings.HasPrefix(strings.TrimSpace(s), "```") {
			fenced = !fenced
		}
		if fenced || strings.IndexByte(s, '@') < 0 {
			continue
		}
		for _, a := range x.in(s) {
			f(i, a)
		}
	}
}

// in lists the mentions of a line: what is found, and what should be.
func (x *fileIndex) in(s string) []mention {
	var out []mention
	for i := 0; i < len(s); i++ {
		if s[i] != '@' || i > 0 && !blankAt(s, i-1) {
			continue
		}
		if quoted, ok := strings.CutPrefix(s[i+1:], `"`); ok {
			if p, _, ok := strings.Cut(quoted, `"`); ok && p != "" {
				file, found := x.find(p)
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
			if file, found := x.find(p); found {
				out = append(out, mention{i, i + 1 + len(p), p, file, true})
				word = ""
				break
			}
		}
		if word != "" && x.pathLike(bare) {
			out = append(out, mention{i, i + 1 + len(bare), bare, File{}, false})
		}
	}
	return out
}

// lines is a path with the lines that are meant behind it: main.go:7, main.go:7-20.
var lines = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+):([0-9]{1,7})(?:-([0-9]{1,7}))?$`)
})

// lineTokens is about how many tokens a line has.
const lineTokens = 10

// find is what a path adds: a file, a folder, or lines of a file.
func (x *fileIndex) find(p string) (File, bool) {
	for _, name := range []string{p, p + "/"} {
		if i, ok := x.paths[name]; ok {
			return File{Path: p, Tokens: x.list[i].Tokens}, true // by the name that was written
		}
	}
	part := lines().FindStringSubmatch(p)
	if part == nil {
		return File{}, false
	}
	i, ok := x.paths[part[1]]
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
	if whole := x.list[i].Tokens; whole > 0 {
		tokens = min(tokens, whole)
	}
	return File{Path: p, Tokens: tokens}, true
}

// pathLike reports whether the text after an @ must be meant as a path: it ends
// with a slash, begins with a folder that there is, or ends as files do.
func (x *fileIndex) pathLike(p string) bool {
	if strings.Trim(p, "/.~") == "" || strings.ContainsAny(p, "()[]{}<>=*&|\\\"'`$#%^@,;") || edit.HasChip(p) {
		return false
	}
	if part := lines().FindStringSubmatch(p); part != nil {
		p = part[1]
	}
	first, _, nested := strings.Cut(strings.TrimPrefix(p, "./"), "/")
	switch {
	case strings.HasSuffix(p, "/") && len(p) > 1:
		return true
	case nested && (x.folders[first] || strings.HasPrefix(p, "/") || strings.HasPrefix(p, "~") || strings.HasPrefix(p, ".")):
		return true
	}
	ending := strings.ToLower(strings.TrimPrefix(path.Ext(p), "."))
	return ending != "" && (Image(p) || x.endings[ending])
}

// Image reports whether a path is that of an image, by its name. Images are not listed: a message holds text only.
func Image(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".jpg", ".jpeg", ".gif", ".webp", ".bmp", ".ico", ".tif", ".tiff", ".heic", ".avif":
		return true
	}
	return false
}

// File is a candidate for a mention.
type File struct {
	Path   string // as it is written after @
	Tokens int    // its weight, 0: unknown
}

func blankAt(s string, i int) bool { return s[i] == ' ' || s[i] == '\t' }

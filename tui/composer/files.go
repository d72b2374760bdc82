package composer

import (
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"plimsoll/conversation"
	"plimsoll/tui/edit"
)

// A mention is an @ that begins a word, followed by a file, a folder (config/) or lines
// of a file (go.mod:3-9). A word that looks like a path but is not a known file is
// highlighted, because it would be sent as plain text. Decorators, user names, e-mail
// addresses and text in code fences are not mentions.

// mention is a word that begins with an @.
type mention struct {
	from, to int // bytes [from, to) of the line, with the @
	path     string
	file     File // the file to attach
	found    bool
}

// fileIndex holds the files that can be mentioned.
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

// in lists the mentions of a line: known files, and words that look like paths.
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

// lines matches a path with line numbers: main.go:7, main.go:7-20.
var lines = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(.+):([0-9]{1,7})(?:-([0-9]{1,7}))?$`)
})

// lineTokens is the estimated number of tokens of a line.
const lineTokens = 10

// find returns the file, folder or lines of a file that a path names.
func (x *fileIndex) find(p string) (File, bool) {
	for _, name := range []string{p, p + "/"} {
		if i, ok := x.paths[name]; ok {
			f := x.list[i]
			f.Path = p // as it was written
			return f, true
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

// pathLike reports whether the text after an @ looks like a path: it ends with a
// slash, begins with a known folder, or has a known file extension.
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
	return ending != "" && (conversation.IsImage(p) || x.endings[ending])
}

// File is a candidate for a mention.
type File struct {
	Path   string                 // as written after @
	Tokens int                    // its estimated tokens; 0 if unknown
	Images conversation.ImageSize // of an image that was looked at
	Note   string                 // what the user is told about an image; "" before it was looked at
}

// pastedImage returns the path of an image if a pasted text is one, as terminals write the path of a file that is dropped on
// them: quoted, with escaped blanks, or as a file URL.
func pastedImage(text string) (string, bool) {
	text = strings.TrimSpace(text)
	if strings.ContainsAny(text, "\n\r\x00") || len(text) > maxPastedPath {
		return "", false
	}
	if n := len(text); n > 1 && (text[0] == '\'' || text[0] == '"') && text[n-1] == text[0] {
		text = text[1 : n-1]
	} else if u, err := url.Parse(text); err == nil && u.Scheme == "file" {
		text = u.Path
	} else {
		text = strings.ReplaceAll(text, `\ `, " ")
	}
	rooted := strings.HasPrefix(text, "/") || strings.HasPrefix(text, "~/") || strings.HasPrefix(text, "./")
	return text, conversation.IsImage(text) && !strings.ContainsAny(text, `"@`) && (rooted || !strings.Contains(text, " "))
}

// maxPastedPath is the longest pasted path, in bytes.
const maxPastedPath = 4096

func blankAt(s string, i int) bool { return s[i] == ' ' || s[i] == '\t' }

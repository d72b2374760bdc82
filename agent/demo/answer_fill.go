package demo

import (
	"path"
	"slices"
	"strconv"
	"strings"
)

// The gauge is filled with what fills it in earnest, results of tools: files
// that fit as a whole, the largest first, of the workspace's root and of a folder
// or two. What they leave free up to the mark is filled with a story. The end is
// what to do about it.

const (
	gaugeShare  = 80   // percent of the window that "fill the gauge" aims at, short of the load line
	resultShare = 76   // percent of it that results may take up to
	worthMasks  = 1200 // bytes below which a file is not worth reading for this
	mostRead    = 4    // files of one step
	mostListed  = 50   // entries of a folder that is looked into
	closingRoom = 120  // tokens for what is said at the end
)

// sized is a file of a listing.
type sized struct {
	path  string
	bytes int
}

// tokens is about what its text takes, rather more than less.
func (f sized) tokens() int { return f.bytes*45/100 + 60 }

var (
	sizedEntry  = lazy(`^(\S.*?)\s{2,}([\d.]+) (B|bytes|KiB)$`)
	folderEntry = lazy(`^(\S.*/)\s+\((\d+) entries\)$`)
)

// files are the files of a listing that say their size.
func (x exchange) files() []sized {
	var out []sized
	for text := range strings.Lines(x.result) {
		m := sizedEntry().FindStringSubmatch(strings.TrimRight(text, "\r\n"))
		if m == nil {
			continue
		}
		n, err := strconv.ParseFloat(m[2], 64)
		if err != nil || n > 1e6 {
			continue
		}
		if m[3] == "KiB" {
			n *= 1024
		}
		out = append(out, sized{m[1], int(n)})
	}
	return out
}

// folders are the folders of a listing in which there is little.
func (x exchange) folders() []string {
	var out []string
	for text := range strings.Lines(x.result) {
		m := folderEntry().FindStringSubmatch(strings.TrimRight(text, "\r\n"))
		if m != nil && digits(m[2]) > 0 && digits(m[2]) <= mostListed && !strings.HasPrefix(m[1], ".") {
			out = append(out, strings.TrimSuffix(m[1], "/"))
		}
	}
	return out
}

func (t *turn) fillGauge() reply {
	free := t.window*resultShare/100 - t.prompt
	switch {
	case !t.has("list_files") || !t.has("read_file") || t.taken >= maxSteps:
		return t.filled()
	case free < sized{bytes: worthMasks}.tokens():
		return t.filled()
	case len(t.steps) == 0:
		return t.use("I'll see what there is to read.", want("list_files", arg{"path", "."}, arg{"depth", 1}))
	}
	if calls := t.toRead(free); len(calls) > 0 {
		return t.use("I'll read what fits.", calls...)
	}
	return t.filled()
}

// toRead chooses files that fit together into so many tokens, and at first also
// folders to look into, if there is much left.
func (t *turn) toRead(free int) []wanted {
	var listed []sized
	for _, s := range t.steps {
		for _, x := range s {
			listed = append(listed, x.files()...)
		}
	}
	slices.SortStableFunc(listed, func(a, b sized) int { return b.bytes - a.bytes })
	half := free / 2
	var calls []wanted
	for _, f := range listed {
		if f.bytes < worthMasks || f.tokens() > free || len(calls) == mostRead || !readable(f.path) || t.wasRead(f.path) {
			continue
		}
		free -= f.tokens()
		calls = append(calls, want("read_file", arg{"path", f.path}))
	}
	if len(t.steps) == 1 && free > half {
		folders := t.steps[0][0].folders()
		for _, name := range folders[:min(2, len(folders))] {
			calls = append(calls, want("list_files", arg{"path", name}, arg{"depth", 1}))
		}
	}
	return calls
}

// unread are endings of files that hold no text, or nothing to read.
const unread = " .png .jpg .jpeg .gif .ico .webp .pdf .zip .gz .tar .exe .so .bin .o .a .class .jar .wasm .woff .woff2 .ttf .mp3 .mp4 .db .sqlite .pyc .sum .lock "

func readable(name string) bool {
	return !strings.Contains(unread, " "+strings.ToLower(path.Ext(name))+" ") || path.Ext(name) == ""
}

// wasRead reports whether the conversation shows that a file was read already.
func (t *turn) wasRead(name string) bool {
	for _, m := range t.history {
		for _, c := range m.Calls {
			if strings.Contains(c.Function.Arguments, quoteJSON(name)) {
				return true
			}
		}
	}
	return false
}

// filled tells a story for what is still free, and what can be done now.
func (t *turn) filled() reply {
	free := t.window*gaugeShare/100 - t.prompt - closingRoom
	text, read := "", t.filesRead()
	if words := wordsFor(free); words >= 60 {
		text = tell(words, t.replies()) + "\n\n"
	} else if len(t.steps) == 0 {
		text = "The gauge is full enough: " + itoa(t.prompt) + " of " + itoa(t.window) + " tokens. "
	}
	if len(read) == 0 {
		return reply{text: text + "Words are what fills the gauge now. To make room:\n\n" +
			"- `/summarize --keep-last 0` puts a summary in their place\n- `/undo-compact` takes it back"}
	}
	return reply{text: text + "The text of " + codeList(read) + " goes along with every request from now on: look at the gauge. To make room:\n\n" +
		"- `/compact --keep-last 0 --dry-run` says what would be saved\n- `/compact --keep-last 0` puts stubs in place of results\n" +
		"- `/undo-compact` takes that back"}
}

// filesRead are the files that were read in this turn.
func (t *turn) filesRead() []string {
	var names []string
	for _, s := range t.steps {
		for _, x := range s {
			if x.name == "read_file" && len(x.file().lines) > 0 && !x.failed() {
				names = append(names, strings.ReplaceAll(x.argument("path"), "`", "'"))
			}
		}
	}
	return names
}

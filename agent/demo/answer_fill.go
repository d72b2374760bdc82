package demo

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"plimsoll/agent"
)

// The gauge is filled with what fills it in earnest, results of tools: files
// that fit as a whole, the largest first, of the workspace's root and of a folder
// or two. What they leave free is filled with a story that ends above the load
// line, where the program makes room by itself, and below the hard line, so that
// the next message still fits. Room is made of what is old, so no more of the
// story is told at the end than counts as new; the rest comes before a look at the
// checklist. The end is what to look at.

const (
	aboveShare  = 3    // percent above the load line that "fill the gauge" and "fill the window" go to
	endShare    = 27   // percent that the story at the end takes; a step leaves the newest 25 alone
	olderShare  = 6    // percent below which none is told before
	resultShare = 64   // percent that results may take up to
	worthMasks  = 1200 // bytes below which a file is not worth reading for this
	mostRead    = 4    // files of one step
	mostListed  = 50   // entries of a folder that is looked into
	openingRoom = 30   // tokens for the introduction
	worthStory  = 60   // tokens below which no story is told
)

// loadLines are the load line, unless it was moved, and how far "fill the gauge" and "fill
// the window" go: above it, and below the hard line, if possible by enough for the next
// messages, also after an undo.
func (t *turn) loadLines() (load, full int) {
	load, hard := agent.DefaultLines(t.window)
	return load, min(load+t.window*aboveShare/100, (load+hard)/2)
}

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
	case len(t.steps) == 0 && free >= sized{bytes: worthMasks}.tokens():
		return t.use("I'll see what there is to read.", want("list_files", arg{"path", "."}, arg{"depth", 1}))
	}
	if calls := t.toRead(free); len(calls) > 0 && t.taken < maxSteps-1 {
		return t.use("I'll read what fits.", calls...)
	}
	_, full := t.loadLines()
	if older := full - t.window*endShare/100 - t.prompt; older > t.window*olderShare/100 {
		// The call parts the story, so that its beginning is old by the end; what it
		// answers is short, because that counts as new.
		lead, call := "I'll look at the checklist, too.", want("todo_read")
		if !t.has("todo_read") {
			lead, call = "I'll see what else there is.", want("list_files", arg{"path", "."}, arg{"depth", 1})
		}
		return t.use(tellTokens(older-countTokens(lead)-openingRoom, t.chapter())+"\n\n"+lead, call)
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

// chapter is where the story goes on: behind what this turn has told of it.
func (t *turn) chapter() int {
	told := 0
	for _, m := range t.history {
		switch {
		case m.Role == "user":
			told = 0
		case m.Role == "assistant":
			told += strings.Count(m.Content.Text, "\n## ")
		}
	}
	return 3*t.replies() + told
}

// filled tells a story for what is still free, and what happens now.
func (t *turn) filled() reply {
	load, full := t.loadLines()
	free := min(full-t.prompt, t.room) - openingRoom
	said := t.closing(load)
	switch free -= countTokens(said); {
	case free >= worthStory:
		said = tellTokens(free, t.chapter()) + "\n\n" + said
	case len(t.steps) == 0:
		return reply{text: "The gauge is full: " + thousands(t.prompt) + " of " + thousands(t.window) + " tokens. Before a request would be above the hard line, " +
			"room is made by itself. To make it now:\n\n- `/redo-compact`, if you took it back\n- `/summarize --keep-last 0`"}
	}
	if used := t.prompt + countTokens(said); used <= load {
		return reply{text: said[:strings.LastIndex(said, "Look at the gauge")] + "The gauge is at about " + thousands(used) + " of " + thousands(t.window) +
			" tokens, the load line (▲) at " + thousands(load) + ". `fill the gauge` once more goes on."}
	}
	return reply{text: said}
}

// closing is what happens above the load line, and what to look at.
func (t *turn) closing(load int) string {
	text := ""
	if read := t.filesRead(); len(read) > 0 {
		text = "The text of " + codeList(read) + " goes along with every request from now on. "
	}
	return text + "Look at the gauge: it is above the load line (▲, " + thousands(load) + " of " + thousands(t.window) +
		" tokens), so room is made by itself. \"Optimizing conversation context…\" stands below while a summary is written, and you can go on typing; " +
		"then a line says what was done.\n\n- `ctrl+x` or `/undo-compact` takes it back\n- `ctrl+t` or `/history` shows what was said beside what is sent\n" +
		"- `/compact` does it by hand, at any time"
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

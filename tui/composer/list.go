package composer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/sahilm/fuzzy"

	"plimsoll/conversation/plain"
)

// The list of completions: slash commands while the first word of the draft is
// typed, files while a word that begins with @ is. It opens by typing only, so
// that going through the history never runs into it, and stays closed for a
// word once it was closed there.

// CommandSpec declares a slash command.
type CommandSpec struct {
	Name    string   // without the slash
	Aliases []string // likewise
	Args    string   // how its arguments are written, "[focus]"; may be empty
	Needs   bool     // it does nothing without arguments
	Help    string   // one line
}

// File is a candidate for a mention.
type File struct {
	Path   string // as it is written after @
	Tokens int    // its weight, 0: unknown
}

const (
	maxMatches = 50     // completions kept
	maxFiles   = 20_000 // files looked at, so that a letter stays within a frame
)

// item is a completion as it is shown.
type item struct {
	label  string
	detail string
	insert string // what replaces the word
	index  int    // in the commands or the files
}

type list struct {
	kind   trigger
	items  []item
	sel    int
	top    int   // the first item shown
	word   place // where the word being completed begins
	closed place // the word it was closed for; line -1: none

	query   string // of the files found last
	matches []int  // the files that match it, all of them
}

// trigger is what a list completes.
type trigger int

const (
	nothing trigger = iota
	commands
	files
)

func (l *list) open() bool { return l.kind != nothing && len(l.items) > 0 }

// hide closes the list until something is typed.
func (l *list) hide() { l.kind, l.items = nothing, nil }

// close closes the list until another word begins.
func (l *list) close() {
	l.closed = l.word
	l.hide()
}

// move selects another item, going round at the ends.
func (l *list) move(step int) {
	l.sel = (l.sel + step + len(l.items)) % len(l.items)
}

// scroll keeps the selected item within the rows items shown.
func (l *list) scroll(rows int) {
	l.top = max(min(l.top, l.sel, len(l.items)-rows), l.sel-rows+1, 0)
}

// complete opens, narrows or closes the list after the text has changed.
func (m *Model) complete() {
	kind, word, query := m.word()
	l := &m.list
	if kind == nothing || word != l.closed {
		l.closed = place{line: -1}
	}
	if kind == nothing || word == l.closed {
		l.hide()
		return
	}
	l.kind, l.word, l.sel, l.top = kind, word, 0, 0
	if kind == commands {
		l.items = matchCommands(m.commands, query)
	} else {
		l.items = m.matchFiles(query)
	}
}

// word is the word the cursor is in, if it is one that is completed: what kind
// it is, where it begins, and what of it stands before the cursor.
func (m *Model) word() (trigger, place, string) {
	b := m.buf
	s := b.current()
	start := strings.LastIndexAny(s[:b.at.col], " \t") + 1
	typed := s[start:b.at.col]
	at := place{b.at.line, start}
	switch {
	case strings.HasPrefix(typed, "@"):
		return files, at, typed[1:]
	case strings.HasPrefix(typed, "/") && at == (place{}) && len(b.lines) == 1:
		return commands, at, typed[1:]
	}
	return nothing, at, ""
}

// matchCommands lists the commands for what was typed: those that begin with
// it, then those with an alias that does, then those that resemble it.
func matchCommands(specs []CommandSpec, query string) []item {
	query = strings.ToLower(query)
	var items []item
	seen := make([]bool, len(specs))
	add := func(i int, alias string) {
		if seen[i] {
			return
		}
		seen[i] = true
		c := specs[i]
		label := "/" + c.Name
		if alias != "" {
			label += " (" + alias + ")"
		}
		if c.Args != "" {
			label += " " + c.Args
		}
		items = append(items, item{label: plain.Line(label), detail: plain.Line(c.Help), insert: "/" + c.Name, index: i})
	}
	for i, c := range specs {
		if strings.HasPrefix(c.Name, query) {
			add(i, "")
		}
	}
	for i, c := range specs {
		for _, alias := range c.Aliases {
			if strings.HasPrefix(alias, query) {
				add(i, alias)
			}
		}
	}
	names := make([]string, len(specs))
	for i, c := range specs {
		names[i] = c.Name
	}
	for _, match := range fuzzy.Find(query, names) {
		add(match.Index, "")
	}
	// What was typed in full comes first: /q is not /queue.
	slices.SortStableFunc(items, func(a, b item) int {
		return cmp.Compare(rank(specs[a.index], query), rank(specs[b.index], query))
	})
	return items
}

// rank is 0 for a command whose name or alias is the query.
func rank(c CommandSpec, query string) int {
	if c.Name == query || slices.Contains(c.Aliases, query) {
		return 0
	}
	return 1
}

// candidates are the files a query is matched against.
type candidates struct {
	all   []File
	among []int // nil: all
}

func (c candidates) Len() int {
	if c.among == nil {
		return len(c.all)
	}
	return len(c.among)
}

func (c candidates) index(i int) int {
	if c.among == nil {
		return i
	}
	return c.among[i]
}

func (c candidates) String(i int) string { return c.all[c.index(i)].Path }

// matchFiles lists the files for what was typed. A query that goes on from the
// last one looks only among the files that one found.
func (m *Model) matchFiles(query string) []item {
	l := &m.list
	c := candidates{all: m.files[:min(len(m.files), maxFiles)]}
	if l.matches != nil && l.query != "" && strings.HasPrefix(query, l.query) {
		c.among = l.matches
	}
	var found []int
	if query == "" {
		for i := range min(len(m.files), maxMatches) {
			found = append(found, i)
		}
		l.query, l.matches = "", nil
	} else {
		for _, match := range fuzzy.FindFrom(query, c) {
			found = append(found, c.index(match.Index))
		}
		l.query, l.matches = query, slices.Clone(found)
		if found == nil {
			l.matches = []int{}
		}
	}
	items := make([]item, 0, min(len(found), maxMatches))
	for _, i := range found[:min(len(found), maxMatches)] {
		items = append(items, fileItem(m.files[i], i))
	}
	return items
}

func fileItem(f File, index int) item {
	it := item{label: plain.Line(f.Path), insert: "@" + f.Path, index: index}
	if strings.ContainsAny(f.Path, " \t") {
		it.insert = `@"` + f.Path + `"`
	}
	if f.Tokens > 0 {
		it.detail = "~" + short(f.Tokens)
	}
	return it
}

// accept puts the selected completion in place of the word.
func (m *Model) accept() {
	b, l := m.buf, &m.list
	it := l.items[l.sel]
	word := l.word
	l.hide()
	s := b.lines[word.line].text
	end := word.col
	for end < len(s) && !blankAt(s, end) {
		end++
	}
	b.remove(word, place{word.line, end})
	b.insert(clean(it.insert))
	if !strings.HasPrefix(b.current()[b.at.col:], " ") {
		b.insert(" ")
	} else {
		b.moveTo(b.right())
	}
}

// command is the declared command with this name or alias, whatever its case.
func (m *Model) command(name string) (CommandSpec, bool) {
	name = strings.ToLower(name)
	for _, c := range m.commands {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			return c, true
		}
	}
	return CommandSpec{}, false
}

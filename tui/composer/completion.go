package composer

import (
	"cmp"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"
	"github.com/sahilm/fuzzy"

	"plimsoll/conversation/plain"
	"plimsoll/themes"
	"plimsoll/tui/edit"
	"plimsoll/tui/pane"
)

// CommandSpec declares a slash command.
type CommandSpec struct {
	Name    string   // without the slash
	Aliases []string // without the slash
	Args    string   // its arguments as help shows them, "[focus]"; may be empty
	Needs   bool     // it needs arguments
	Help    string   // one line
	Forget  bool     // its line is not added to the history, because it may contain an API key
}

const (
	maxList    = 8      // completions shown at once
	maxMatches = 50     // completions in the list
	maxFiles   = 20_000 // files searched, so that a key press takes less than a frame
)

// item is a completion as it is shown.
type item struct {
	label  string
	detail string
	insert string // what replaces the word
	index  int    // in the commands or the files
}

// completion is the list of completions: slash commands while the first word of the draft is typed, files while a word
// that begins with @ is typed. Only typing opens it, so that it never opens while the user browses the history. Once
// closed, it stays closed for that word.
type completion struct {
	commands []CommandSpec
	files    *fileIndex

	kind   trigger
	items  []item
	sel    int
	top    int           // the first item shown
	word   edit.Position // where the word being completed begins
	closed edit.Position // the word it was closed for
}

// nowhere is the position of no word.
var nowhere = edit.Position{Line: -1}

// trigger is the kind of word that a list completes.
type trigger int

const (
	nothing trigger = iota
	commands
	files
)

func (l *completion) open() bool { return l.kind != nothing && len(l.items) > 0 }

// hide closes the list until something is typed.
func (l *completion) hide() { l.kind, l.items = nothing, nil }

// close closes the list until another word begins.
func (l *completion) close() {
	l.closed = l.word
	l.hide()
}

// move selects another item and wraps around at the ends.
func (l *completion) move(step int) {
	l.sel = (l.sel + step + len(l.items)) % len(l.items)
}

// complete opens, narrows or closes the list after a text has changed.
func (l *completion) complete(text *edit.Editor) {
	kind, word, query := wordIn(text)
	if kind == nothing || word != l.closed {
		l.closed = nowhere
	}
	if kind == nothing || word == l.closed {
		l.hide()
		return
	}
	l.kind, l.word, l.sel, l.top = kind, word, 0, 0
	if kind == commands {
		l.items = matchCommands(l.commands, query)
	} else {
		l.items = l.matchFiles(query)
	}
}

// refresh lists the files or the commands again after they changed, and keeps the selected one selected.
func (l *completion) refresh(text *edit.Editor, changed trigger) {
	if l.kind != changed {
		return
	}
	chosen := ""
	if l.open() {
		chosen = l.items[l.sel].insert
	}
	l.complete(text)
	l.sel = max(0, slices.IndexFunc(l.items, func(it item) bool { return it.insert == chosen }))
}

// wordIn returns the word at the cursor if it can be completed: its kind, where it begins, and its text before the
// cursor.
func wordIn(text *edit.Editor) (trigger, edit.Position, string) {
	at, s := text.At(), text.Current()
	start := strings.LastIndexAny(s[:at.Col], " \t") + 1
	typed := s[start:at.Col]
	at.Col = start
	switch {
	case strings.HasPrefix(typed, "@"):
		return files, at, typed[1:]
	case strings.HasPrefix(typed, "/") && at == (edit.Position{}) && text.Lines() == 1:
		return commands, at, typed[1:]
	}
	return nothing, at, ""
}

// matchCommands lists the commands for a query: those that begin with it, then those with an alias that does, then those that
// resemble it.
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
	// An exact match comes first: /q is not /queue.
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

// paths are the files a query is matched against.
type paths []File

func (p paths) Len() int            { return len(p) }
func (p paths) String(i int) string { return p[i].Path }

func (l *completion) matchFiles(query string) []item {
	all := paths(l.files.list[:min(len(l.files.list), maxFiles)])
	var items []item
	if query == "" {
		for i, f := range all[:min(len(all), maxMatches)] {
			items = append(items, fileItem(f, i))
		}
		return items
	}
	found := fuzzy.FindFrom(query, all)
	for _, match := range found[:min(len(found), maxMatches)] {
		items = append(items, fileItem(all[match.Index], match.Index))
	}
	return items
}

func fileItem(f File, index int) item {
	it := item{label: plain.Line(f.Path), insert: "@" + f.Path, index: index}
	if strings.ContainsAny(f.Path, " \t") {
		it.insert = `@"` + f.Path + `"`
	}
	if f.Tokens > 0 {
		it.detail = pane.About(f.Tokens) + " tok"
	}
	return it
}

// accept replaces the word by the selected completion, and reports whether it is a command that needs no arguments.
func (l *completion) accept(text *edit.Editor) (done bool) {
	it, word, kind := l.items[l.sel], l.word, l.kind
	l.hide()
	s := text.Line(word.Line)
	end := word.Col
	for end < len(s) && !blankAt(s, end) {
		end++
	}
	text.Remove(word, edit.Position{Line: word.Line, Col: end})
	text.Insert(edit.Clean(it.insert))
	if !strings.HasPrefix(text.Current()[text.At().Col:], " ") {
		text.Insert(" ")
	} else {
		text.MoveTo(text.Right())
	}
	_, args, _ := strings.Cut(text.Current(), " ")
	return kind == commands && !(l.commands[it.index].Needs && strings.TrimSpace(args) == "")
}

// command returns the declared command with a name or alias, ignoring case.
func (l *completion) command(name string) (CommandSpec, bool) {
	name = strings.ToLower(name)
	for _, c := range l.commands {
		if c.Name == name || slices.Contains(c.Aliases, name) {
			return c, true
		}
	}
	return CommandSpec{}, false
}

// nearest returns the declared name most similar to a name, or "".
func (l *completion) nearest(name string) string {
	var names []string
	for _, c := range l.commands {
		names = append(append(names, c.Name), c.Aliases...)
	}
	c, _ := l.command(Nearest(name, names))
	return c.Name
}

// completes reports whether the open list is for a mention in a line.
func (l *completion) completes(line int, a mention) bool {
	return l.open() && l.word == (edit.Position{Line: line, Col: a.from})
}

// rows is how many completions are shown on a screen of this height.
func (l *completion) rows(height int) int {
	if !l.open() {
		return 0
	}
	return min(len(l.items), maxList, max(height/4, 1))
}

// draw draws the visible completions. The selected one has a mark, for screens without colour.
func (l *completion) draw(s *themes.Styles, width, rows int) []string {
	if rows == 0 {
		return nil
	}
	shown := l.items[l.top : l.top+rows]
	names := 0
	for _, it := range shown {
		names = max(names, ansi.StringWidth(it.label))
	}
	names = min(names, width-4)
	lines, surface := make([]string, 0, rows), pane.NewSurface(s.Raised)
	for i, it := range shown {
		mark, style, detail := "  ", s.Text, s.Muted
		if l.top+i == l.sel { // the whole row is selected
			mark, style, detail = "❯ ", s.Selected, s.Selected
		}
		label := it.label
		if l.kind == files {
			label = pane.ClipLeft(label, names)
		}
		description, room := "", width-names-2
		if room > 5 {
			description = "  " + it.detail
		}
		lines = append(lines, surface.Under(style.Render(mark+pane.Fit(label, names))+detail.Render(pane.Fit(description, room))))
	}
	return lines
}

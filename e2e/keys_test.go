package e2e_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"charm.land/bubbles/v2/key"

	"plimsoll/tui"
)

// Every key of the chat and of its composer, typed as terminals send it. Each key that a keymap has is tried: those to edit
// by the draft that they leave, the others by what the screen shows.

// keySequence is what a terminal sends for a key: as terminals always did, or as those do that tell all keys apart.
func keySequence(name string) string {
	mods, rest := 1, name
	for _, m := range []struct {
		prefix string
		value  int
	}{{"ctrl+", 4}, {"alt+", 2}, {"shift+", 1}} {
		if after, ok := strings.CutPrefix(rest, m.prefix); ok && after != "" {
			mods, rest = mods+m.value, after
		}
	}
	const shift, alt, ctrl = 2, 3, 5 // alone
	letters := map[string]string{"up": "A", "down": "B", "right": "C", "left": "D", "end": "F", "home": "H"}
	numbers := map[string]int{"delete": 3, "pgup": 5, "pgdown": 6}
	codes := map[string]rune{"enter": '\r', "tab": '\t', "esc": 0x1b, "backspace": 0x7f, "space": ' '}
	code, named := codes[rest]
	if !named {
		code = []rune(rest)[0]
	}
	switch {
	case letters[rest] != "" && mods == 1:
		return "\x1b[" + letters[rest]
	case letters[rest] != "":
		return fmt.Sprintf("\x1b[1;%d%s", mods, letters[rest])
	case numbers[rest] != 0 && mods == 1:
		return fmt.Sprintf("\x1b[%d~", numbers[rest])
	case numbers[rest] != 0:
		return fmt.Sprintf("\x1b[%d;%d~", numbers[rest], mods)
	case !named && len([]rune(rest)) != 1:
		return ""
	case mods == 1:
		return string(code)
	case name == "shift+tab":
		return "\x1b[Z"
	case mods == ctrl && (code >= 'a' && code <= 'z' || code == '_'):
		return string(code & 0x1f)
	case mods == alt && code != '_' && code != 0x1b:
		return "\x1b" + string(code)
	}
	return fmt.Sprintf("\x1b[%d;%du", code, mods)
}

// draft is what is in the composer, without blanks at the ends of its rows.
func (s screen) draft() string {
	rows := strings.Split(s.text, "\n")
	end := len(rows) - 1
	for end > 0 && !strings.HasPrefix(strings.TrimSpace(rows[end]), "╰") {
		end--
	}
	var text []string
	for y := end - 1; y >= 0 && !strings.HasPrefix(strings.TrimSpace(rows[y]), "╭"); y-- {
		row := strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(rows[y]), "│"), "│")
		text = append(text, strings.TrimRight(strings.TrimPrefix(row, " "), " "))
	}
	slices.Reverse(text)
	return strings.Join(text, "\n")
}

// awaitDraft waits until the composer has a text, and no view or dialog is over it.
func (t *terminal) awaitDraft(text string) screen {
	t.t.Helper()
	return t.wait(fmt.Sprintf("draft %q", text), func(s screen) bool { return s.broken() == "" && s.draft() == text })
}

// placeholder is what an empty composer shows.
const placeholder = "Ask something. / for commands, @ for files, ? for help"

// clear empties the composer, in which there is a text.
func (t *terminal) clear() {
	t.t.Helper()
	t.key("ctrl+c")
	t.awaitDraft(placeholder)
}

// awaitWithout waits until none of the texts is on the screen.
func (t *terminal) awaitWithout(texts ...string) screen {
	t.t.Helper()
	return t.wait("screen without "+strings.Join(texts, ", "), func(s screen) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return s.has(text) })
	})
}

// bindings are the keys of a keymap by the names of its fields.
func bindings(keymap any) map[string][]string {
	found := map[string][]string{}
	v := reflect.ValueOf(keymap)
	for i := range v.NumField() {
		switch b, ok := v.Field(i).Interface().(key.Binding); {
		case !ok:
			maps.Copy(found, bindings(v.Field(i).Interface()))
		case len(b.Keys()) > 0:
			found[v.Type().Field(i).Name] = b.Keys()
		}
	}
	return found
}

// edited is what a key does to a draft: after some keys before it, and with a mark typed where the cursor is then.
type edited struct {
	draft, before, want string
	copied              string // to the clipboard
}

// edits are those of the keys that edit, by the names of the keymap.
var edits = map[string]edited{
	"Left":         {draft: "one two", want: "one tw|o"},
	"Right":        {draft: "one two", before: "home", want: "o|ne two"},
	"WordLeft":     {draft: "one/two", want: "one/|two"},
	"WordRight":    {draft: "one/two", before: "home", want: "one|/two"},
	"LineStart":    {draft: "one\ntwo", want: "one\n|two"},
	"LineEnd":      {draft: "one\ntwo", before: "up left", want: "one|\ntwo"},
	"TextStart":    {draft: "one\ntwo", want: "|one\ntwo"},
	"TextEnd":      {draft: "one\ntwo", before: "up left", want: "one\ntwo|"},
	"Backspace":    {draft: "one 漢字", want: "one 漢|"},
	"Delete":       {draft: "one two", before: "home", want: "|ne two"},
	"CutWordLeft":  {draft: "an one/two", want: "an one/|"},
	"CutWordRight": {draft: "one/two", before: "home", want: "|/two"},
	"CutToBlank":   {draft: "an one/two", want: "an |"},
	"CutToStart":   {draft: "one\ntwo", before: "left", want: "one\n|o"},
	"CutToEnd":     {draft: "one\ntwo", before: "up left", want: "on|\ntwo"},
	"Copy":         {draft: "one two", before: "shift+home", want: "|one two", copied: "one two"},
	"Cut":          {draft: "one two", before: "alt+shift+left", want: "one |", copied: "two"},
	"Yank":         {draft: "one two", before: "ctrl+w home", want: "two|one"},
	"Undo":         {draft: "one two", before: "ctrl+w", want: "one two|"},
	"Redo":         {draft: "one two", before: "ctrl+w ctrl+_", want: "one |"},
}

// selections are what a hand expects of Shift, and of keys that have another use without a selection or without a text.
var selections = map[string]edited{
	"shift+left":       {draft: "one two", want: "one tw|"},
	"shift+right":      {draft: "one two", before: "home", want: "|ne two"},
	"shift+up":         {draft: "one\ntwo", want: "one|"},
	"shift+down":       {draft: "one\ntwo", before: "ctrl+home", want: "|two"},
	"shift+home":       {draft: "one\ntwo", want: "one\n|"},
	"shift+end":        {draft: "one\ntwo", before: "ctrl+home", want: "|\ntwo"},
	"ctrl+shift+left":  {draft: "one two", want: "one |"},
	"ctrl+shift+right": {draft: "one two", before: "home", want: "| two"},
	"ctrl+shift+home":  {draft: "one\ntwo", want: "|"},
	"ctrl+shift+end":   {draft: "one\ntwo", before: "ctrl+home", want: "|"},
	"alt+shift+left":   {draft: "one two", want: "one |"},
	"backspace":        {draft: "one two", before: "shift+left shift+left", want: "one t|"},
	"ctrl+w":           {draft: "one two", before: "shift+left ctrl+w", want: "one |"},
	"ctrl+k":           {draft: "one two", before: "shift+left", want: "one tw|"},
	"ctrl+y":           {draft: "one two", before: "ctrl+w shift+home", want: "two|"},
	"esc":              {draft: "one two", before: "shift+home", want: "|one two"},
	"left":             {draft: "one two", before: "shift+left shift+left", want: "one t|wo"},
	"enter":            {draft: `one\`, want: "one\n|"},
	"ctrl+_":           {draft: "one two", before: "shift+home backspace", want: "|one two"},
}

func TestEveryKeyEdits(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	term := p.talking(usual, newServer(t))
	try := func(name string, e edited) {
		term.paste(e.draft)
		copied := term.clipboardAfter(e.copied, func() {
			term.key(strings.Fields(e.before)...)
			if name == "esc" { // with what follows right behind it would be a key with alt
				term.awaitSelection(e.draft, true)
			}
			term.key(name)
			if name == "esc" {
				term.awaitSelection(e.draft, false)
			}
			term.typed("|")
			want := strings.Split(e.want, "\n")
			for i := range want {
				want[i] = strings.TrimRight(want[i], " ")
			}
			term.awaitDraft(strings.Join(want, "\n"))
		})
		if copied != e.copied {
			t.Errorf("%s copies %q, not %q", name, copied, e.copied)
		}
		term.clear()
	}
	keymap := bindings(tui.DefaultKeyMap().Composer.Editing)
	for field, names := range keymap {
		e, ok := edits[field]
		if !ok {
			t.Errorf("nobody says what the key %s edits", field)
		}
		for _, name := range names {
			try(name, e)
		}
	}
	for field := range edits {
		if keymap[field] == nil {
			t.Errorf("there is no key %s", field)
		}
	}
	for name, e := range selections {
		try(name, e)
	}
	term.mouseEdits()
	term.key("ctrl+c")
	term.see("press ctrl+c again to quit")
	term.key("ctrl+c")
	if code := term.end(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if id := resumeLine(term); id != "" {
		t.Errorf("nothing was said, but %q can be resumed", id)
	}
}

// clipboardAfter is the text that an act puts into the clipboard, if any is wanted.
func (t *terminal) clipboardAfter(want string, act func()) string {
	t.t.Helper()
	if want == "" {
		act()
		return ""
	}
	return t.copies(1, act)[0]
}

// awaitSelection waits until a text is selected, or no longer: until its first cell has a background, or none.
func (t *terminal) awaitSelection(text string, want bool) {
	t.t.Helper()
	t.wait(fmt.Sprintf("%q with a selection (%v)", text, want), func(s screen) bool {
		x, y := s.at(text)
		t.mu.Lock()
		defer t.mu.Unlock()
		c := t.screen.CellAt(x, y)
		return c != nil && (c.Style.Bg != nil) == want
	})
}

// at is the first cell of a text on the screen.
func (s screen) at(text string) (x, y int) {
	for y, row := range strings.Split(s.text, "\n") {
		if before, _, ok := strings.Cut(row, text); ok {
			return len([]rune(before)), y
		}
	}
	return -1, -1
}

// The buttons of a mouse as they are reported.
const (
	leftButton = 0
	dragged    = 32
	wheelUp    = 64
	wheelDown  = 65
)

// mouse reports a button at a cell.
func (t *terminal) mouse(button, x, y int, up bool) {
	final := 'M'
	if up {
		final = 'm'
	}
	t.send(fmt.Sprintf("\x1b[<%d;%d;%d%c", button, x+1, y+1, final))
}

// clicks clicks so many times at a cell.
func (t *terminal) clicks(n, x, y int) {
	for range n {
		t.mouse(leftButton, x, y, false)
		t.mouse(leftButton, x, y, true)
	}
}

// mouseEdits places the cursor and selects with the mouse.
func (t *terminal) mouseEdits() {
	t.t.Helper()
	for _, c := range []struct {
		does func(x, y int)
		want string
	}{
		{func(x, y int) { t.clicks(1, x+3, y) }, "one| two/three"},
		{func(x, y int) { t.clicks(2, x+5, y) }, "one |/three"},
		{func(x, y int) { t.clicks(3, x+7, y) }, "|"},
		{func(x, y int) {
			t.mouse(leftButton, x+1, y, false)
			t.mouse(dragged, x+4, y, false)
			t.mouse(leftButton, x+6, y, true)
		}, "o|two/three"},
	} {
		t.paste("one two/three")
		t.awaitDraft("one two/three")
		c.does(t.shown().at("one two/three"))
		t.typed("|")
		t.awaitDraft(c.want)
		t.clear()
	}
}

// act presses a key, checks its effect, and returns to an idle conversation with an empty composer.
type act func(t *terminal, name string)

// opened is an act for a key that opens something, which another key closes.
func opened(by string, shows ...string) act {
	return func(t *terminal, name string) {
		t.key(name)
		t.see(shows...)
		t.key(by)
		t.awaitWithout(shows[len(shows)-1])
		t.idle()
	}
}

// scrolled is a key that scrolls up, after others, if down is false: or else one that leads back to the end.
func scrolled(down bool, before ...string) act {
	const below = "↓ more"
	return func(t *terminal, name string) {
		t.key(before...)
		if down {
			t.see(below)
		}
		t.key(name)
		if !down {
			t.see(below)
			t.key("end")
		}
		t.awaitWithout(below)
	}
}

// acts are those of the keys of the screen and for writing, by the names of the keymaps.
var acts = map[string]act{
	"Top": scrolled(false), "PageUp": scrolled(false), "ScrollUp": scrolled(false),
	"End": scrolled(true, "home"), "PageDown": scrolled(true, "pgup"), "ScrollDown": scrolled(true, "ctrl+up"),
	"History":           opened("esc", " History", "original"),
	"Palette":           opened("esc", "Commands", "/undo-compact"),
	"PreviewCompaction": opened("esc", " Compact ", "enter compact"),
	"Help":              opened("esc", "Writing", "Files and commands"),
	"Redraw":            func(t *terminal, _ string) { t.redraw() },
	"Expand": func(t *terminal, name string) {
		t.say("!!seq 101 109")
		t.idle("· !!seq 101 109", "… 9 lines")
		t.key(name)
		t.wait("ninth line", func(s screen) bool { return slices.Contains(strings.Fields(s.text), "109\n") || s.has("    109\n") })
		t.key(name)
		t.see("… 9 lines")
	},
	"Mode": func(t *terminal, name string) {
		for _, mode := range []string{"auto-edit", "yolo", "plan", "ask"} {
			t.key(name)
			t.wait("mode "+mode, func(s screen) bool { return strings.HasSuffix(s.row(-1), " "+mode) })
		}
	},
	"UndoCompaction": func(t *terminal, name string) {
		t.command("/compact")
		t.idle("compacted turns ")
		t.key(name)
		t.see("undone")
		t.idle()
	},
	"Send": func(t *terminal, name string) {
		t.typed("how is the wind?")
		t.awaitDraft("how is the wind?")
		t.key(name)
		t.idle("▌ how is the wind?", "This is reply 1.")
	},
	"Newline": func(t *terminal, name string) {
		t.typed("one")
		t.key(name)
		t.typed("two")
		t.awaitDraft("one\ntwo")
		t.clear()
	},
	"Complete": func(t *terminal, name string) {
		t.typed("/cont")
		t.see("/context")
		t.key(name)
		t.typed("|")
		t.awaitDraft("/context |")
		t.clear()
	},
	"Leave": func(t *terminal, name string) {
		t.typed("/cont")
		t.see("what fills the window")
		t.key(name)
		t.awaitWithout("what fills the window")
		t.awaitDraft("/cont")
		t.clear()
	},
	"Above": inList("ctrl+n", "/compact "), "Below": inList("", "/undo-compact "),
	"Older": func(t *terminal, name string) {
		t.key(name)
		t.see("prompt ")
		t.awaitDraft("how is the wind?")
		t.clear()
	},
	"Newer": func(t *terminal, name string) {
		t.typed("one")
		t.key("up")
		t.see("prompt ")
		t.key(name)
		t.awaitDraft("one")
		t.clear()
	},
	"Search": func(t *terminal, name string) {
		t.key(name)
		t.see("search:")
		t.typed("wind")
		t.wait("prompt that was found", func(s screen) bool { return strings.HasPrefix(s.draft(), "how is the wind?\nsearch: wind") })
		t.key("ctrl+e")
		t.awaitDraft("how is the wind?")
		t.clear()
	},
	"Stash": func(t *terminal, name string) {
		t.typed("one")
		t.key(name)
		t.see("draft stashed")
		t.awaitDraft(placeholder)
		t.key(name)
		t.awaitDraft("one")
		t.clear()
	},
	"Editor": func(t *terminal, name string) {
		t.typed("one")
		t.key(name)
		t.awaitDraft("one edited")
		t.clear()
	},
	"TakeBack": func(t *terminal, name string) {
		t.stopReply(func() {
			t.typed("later")
			t.key("enter")
			t.see("queued: later")
			t.key(name)
			t.awaitDraft("later")
			t.key("ctrl+u")
		}, "esc")
	},
	"Cancel":    func(t *terminal, name string) { t.stopReply(func() {}, name); t.cancelTwice(name) },
	"Interrupt": func(t *terminal, name string) { t.stopReply(func() {}, name) },
	"Suspend": func(t *terminal, name string) {
		gone := func() int { return strings.Count(t.written(), "\x1b[?1049l") }
		n := gone()
		t.key(name)
		t.wait("shell", func(screen) bool { return gone() > n })
		t.idle() // nothing stops a program without a shell above it
	},
	"Quit": func(t *terminal, name string) {
		t.key(name)
		if code := t.end(); code != 0 {
			t.t.Errorf("exit code %d", code)
		}
	},
}

// inList is a key that moves in the list of commands, after another one, and what is chosen then.
func inList(before, chosen string) act {
	return func(t *terminal, name string) {
		t.typed("/compact")
		t.see("❯ /compact")
		if before != "" {
			t.key(before)
		}
		t.key(name, "tab")
		t.typed("|")
		t.awaitDraft(chosen + "|")
		t.clear()
	}
}

// stopReply stops a reply with a key, after something was done meanwhile.
func (t *terminal) stopReply(meanwhile func(), name string) {
	t.t.Helper()
	t.say("go on")
	t.wait("reply", func(s screen) bool { return s.busy() && s.has("It goes on", "esc stops") })
	meanwhile()
	t.key(name)
	t.idle("■ stopped")
}

// cancelTwice presses the key to cancel twice in a row, with a draft and without.
func (t *terminal) cancelTwice(name string) {
	t.t.Helper()
	t.typed("one")
	t.awaitDraft("one")
	t.key(name)
	t.see("again to stash the draft")
	t.key(name)
	t.see("draft stashed")
	t.key(name)
	t.see("again to go back to an earlier message")
	t.key(name)
	t.see("Go back to")
	t.key(name)
	t.awaitWithout("Go back to")
	t.key("ctrl+s")
	t.awaitDraft("one")
	t.clear()
}

func TestEveryKeyOfTheScreenActs(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"README.md": "# Harbor\n"})
	p.env["EDITOR"] = filepath.Join(p.root, "editor")
	if err := os.WriteFile(p.env["EDITOR"], []byte("#!/bin/sh\nprintf ' edited' >> \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	endless := func(w *wire) {
		w.text("It goes on")
		w.hang()
	}
	s := newServer(t, replyNumber(1), endless, endless, endless)
	term, _ := p.underway(s, wide)

	keymap := tui.DefaultKeyMap()
	names := bindings(keymap.Screen)
	for field, keys := range bindings(keymap.Composer.Writing) {
		names[field] = keys
	}
	first, last := []string{"Send", "Older", "Newer"}, []string{"TakeBack", "Cancel", "Interrupt", "Suspend", "Quit"}
	order := slices.Clone(first)
	for field := range names {
		if acts[field] == nil {
			t.Errorf("nobody says what the key %s does", field)
		} else if !slices.Contains(first, field) && !slices.Contains(last, field) {
			order = append(order, field)
		}
	}
	starts(term)
	for _, field := range append(order, last...) {
		if len(names[field]) == 0 {
			t.Errorf("there is no key %s", field)
		}
		for _, name := range names[field] {
			acts[field](term, name)
		}
	}
	if n := len(acts); n != len(names) {
		t.Errorf("%d keys do something, there are %d", n, len(names))
	}
}

// starts are the characters that make something else of a line, and the wheel.
func starts(t *terminal) {
	t.t.Helper()
	t.typed("see @READ")
	t.see("README.md")
	t.key("tab")
	t.typed("|")
	t.awaitDraft("see @README.md |")
	t.clear()
	t.typed("!echo harbor")
	t.see("run a command, add its output")
	t.key("enter")
	t.idle("▌ !echo harbor", "▌ harbor", "+ output, 1 line")
	t.typed("!!echo port")
	t.see("run, output not added")
	t.key("enter")
	t.idle("· !!echo port", "    port")
	t.mouse(wheelUp, 9, 9, false)
	t.see("↓ more")
	for range 3 {
		t.mouse(wheelDown, 9, 9, false)
	}
	t.awaitWithout("↓ more")
}

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

// Every key of the chat and of its composer, typed as terminals send it. Editing keys are tested by the resulting draft, the
// others by what the screen shows.

// keySequence returns what a terminal sends for a key: the classic sequence, or that of the extended keyboard protocol.
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
	const shift, alt, ctrl = 2, 3, 5 // the only modifier
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

// draft returns the text in the composer, without blanks at the ends of its rows.
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

// awaitDraft waits until the composer contains a text and no view or dialog is open.
func (t *terminal) awaitDraft(text string) screen {
	t.t.Helper()
	return t.wait(fmt.Sprintf("draft %q", text), func(s screen) bool { return s.frameFault() == "" && s.draft() == text })
}

// placeholder is what an empty composer shows.
const placeholder = "Ask something. / for commands, @ for files, ? for help"

// clear empties the composer, which must contain a text.
func (t *terminal) clear() {
	t.t.Helper()
	t.press("ctrl+c")
	t.awaitDraft(placeholder)
}

// awaitWithout waits until none of the texts is on the screen.
func (t *terminal) awaitWithout(texts ...string) screen {
	t.t.Helper()
	return t.wait("screen without "+strings.Join(texts, ", "), func(s screen) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return s.has(text) })
	})
}

// bindings returns the keys of a keymap by the names of its fields.
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

// edited is a test of an editing key: the draft, the keys pressed before it, and the draft after it with a | typed at the
// cursor.
type edited struct {
	draft, before, want string
	copied              string // to the clipboard
}

// edits are the tests of the editing keys, by their names in the keymap.
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

// selections are tests of keys that select with Shift, and of keys that do something else with a selection.
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

func TestEveryEditingKeyChangesTheDraft(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	term := p.startChat(defaultSize, newServer(t))
	try := func(name string, e edited) {
		term.paste(e.draft)
		copied := term.clipboardAfter(e.copied, func() {
			term.press(strings.Fields(e.before)...)
			if name == "esc" { // directly followed by another key it would be alt and that key
				term.awaitSelection(e.draft, true)
			}
			term.press(name)
			if name == "esc" {
				term.awaitSelection(e.draft, false)
			}
			term.typeText("|")
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
			t.Errorf("the key %s has no test", field)
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
	term.press("ctrl+c")
	term.awaitText("press ctrl+c again to quit")
	term.press("ctrl+c")
	if code := term.awaitExit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	if id := resumeLine(term); id != "" {
		t.Errorf("no message was sent, but %q can be resumed", id)
	}
}

// clipboardAfter runs act and returns the text that it copies, if one is expected.
func (t *terminal) clipboardAfter(want string, act func()) string {
	t.t.Helper()
	if want == "" {
		act()
		return ""
	}
	return t.awaitCopies(1, act)[0]
}

// awaitSelection waits until a text is selected or not selected: its first cell has a background or not.
func (t *terminal) awaitSelection(text string, want bool) {
	t.t.Helper()
	t.wait(fmt.Sprintf("%q with a selection (%v)", text, want), func(s screen) bool {
		x, y := s.cellOf(text)
		t.mu.Lock()
		defer t.mu.Unlock()
		c := t.screen.CellAt(x, y)
		return c != nil && (c.Style.Bg != nil) == want
	})
}

func (s screen) cellOf(text string) (x, y int) {
	for y, row := range strings.Split(s.text, "\n") {
		if before, _, ok := strings.Cut(row, text); ok {
			return len([]rune(before)), y
		}
	}
	return -1, -1
}

// The codes of mouse buttons in reports.
const (
	leftButton = 0
	dragged    = 32
	wheelUp    = 64
	wheelDown  = 65
)

func (t *terminal) mouse(button, x, y int, up bool) {
	final := 'M'
	if up {
		final = 'm'
	}
	t.send(fmt.Sprintf("\x1b[<%d;%d;%d%c", button, x+1, y+1, final))
}

// clicks clicks n times at a cell.
func (t *terminal) clicks(n, x, y int) {
	for range n {
		t.mouse(leftButton, x, y, false)
		t.mouse(leftButton, x, y, true)
	}
}

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
		c.does(t.shown().cellOf("one two/three"))
		t.typeText("|")
		t.awaitDraft(c.want)
		t.clear()
	}
}

// keyTest presses a key, checks its effect, and returns to an idle conversation with an empty composer.
type keyTest func(t *terminal, name string)

// opensAndCloses tests a key that opens a view or dialog, which another key closes.
func opensAndCloses(by string, shows ...string) keyTest {
	return func(t *terminal, name string) {
		t.press(name)
		t.awaitText(shows...)
		t.press(by)
		t.awaitWithout(shows[len(shows)-1])
		t.awaitIdle()
	}
}

// scrolls tests a key that scrolls up, or one that returns to the end if down is true.
func scrolls(down bool, before ...string) keyTest {
	const below = "↓ more"
	return func(t *terminal, name string) {
		t.press(before...)
		if down {
			t.awaitText(below)
		}
		t.press(name)
		if !down {
			t.awaitText(below)
			t.press("end")
		}
		t.awaitWithout(below)
	}
}

// acts are the tests of the keys of the chat and of the composer, by their names in the keymaps.
var acts = map[string]keyTest{
	"Top": scrolls(false), "PageUp": scrolls(false), "ScrollUp": scrolls(false),
	"End": scrolls(true, "home"), "PageDown": scrolls(true, "pgup"), "ScrollDown": scrolls(true, "ctrl+up"),
	"History":           opensAndCloses("esc", " History", "original"),
	"Palette":           opensAndCloses("esc", "Commands", "/undo-compact"),
	"PreviewCompaction": opensAndCloses("esc", " Compact ", "enter compact"),
	"Help":              opensAndCloses("esc", "Writing", "Files and commands"),
	"Redraw":            func(t *terminal, _ string) { t.redraw() },
	"Legend": func(t *terminal, name string) {
		opened := t.shown().has("┄ free ")
		for range 2 {
			opened = !opened
			t.press(name)
			t.wait("the legend or none", func(s screen) bool { return s.has("┄ free ") == opened })
		}
	},
	"CopyReply": func(t *terminal, name string) {
		if got := t.awaitCopies(1, func() { t.press(name) }); got[0] == "" {
			t.t.Error("no reply is copied")
		}
	},
	"Panel": func(t *terminal, name string) {
		t.press(name)
		t.awaitText("│ Context")
		t.press(name)
		t.awaitWithout("│ Context")
	},
	"Expand": func(t *terminal, name string) {
		t.sendMessage("!!seq 101 109")
		t.awaitIdle("· !!seq 101 109", "… 9 lines")
		t.press(name)
		t.wait("ninth line", func(s screen) bool { return slices.Contains(strings.Fields(s.text), "109\n") || s.has("    109\n") })
		t.press(name)
		t.awaitText("… 9 lines")
	},
	"Mode": func(t *terminal, name string) {
		for _, mode := range []string{"edits", "auto", "yolo", "plan", "ask"} {
			t.press(name)
			t.wait("mode "+mode, func(s screen) bool { return strings.HasSuffix(s.row(-1), " "+mode) })
		}
	},
	"UndoCompaction": func(t *terminal, name string) {
		t.slashCommand("/compact")
		t.awaitIdle("Compacted turns ")
		t.press(name)
		t.awaitText("undone")
		t.awaitIdle()
	},
	"Send": func(t *terminal, name string) {
		t.typeText("how is the wind?")
		t.awaitDraft("how is the wind?")
		t.press(name)
		t.awaitIdle("▌ how is the wind?", "This is reply 1.")
	},
	"Newline": func(t *terminal, name string) {
		t.typeText("one")
		t.press(name)
		t.typeText("two")
		t.awaitDraft("one\ntwo")
		t.clear()
	},
	"Complete": func(t *terminal, name string) {
		t.typeText("/cont")
		t.awaitText("/context")
		t.press(name)
		t.typeText("|")
		t.awaitDraft("/context |")
		t.clear()
	},
	"Leave": func(t *terminal, name string) {
		t.typeText("/cont")
		t.awaitText("what fills the window")
		t.press(name)
		t.awaitWithout("what fills the window")
		t.awaitDraft("/cont")
		t.clear()
	},
	"Above": movesInList("ctrl+n", "/compact "), "Below": movesInList("", "/undo-compact "),
	"Older": func(t *terminal, name string) {
		t.press(name)
		t.awaitText("prompt ")
		t.awaitDraft("how is the wind?")
		t.clear()
	},
	"Newer": func(t *terminal, name string) {
		t.typeText("one")
		t.press("up")
		t.awaitText("prompt ")
		t.press(name)
		t.awaitDraft("one")
		t.clear()
	},
	"Search": func(t *terminal, name string) {
		t.press(name)
		t.awaitText("search:")
		t.typeText("wind")
		t.wait("prompt that was found", func(s screen) bool { return strings.HasPrefix(s.draft(), "how is the wind?\nsearch: wind") })
		t.press("ctrl+e")
		t.awaitDraft("how is the wind?")
		t.clear()
	},
	"Stash": func(t *terminal, name string) {
		t.typeText("one")
		t.press(name)
		t.awaitText("draft stashed")
		t.awaitDraft(placeholder)
		t.press(name)
		t.awaitDraft("one")
		t.clear()
	},
	"Editor": func(t *terminal, name string) {
		t.typeText("one")
		t.press(name)
		t.awaitDraft("one edited")
		t.clear()
	},
	"PasteImage": func(t *terminal, name string) {
		t.press(name)
		t.awaitText("the clipboard cannot be read here")
	},
	"Background": func(t *terminal, name string) {
		t.press(name)
		t.awaitText("no command")
	},
	"TakeBack": func(t *terminal, name string) {
		t.stopReply(func() {
			t.typeText("later")
			t.press("enter")
			t.awaitText("queued: later")
			t.press(name)
			t.awaitDraft("later")
			t.press("ctrl+u")
		}, "esc")
	},
	"Cancel":    func(t *terminal, name string) { t.stopReply(func() {}, name); t.cancelTwice(name) },
	"Interrupt": func(t *terminal, name string) { t.stopReply(func() {}, name) },
	"Suspend": func(t *terminal, name string) {
		gone := func() int { return strings.Count(t.written(), "\x1b[?1049l") }
		n := gone()
		t.press(name)
		t.wait("shell", func(screen) bool { return gone() > n })
		t.awaitIdle() // without a parent shell the program is not suspended
	},
	"Quit": func(t *terminal, name string) {
		t.press(name)
		if code := t.awaitExit(); code != 0 {
			t.t.Errorf("exit code %d", code)
		}
	},
}

// movesInList tests a key that moves in the list of commands, after another key, by the command that tab then completes.
func movesInList(before, chosen string) keyTest {
	return func(t *terminal, name string) {
		t.typeText("/compact")
		t.awaitText("❯ /compact")
		if before != "" {
			t.press(before)
		}
		t.press(name, "tab")
		t.typeText("|")
		t.awaitDraft(chosen + "|")
		t.clear()
	}
}

// stopReply stops a reply with a key, after calling meanwhile.
func (t *terminal) stopReply(meanwhile func(), name string) {
	t.t.Helper()
	t.sendMessage("go on")
	t.wait("reply", func(s screen) bool { return s.busy() && s.has("It goes on", "esc stops") })
	meanwhile()
	t.press(name)
	t.awaitIdle("■ stopped")
}

// cancelTwice presses the cancel key twice, with a draft and without.
func (t *terminal) cancelTwice(name string) {
	t.t.Helper()
	t.typeText("one")
	t.awaitDraft("one")
	t.press(name)
	t.awaitText("again to stash the draft")
	t.press(name)
	t.awaitText("draft stashed")
	t.press(name)
	t.awaitText("again to go back to an earlier message")
	t.press(name)
	t.awaitText("Go back to")
	t.press(name)
	t.awaitWithout("Go back to")
	t.press("ctrl+s")
	t.awaitDraft("one")
	t.clear()
}

func TestEveryKeyOfTheChatWorks(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, map[string]string{"README.md": "# Harbor\n"})
	p.env["EDITOR"] = filepath.Join(p.root, "editor")
	if err := os.WriteFile(p.env["EDITOR"], []byte("#!/bin/sh\nprintf ' edited' >> \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	endless := func(w *wire) {
		w.text("It goes on")
		w.hang()
	}
	s := newServer(t, replyNumber(1), endless, endless, endless)
	term, _ := p.openRecording(s, wide)

	keymap := tui.DefaultKeyMap()
	names := bindings(keymap.Screen)
	for field, keys := range bindings(keymap.Composer.Writing) {
		names[field] = keys
	}
	first, last := []string{"Send", "Older", "Newer"}, []string{"TakeBack", "Cancel", "Interrupt", "Suspend", "Quit"}
	order := slices.Clone(first)
	for field := range names {
		if acts[field] == nil {
			t.Errorf("the key %s has no test", field)
		} else if !slices.Contains(first, field) && !slices.Contains(last, field) {
			order = append(order, field)
		}
	}
	checkLineStarts(term)
	for _, field := range append(order, last...) {
		if len(names[field]) == 0 {
			t.Errorf("there is no key %s", field)
		}
		for _, name := range names[field] {
			acts[field](term, name)
		}
	}
	if n := len(acts); n != len(names) {
		t.Errorf("there are %d tests of keys, and %d keys", n, len(names))
	}
}

// checkLineStarts types @, ! and !! as the user does, and turns the mouse wheel.
func checkLineStarts(t *terminal) {
	t.t.Helper()
	t.typeText("see @READ")
	t.awaitText("README.md")
	t.press("tab")
	t.typeText("|")
	t.awaitDraft("see @README.md |")
	t.clear()
	t.typeText("!echo harbor")
	t.awaitText("run a command, add its output")
	t.press("enter")
	t.awaitIdle("▌ !echo harbor", "▌ harbor", "+ output, 1 line")
	t.typeText("!!echo port")
	t.awaitText("run, output not added")
	t.press("enter")
	t.awaitIdle("· !!echo port", "    port")
	t.mouse(wheelUp, 9, 9, false)
	t.awaitText("↓ more")
	for range 3 {
		t.mouse(wheelDown, 9, 9, false)
	}
	t.awaitWithout("↓ more")
}

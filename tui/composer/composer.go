package composer

import (
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/themes"
	"plimsoll/tui/edit"
)

const maxText = 10 // rows of text shown at once

// Options configure a composer.
type Options struct {
	Placeholder string // shown while there is no text
	Keys        *KeyMap
	Styles      themes.Styles
	Commands    []CommandSpec
	Estimate    func(conversation.Size) int // the tokens of a text of a size
}

// Model is the composer. It must not be shared between goroutines.
type Model struct {
	keys        KeyMap
	editing     edit.Keys // the keys that edit, from keys
	styles      themes.Styles
	placeholder string
	suggestions suggestions // offered while there is no text
	busy        bool
	aside       bool // keys go elsewhere

	box    box
	height int // of the screen
	top    int // the first visible row of the text

	text    *edit.Editor
	prompts *history
	files   *fileIndex
	list    completion
	search  search
	mouse   mouse
	vim     vim
	stashed edit.Draft // the stashed draft; empty if there is none

	drawn string // the last view; "" after a change
}

// New returns an empty composer.
func New(o Options) *Model {
	m := &Model{
		keys: *o.Keys, styles: o.Styles, placeholder: plain.Line(o.Placeholder),
		files: newFileIndex(nil), prompts: newHistory(nil),
	}
	m.editing = m.keys.Editing.Keys
	m.editing.Up, m.editing.Down = m.keys.Writing.Older, m.keys.Writing.Newer // with Shift they select
	m.text = edit.NewEditor(edit.NewBuffer(o.Estimate))
	m.list = completion{commands: o.Commands, files: m.files, closed: nowhere}
	m.search = search{text: m.text, prompts: m.prompts, keys: &m.keys}
	m.SetSize(80, 24)
	return m
}

// SetSize gives the width of the composer and the height of the screen, of
// which the composer takes a third at most.
func (m *Model) SetSize(width, height int) {
	m.box, m.height = box{max(width, 4)}, max(height, 1)
	m.text.SetWidth(m.box.inner() - 1)
	m.changed()
}

// SetStyles changes the styles.
func (m *Model) SetStyles(s themes.Styles) { m.styles = s; m.changed() }

// SetAside sets whether keys go elsewhere: then the border is faint.
func (m *Model) SetAside(aside bool) { m.aside = aside; m.changed() }

// SetBusy sets whether a turn is running. While it runs, Tab queues the draft, as Enter does.
func (m *Model) SetBusy(busy bool) { m.busy = busy }

// SetFiles replaces the files that can be mentioned, of which the first 20,000
// are offered. The slice must not change afterwards.
func (m *Model) SetFiles(list []File) {
	*m.files = *newFileIndex(list)
	m.list.refresh(m.text, files)
	m.changed()
}

// SetCommands replaces the slash commands.
func (m *Model) SetCommands(list []CommandSpec) {
	m.list.commands = list
	m.list.refresh(m.text, commands)
	m.changed()
}

// SetHistory sets the prompts of earlier runs, oldest first. Prompts sent from this
// composer follow them and are added automatically.
func (m *Model) SetHistory(prompts []string) {
	here := m.prompts.entries
	*m.prompts = *newHistory(prompts)
	for _, d := range here {
		m.prompts.add(d)
	}
	m.changed()
}

// Draft returns the text as it would be sent, with the full text of pastes.
func (m *Model) Draft() string { return m.text.Text() }

// DraftSize is the size of Draft, without building it.
func (m *Model) DraftSize() conversation.Size { return m.text.Size() }

// Message reports whether the draft would be sent as a message: it is not blank, a slash
// command or a shell line.
func (m *Model) Message() bool {
	for i := range m.text.Lines() {
		if text := strings.TrimRight(m.text.Line(i), " \t"); text != "" {
			_, _, isShell := shell(text)
			_, _, isCommand := slash(text)
			return !isShell && !isCommand && (text != "/" || m.text.Lines() > 1)
		}
	}
	return false
}

// Empty reports whether there is no text.
func (m *Model) Empty() bool { return m.text.Empty() }

// Mentioning reports whether a mention is being completed.
func (m *Model) Mentioning() bool { return m.list.kind == files }

// Commanding reports whether a slash command is being completed.
func (m *Model) Commanding() bool { return m.list.kind == commands }

// Completing reports whether the list of completions is open.
func (m *Model) Completing() bool { return m.list.open() }

// Mentions returns the files mentioned with @ in the draft, and the paths that are not files, each once, in the order of their
// mentions. Pastes are not searched.
func (m *Model) Mentions() (found []File, unknown []string) {
	seen := map[string]bool{}
	m.files.each(m.text, func(_ int, a mention) {
		switch {
		case seen[a.path]:
		case a.found:
			found = append(found, a.file)
		default:
			unknown = append(unknown, a.path)
		}
		seen[a.path] = true
	})
	return found, unknown
}

// Images returns the paths of images mentioned with @ in the draft, each once.
func (m *Model) Images() []string {
	var paths []string
	m.files.each(m.text, func(_ int, a mention) {
		if conversation.IsImage(a.path) && !slices.Contains(paths, a.path) {
			paths = append(paths, a.path)
		}
	})
	return paths
}

// SetText replaces the draft and moves the cursor to its end. A large text is folded.
func (m *Model) SetText(text string) {
	m.replace(func() {
		m.search.stop()
		m.text.Reset()
		m.text.Enter(text)
	})
}

// Prepend puts a returned message before the draft, with a blank line between. Pastes
// that were folded when it was sent are folded again.
func (m *Model) Prepend(text string) {
	d := m.prompts.sent(text)
	m.replace(func() {
		if m.text.Empty() {
			m.search.stop()
			m.text.Restore(d)
			return
		}
		at, before := m.text.At(), m.text.Lines()
		m.text.MoveTo(edit.Position{})
		m.text.Insert("\n\n")
		m.text.MoveTo(edit.Position{})
		m.text.InsertDraft(d)
		at.Line += m.text.Lines() - before
		m.text.MoveTo(at)
	})
}

// Clear empties the composer. The draft becomes the newest prompt of the history, so
// that Up restores it.
func (m *Model) Clear() {
	m.replace(func() {
		m.search.stop()
		if !m.text.Empty() {
			m.prompts.add(m.text.Draft())
			m.text.Reset()
		}
	})
}

// replace applies a change of the draft by the parent, as one undo step.
func (m *Model) replace(change func()) {
	m.list.hide()
	m.text.Do(edit.Other, change)
	m.changed()
}

// AddPrompt adds a text to the history as the newest prompt, unless it is a recent prompt already. The draft stays.
func (m *Model) AddPrompt(text string) { m.prompts.keep(edit.Clean(text)) }

// changed makes the next View draw again and scrolls to the cursor.
func (m *Model) changed() {
	m.drawn = ""
	m.onCharacter()
	if m.text.Empty() {
		m.list.closed = nowhere
	}
	y, _ := m.text.Cursor()
	rows := m.textRows()
	m.top = min(m.top, y, max(0, m.text.Height()-rows))
	m.top = max(m.top, y-rows+1)
	visible := m.list.rows(m.height)
	m.list.top = max(min(m.list.top, m.list.sel, len(m.list.items)-visible), m.list.sel-visible+1, 0)
}

func (m *Model) textRows() int {
	rows := min(maxText, m.height/3-2)
	if m.search.on {
		rows--
	}
	return min(m.text.Height(), max(rows, 1))
}

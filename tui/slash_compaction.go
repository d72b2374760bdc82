package tui

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/compact"
	"plimsoll/conversation/plain"
	"plimsoll/tui/overlay"
)

// The slash commands about compaction. They take the flags of the command line.

// defaultProfile is the setting that /profile changes.
const defaultProfile = "compaction.default_profile"

// uncompactable is why the conversation cannot be compacted, "" if it can.
func (m *Model) uncompactable() string {
	switch {
	case m.unchangeable() != "":
		return m.unchangeable()
	case !m.transcript.Said():
		return "nothing was said yet: there is nothing to compact"
	}
	return ""
}

func (m *Model) slashCompact(args string) tea.Cmd { return m.compactBy(args, "") }

// slashSummarize compacts with a summary, unless a profile is named.
func (m *Model) slashSummarize(args string) tea.Cmd { return m.compactBy(args, compact.ProfileHeavy) }

// compactBy does what was typed behind the command; profile is the one to use
// if none is named there, "" the default one.
func (m *Model) compactBy(args, profile string) tea.Cmd {
	wish, deed, err := compact.ParseWish(args)
	if err != nil {
		return m.say(err.Error(), true)
	}
	if wish.Profile == "" {
		wish.Profile = profile
	}
	switch deed {
	case compact.DeedPreview:
		return m.preview(wish)
	case compact.DeedUndo:
		return m.undoCompaction(0)
	case compact.DeedRedo:
		return m.slashRedoCompact("")
	}
	if why := m.uncompactable(); why != "" {
		return m.say(why, true)
	}
	m.talk.Session.Compact(wish)
	return m.later("compacts")
}

// later says what waits for the turn, nothing if no turn runs.
func (m *Model) later(what string) tea.Cmd {
	if !m.turnRuns() {
		return nil
	}
	return m.say(what+" before the next request", false)
}

// slashUndoCompact takes a compaction back, by the number its line says.
func (m *Model) slashUndoCompact(args string) tea.Cmd {
	if args == "" {
		return m.undoCompaction(0)
	}
	epoch, err := strconv.ParseUint(args, 10, 64)
	if err != nil || epoch == 0 {
		return m.say("write the number of a compaction behind it, as its line has it, or nothing for the newest", true)
	}
	return m.undoCompaction(epoch)
}

// undoCompaction takes a compaction back, 0 for the newest in force.
func (m *Model) undoCompaction(epoch uint64) tea.Cmd {
	if why := m.uncompactable(); why != "" {
		return m.say(why, true)
	}
	m.talk.Session.UndoCompaction(epoch)
	return m.later("takes the compaction back")
}

func (m *Model) slashRedoCompact(string) tea.Cmd {
	if why := m.uncompactable(); why != "" {
		return m.say(why, true)
	}
	m.talk.Session.RedoCompaction()
	return m.later("brings the compaction back")
}

// slashFork continues a copy, compacted first if --compact says so.
func (m *Model) slashFork(args string) tea.Cmd {
	with, ok := forkProfile(args)
	if !ok {
		return m.say("write /fork, /fork --compact or /fork --compact=PROFILE", true)
	}
	host := m.options.Backend
	return m.enter(func(ctx context.Context) (Conversation, error) { return host.Fork(ctx, with) })
}

// forkProfile reads what stands behind /fork.
func forkProfile(args string) (with string, ok bool) {
	if args == "" {
		return "", true
	}
	flag, name, named := strings.Cut(strings.Join(strings.Fields(args), "="), "=")
	switch {
	case flag != "--compact" || strings.Contains(name, "=") || named && name == "":
		return "", false
	case !named:
		return CompactByDefault, true
	}
	return name, true
}

// slashProfile shows the profiles, or chooses the one for compactions that name
// none.
func (m *Model) slashProfile(args string) tea.Cmd {
	if why := m.unchangeable(); why != "" {
		return m.say(why, true)
	}
	if args != "" {
		return m.setProfile(args)
	}
	items := make([]overlay.Item, len(m.talk.Profiles))
	for i, p := range m.talk.Profiles {
		items[i] = overlay.Item{ID: p.Name, Title: p.Name, Detail: p.Note, Current: p.Name == m.talk.Profile}
	}
	m.pick(overlay.PickerOptions{ID: dialogProfiles, Title: "Profile", Items: items, Empty: "there are no profiles"})
	return nil
}

// unchangeable is why settings of the conversation cannot be changed, "" if
// they can.
func (m *Model) unchangeable() string {
	switch {
	case m.door.busy:
		return "a conversation is still being opened"
	case !m.talk.open:
		return m.refusal()
	}
	return m.talk.ReadOnly
}

// setProfile chooses the profile for compactions that name none.
func (m *Model) setProfile(name string) tea.Cmd {
	names := make([]string, len(m.talk.Profiles))
	for i, p := range m.talk.Profiles {
		if p.Name == name {
			m.talk.Profile = name
			m.talk.Session.SetProfile(name)
			return m.say("compaction by default: "+plain.Line(name+" · "+p.Note), false)
		}
		names[i] = p.Name
	}
	return m.say(fmt.Sprintf("there is no profile %q; there are %s", name, strings.Join(names, ", ")), true)
}

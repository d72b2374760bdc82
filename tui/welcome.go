package tui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
)

// welcome is what a conversation shows in which nothing was said yet: what this
// is, which model it talks to, and three things to try. Where there is little
// height it is brief: what the demo model is can be asked of it.
func (m *Model) welcome(brief bool) []string {
	st := m.look.status()
	lines := []string{""}
	say := func(style lipgloss.Style, text string) {
		for l := range strings.SplitSeq(ansi.Wrap(text, max(1, m.screen.width-4), ""), "\n") {
			lines = append(lines, "  "+style.Render(l))
		}
	}
	try := func(text, remark string) {
		if remark != "" && ansi.StringWidth("  › "+text+remark) <= m.screen.width {
			text += remark
		}
		lines = append(lines, "  "+st.accent.Render("›")+" "+text)
	}
	switch {
	case !m.talk.open && m.talk.failed != "":
		say(st.failure, plain.Text(m.talk.failed))
		lines = append(lines, "")
		say(st.subtle, "/new tries again, /resume continues another conversation, /connect shows how to reach a model.")
	case !m.talk.open:
		say(st.subtle, "opening…")
	case m.talk.Model.Badge != "":
		say(st.title, "This is the demo model: "+plain.Line(m.talk.Model.Badge)+".")
		if brief {
			lines = lines[1:]
		} else {
			say(lipgloss.NewStyle(), "A small rule program that is built in, so that everything here can be tried without a key: it really reads and changes your files, with your approval.")
			lines = append(lines, "")
			say(lipgloss.NewStyle(), "Try:")
		}
		try("what is in this project?", "")
		try("fill the gauge", "   (past ▲ room is made by itself)")
		try("/undo-compact", "   (takes that back"+m.undoKey()+")")
		if brief {
			say(st.subtle, "/connect shows other models.")
		} else {
			lines = append(lines, "")
			say(st.subtle, "/connect shows how to talk to a real model.")
		}
	default:
		say(st.title, "Talking to "+plain.Line(m.talk.Model.Name())+".")
		say(st.subtle, "The gauge below shows how full its context window is, and moves while you type.")
	}
	lines = append(lines, "")
	for i, l := range lines {
		if ansi.StringWidth(l) > m.screen.width {
			lines[i] = ansi.Truncate(l, m.screen.width, "")
		}
	}
	return lines
}

// undoKey tells the key that takes a compaction back, if there is one.
func (m *Model) undoKey() string {
	if undo := m.options.Keys.Screen.UndoCompaction; undo.Enabled() {
		return ", as " + undo.Help().Key + " does"
	}
	return ""
}

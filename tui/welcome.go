package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
)

// welcome is what an empty conversation shows: what this is, which model it
// talks to, and three things to try.
func (m *Model) welcome(height int) string {
	st := m.look.status()
	var lines []string
	say := func(text string) {
		for _, l := range strings.Split(ansi.Wrap(text, max(10, m.width-4), ""), "\n") {
			lines = append(lines, "  "+l)
		}
	}
	lines = append(lines, "")
	switch {
	case !m.talk.open && len(m.talk.Notes) > 0:
		say(st.failure.Render(plain.Line(m.talk.Notes[0])))
	case !m.talk.open:
		say(st.subtle.Render("opening…"))
	case m.talk.Model.Badge != "":
		say(st.title.Render("This is the demo model: " + m.talk.Model.Badge + "."))
		say("A small rule program that is built in, so that everything here can be tried without a key: it really reads and changes your files, with your approval.")
		lines = append(lines, "")
		say("Try:")
		say(st.accent.Render("›") + " what is in this project?")
		say(st.accent.Render("›") + " find TODO")
		say(st.accent.Render("›") + " write 600 words   (and watch the gauge below)")
		lines = append(lines, "")
		say(st.subtle.Render("/connect shows how to talk to a real model."))
	default:
		say(st.title.Render("Talking to " + plain.Line(m.talk.Model.Name()) + "."))
		say(st.subtle.Render("The gauge below shows how full its context window is, and moves while you type."))
	}
	for len(lines) < height {
		lines = append(lines, "")
	}
	return strings.Join(lines[:height], "\n")
}

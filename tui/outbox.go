package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
)

// What the user says is handed over in the order it was said: a message whose
// files are still being read holds back those behind it, and one that is sent
// while a conversation opens waits for it. What cannot be handed over comes
// back to the composer; nothing that was typed gets lost.

// waiting is a message that waits, as it is shown.
type waiting struct {
	text  string
	label string // its beginning, safe
	size  conversation.Size
}

// labelBytes is how much of a message is looked at to show it on a line.
const labelBytes = 1000

func newWaiting(text string) waiting {
	return waiting{text: text, label: plain.Line(text[:min(len(text), labelBytes)]), size: conversation.Measure(text)}
}

// typed is a message as it was typed, without the files that were sent with
// it: sent again, it would bring them again. Of one that is in the log, what only
// looks like a file was typed, too: a file that was sent is mentioned.
func (m *Model) typed(sent string) string {
	if text, ok := m.talk.sent[sent]; ok {
		return text
	}
	if command, _, ok := conversation.RanIn(sent); ok {
		return "!" + command
	}
	said, files := conversation.Detach(sent)
	pasted := slices.ContainsFunc(files, func(f conversation.AttachedFile) bool {
		return !strings.Contains(said, "@"+f.Path) && !strings.Contains(said, `@"`+f.Path)
	})
	if pasted {
		return sent
	}
	return said
}

// outgoing is a message on its way.
type outgoing struct {
	waiting
	named []File    // that it mentions
	asked bool      // the files are being read
	ready bool      // they are part of files
	files string    // what is sent behind the text
	ran   string    // the output of a command, which is added and asks for no reply; "" for a message
	line  typedLine // the command
}

// refusal is why nothing can be said, "" if it can.
func (m *Model) refusal() string {
	if !m.talk.open && m.talk.failed != "" {
		return "no conversation is open; /new begins one, /resume continues one"
	}
	if m.door.busy {
		return ""
	}
	return m.talk.ReadOnly
}

// submit sends a message, with the text of the files it mentions. What seems to be a
// file and is none as far as is known is looked for, too: it may be new or ignored. If
// one cannot be read the message comes back, and is sent without it when it is sent
// again as it is.
func (m *Model) submit(text string, named []File, unknown []string) tea.Cmd {
	for _, path := range unknown {
		named = append(named, File{Path: path})
	}
	if text == m.hands.plain.text {
		named = slices.DeleteFunc(named, func(f File) bool { return slices.Contains(m.hands.plain.paths, f.Path) })
	}
	return m.hand(&outgoing{waiting: newWaiting(text), named: named, ready: len(named) == 0})
}

// plainMentions is a message that came back, and what of it cannot be read.
type plainMentions struct {
	text  string
	paths []string
}

// unread says why a message came back.
func (m *Model) unread(text string, err error) tea.Cmd {
	var which *MentionError
	if !errors.As(err, &which) || m.ctx.Err() != nil {
		return m.miss(err)
	}
	if m.hands.plain.text != text {
		m.hands.plain = plainMentions{text: text}
	}
	m.hands.plain.paths = append(m.hands.plain.paths, which.Path)
	again := m.options.Keys.Composer.Writing.Send.Help().Key
	return m.miss(fmt.Errorf("%w · %s again sends it as plain text", err, again))
}

// hand hands something over when its turn comes.
func (m *Model) hand(o *outgoing) tea.Cmd {
	if why := m.refusal(); why != "" {
		m.comesBack(o)
		return m.say(why, true)
	}
	m.outbox = append(m.outbox, o)
	if o.ran != "" {
		return m.flush()
	}
	return tea.Batch(m.remember(o.text), m.flush()) // a kill before it is handed over must not lose it
}

// flush hands over what is ready.
func (m *Model) flush() tea.Cmd {
	if !m.talk.open || m.door.busy {
		return nil
	}
	if why := m.refusal(); why != "" && len(m.outbox) > 0 {
		m.giveBack()
		return m.say(why, true)
	}
	var cmds []tea.Cmd
	for _, o := range m.outbox {
		if !o.ready && !o.asked {
			o.asked = true
			cmds = append(cmds, m.attach(o))
		}
	}
	for len(m.outbox) > 0 && m.outbox[0].ready {
		o := m.outbox[0]
		m.outbox = m.outbox[1:]
		if o.ran != "" {
			m.talk.Session.Add(o.ran)
			m.transcript.ToEnd()
			continue
		}
		if o.files != "" {
			m.talk.sent[o.text+o.files] = o.text
		}
		m.talk.Session.Send(o.text + o.files)
		m.transcript.ToEnd()
	}
	return tea.Batch(cmds...)
}

// attached has the files of a message, if it still waits for them.
func (m *Model) attached(msg attachedMsg) tea.Cmd {
	i := slices.Index(m.outbox, msg.to)
	if i < 0 {
		return nil // it was given back
	}
	if msg.err != nil {
		m.outbox = slices.Delete(m.outbox, i, i+1)
		m.composer.Prepend(msg.to.text)
		return tea.Batch(m.unread(msg.to.text, msg.err), m.flush())
	}
	msg.to.files, msg.to.ready = msg.files, true
	return m.flush()
}

// giveBack returns what was not handed over to the composer.
func (m *Model) giveBack() {
	back := m.outbox
	m.outbox = nil
	for _, o := range slices.Backward(back) {
		m.comesBack(o)
	}
}

// comesBack puts what was not handed over before the draft. A command never becomes
// part of a message.
func (m *Model) comesBack(o *outgoing) {
	if o.ran != "" {
		m.leave(o.line)
		return
	}
	m.composer.Prepend(o.text)
}

// setQueued takes over which messages wait for the running turn.
func (m *Model) setQueued(texts []string) {
	m.status.queued = nil
	for _, text := range texts {
		w := newWaiting(m.typed(text))
		w.size = conversation.Measure(text)
		m.status.queued = append(m.status.queued, w)
	}
}

// recovered puts messages that waited when the program last ended before the
// draft, as they were typed.
func (m *Model) recovered(texts []string) {
	m.returned(texts)
	if len(texts) > 0 {
		m.transcript.Note("what waited to be sent when Plimsoll ended is back in the composer")
	}
}

// returned puts messages that come back before the draft. A command whose output was
// to be added comes where nothing else is written.
func (m *Model) returned(texts []string) {
	var lines []string
	for _, text := range slices.Backward(texts) {
		if _, _, ran := conversation.RanIn(text); ran {
			lines = append(lines, m.typed(text))
			continue
		}
		m.composer.Prepend(m.typed(text))
	}
	for _, line := range lines {
		m.leave(typedLine{line, m.hands.pressed})
	}
}

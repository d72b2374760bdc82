package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent"
	"plimsoll/tui/overlay"
)

// No key is lost: nothing that opens by itself takes the keyboard. What asks the
// user for an answer opens once nothing was written for a while, and gives a key
// back that comes before it can have been read. What was asked for and took its
// time opens where nothing was typed since; otherwise it goes into the transcript,
// folded, or a passing word says that it is there.

// hands is what the user's hands do.
type hands struct {
	pressed  int       // keys with text so far, pastes among them
	wrote    time.Time // when one last wrote into a text that is not sent yet
	plain    plainMentions
	listed   time.Time // when the files that can be mentioned were last asked for
	answered time.Time // when one last closed a dialog
	awaited  bool      // a pausedMsg is on its way
	quitSeq  int       // the passing word in whose time a second ctrl+c quits, 0 without one
	backSeq  int       // the one in whose time a second esc goes back, 0 without one
}

// unasked stands for the key of what goes into the transcript also where no other
// was pressed since.
const unasked = -1

// wroteIn notes whether a key wrote into a text that is not sent yet.
func (h *hands) wroteIn(wrote bool, now time.Time) {
	h.wrote = time.Time{}
	if wrote {
		h.wrote = now
	}
}

// writes reports whether a key or a paste has text.
func writes(msg tea.Msg) bool {
	k, key := msg.(tea.KeyPressMsg)
	return !key || k.Text != ""
}

// still reports whether what a key asked for may open by now: nothing was typed
// since, and nothing is being written.
func (m *Model) still(asked int) bool {
	return asked == m.hands.pressed && m.overlays.Len() == 0 && m.composer.Empty()
}

// questionsWait reports whether a question is not in sight yet.
func (m *Model) questionsWait() bool {
	for _, q := range m.questions {
		if !q.open {
			return true
		}
	}
	return false
}

// openQuestions opens the dialogs that calls wait for, once the user pauses.
func (m *Model) openQuestions() tea.Cmd {
	if !m.questionsWait() {
		return nil
	}
	now := m.options.Now()
	if left := m.hands.wrote.Add(overlay.Calm).Sub(now); left > 0 {
		if m.hands.awaited {
			return nil
		}
		m.hands.awaited = true
		return pauseOver(left)
	}
	m.transcript.ClearSelection()
	for i := range m.questions {
		if q := &m.questions[i]; !q.open {
			q.open = true
			m.overlays.Push(q.dialog, now)
		}
	}
	return nil
}

// putOff takes the dialog of a call away until the user pauses. It reports false
// for another dialog.
func (m *Model) putOff(d overlay.Dialog) bool {
	for i := range m.questions {
		if q := &m.questions[i]; q.dialog == d {
			q.open = false
			m.overlays.Remove(d, m.options.Now())
			return true
		}
	}
	return false
}

// kept says that a text is in the transcript, where a view hides that.
func (m *Model) kept(title, text string) tea.Cmd {
	away := m.away()
	m.transcript.Output(title, text)
	if away {
		return m.say(title+": it is in the conversation", false)
	}
	return nil
}

// question is the dialog that a call waits for.
type question struct {
	callID string
	dialog overlay.Dialog
	open   bool
}

// asks opens the dialog that a call needs, once the user pauses.
func (m *Model) asks(u agent.AskApproval) tea.Cmd {
	m.questions = append(m.questions, question{callID: u.Call.ID, dialog: dialogOf(u)})
	return m.openQuestions()
}

package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"

	"plimsoll/agent"
	"plimsoll/compact"
	"plimsoll/conversation"
	"plimsoll/tui/composer"
	"plimsoll/tui/overlay"
)

// Messages that commands bring back. Those about a conversation carry which
// one, because it may have been left meanwhile.

// openedMsg says that a conversation is open, or why none is.
type openedMsg struct {
	conversation Conversation
	err          error
}

// updatesMsg is all that happened in a conversation since the last one. ended
// says that nothing more will come.
type updatesMsg struct {
	from  Session
	list  []agent.Update
	ended bool
}

// tickMsg moves spinners and seconds while something goes on.
type tickMsg time.Time

func (t tickMsg) time() time.Time { return time.Time(t) }

// noticeOverMsg ends a notice, unless a newer one stands there.
type noticeOverMsg struct{ seq int }

// filesMsg brings the files that can be mentioned.
type filesMsg struct{ files []composer.File }

// promptsMsg brings what was sent before, oldest first.
type promptsMsg struct{ texts []string }

// pausedMsg says that a while has passed in which the user may have paused.
type pausedMsg struct{}

// What was asked for with a key says which key that was, by keyboard.pressed: who
// typed since does something else now.

// modelsMsg brings the models that can be switched to.
type modelsMsg struct {
	asked   int
	choices []ModelChoice
	err     error
}

// conversationsMsg brings the stored conversations, newest first.
type conversationsMsg struct {
	asked int
	list  []Stored
	err   error
}

// pageMsg brings a page of text.
type pageMsg struct {
	asked       int
	title, text string
	err         error
}

// rulesMsg brings the rules in force.
type rulesMsg struct {
	asked int
	rules []conversation.Rule
	err   error // some could not be read
}

// revokedMsg says that a rule was revoked, or why not.
type revokedMsg struct {
	rule conversation.Rule
	err  error
}

// judgedMsg brings what edited rules let run.
type judgedMsg struct {
	dialog *overlay.Approve
	rules  []string
	offer  conversation.Offer
	err    error
}

// shellMsg brings the output of a command of the user's own.
type shellMsg struct {
	run    *shellRun
	output string
	err    error
}

// editorMsg brings an editor that is ready to take the terminal, and how to
// read what was written.
type editorMsg struct {
	run  tea.ExecCommand
	read func() (string, error)
	err  error
	done func(text string, err error) tea.Msg // what to make of it, nil for a draft
}

// attachedMsg brings the text of the files a message mentions.
type attachedMsg struct {
	to    *outgoing
	files string
	err   error
}

// editedMsg brings a draft back from the external editor.
type editedMsg struct {
	text string
	err  error
}

// requestMsg brings a request of the past.
type requestMsg struct {
	id  string // of the conversation
	got compact.Rebuilt
	err error
}

// fullMsg brings the full text of a result.
type fullMsg struct {
	id    string
	event uint64
	text  string
	err   error
}

// copyMsg brings the full text of a result for the clipboard.
type copyMsg struct {
	fullMsg
	cut string // in its place where it cannot be read
}

// switchedMsg says why requests do not go to another model, nil if they do.
type switchedMsg struct{ err error }

// failedMsg is a message that says of a command that it failed.
type failedMsg struct {
	line typedLine
	of   tea.Msg
}

// failing is a message that may say that what was asked for failed.
type failing interface{ failure() error }

func (m openedMsg) failure() error        { return m.err }
func (m modelsMsg) failure() error        { return m.err }
func (m conversationsMsg) failure() error { return m.err }
func (m pageMsg) failure() error          { return m.err }
func (m editorMsg) failure() error        { return m.err }
func (m switchedMsg) failure() error      { return m.err }

// doneMsg ends something that has nothing to show but its failure.
type doneMsg struct{ err error }

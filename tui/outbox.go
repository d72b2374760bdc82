package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/composer"
	"plimsoll/tui/pane"
)

// Messages are passed to the session in the order in which the user sent them: a message
// whose files are still being read delays the messages after it, and a message sent while
// a conversation opens or the model changes waits for it. A message that cannot be passed on returns to the
// composer, so that no typed text is lost.

// outbox holds the messages between composer and session.
type outbox struct {
	env       *env
	session   *session
	composer  *composer.Model
	keyboard  *keyboard
	afterSend func() // is called after a message was passed to the session

	modelChanges    int               // changes of the model under way, which messages wait for
	unsent          []*outgoing       // not passed to the session yet, oldest first
	queued          []waitingMessage  // passed to the session, waiting for the running turn
	typedAs         map[string]string // typed text of messages with files that are not in the log yet, by the sent text
	unreadableFiles unreadableFiles
}

type waitingMessage struct {
	text  string
	label string // its beginning, sanitised
	size  conversation.Size
}

// labelBytes is how many bytes of a message are used for its label.
const labelBytes = 1000

func newWaiting(text string) waitingMessage {
	return waitingMessage{text: text, label: plain.Line(text[:min(len(text), labelBytes)]), size: conversation.Measure(text)}
}

// outgoing is a message that is not passed to the session yet.
type outgoing struct {
	waitingMessage
	mentions     []File         // files that it mentions
	readStarted  bool           // the files are being read
	ready        bool           // all files are read
	attachedText string         // the attached text of the files
	commandText  string         // the output of a command, which is added without requesting a reply; "" for a message
	line         typedLine      // the command
	own          *ownCommandRun // the command of the user's own that makes the message; nil for others

	ranIn, rawOutput string // conversation in which the command ran ("": the one that opens next), and its output
}

// unreadableFiles is a message that returned to the composer, with the mentioned files that cannot be read.
type unreadableFiles struct {
	text  string
	paths []string
}

// newMessage returns a message with the files that it mentions. Unknown paths are read, too,
// because they may be new or ignored files. If a file cannot be read the message returns
// to the composer; sent again unchanged, it is sent without that file.
func (o *outbox) newMessage(text string, named []File, unknown []string) *outgoing {
	for _, path := range unknown {
		named = append(named, File{Path: path})
	}
	if text == o.unreadableFiles.text {
		named = slices.DeleteFunc(named, func(f File) bool { return slices.Contains(o.unreadableFiles.paths, f.Path) })
	}
	return &outgoing{waitingMessage: newWaiting(text), mentions: named, ready: len(named) == 0}
}

// sentText is the message as it is passed to the session.
func (msg *outgoing) sentText() string {
	if msg.own != nil {
		return msg.own.message
	}
	return msg.text + msg.attachedText
}

// takeReady removes and returns the oldest message if it is ready, or returns nil.
func (o *outbox) takeReady() *outgoing {
	if len(o.unsent) == 0 || !o.unsent[0].ready {
		return nil
	}
	msg := o.unsent[0]
	o.unsent = o.unsent[1:]
	if sent := msg.sentText(); sent != msg.text {
		if o.typedAs == nil {
			o.typedAs = map[string]string{}
		}
		o.typedAs[sent] = msg.text
	}
	return msg
}

// removeUnsent removes a message; false if it is not waiting any more.
func (o *outbox) removeUnsent(msg *outgoing) bool {
	i := slices.Index(o.unsent, msg)
	if i < 0 {
		return false
	}
	o.unsent = slices.Delete(o.unsent, i, i+1)
	return true
}

// typedText returns a sent message as it was typed, without attached files, which
// would be attached again. In a message from the log, text that looks like an attached
// file but is not mentioned with @ was typed, too.
func (o *outbox) typedText(sent string) string {
	if text, ok := o.typedAs[sent]; ok {
		return text
	}
	if command, _, ok := conversation.ParseCommandOutput(sent); ok {
		return "!" + command
	}
	sent, _ = conversation.CutImages(sent)
	said, files := conversation.SplitAttachments(sent)
	pasted := slices.ContainsFunc(files, func(f conversation.AttachedFile) bool {
		return !strings.Contains(said, "@"+f.Path) && !strings.Contains(said, `@"`+f.Path)
	})
	if pasted {
		return sent
	}
	return said
}

// typedLabel returns a sent message as it was typed, on one line.
func (o *outbox) typedLabel(sent string) string { return newWaiting(o.typedText(sent)).label }

// setQueued sets which messages wait for the running turn.
func (o *outbox) setQueued(texts []string) {
	o.queued = nil
	for _, text := range texts {
		waiting := newWaiting(o.typedText(text))
		waiting.size = conversation.MeasureMessage(text)
		o.queued = append(o.queued, waiting)
	}
}

func (o *outbox) takeQueued() (texts []string) {
	for _, waiting := range o.queued {
		texts = append(texts, waiting.text)
	}
	o.queued = nil
	return texts
}

// waitingMessages returns all waiting messages, oldest first.
func (o *outbox) waitingMessages() []waitingMessage {
	all := o.queued[:len(o.queued):len(o.queued)]
	for _, msg := range o.unsent {
		all = append(all, msg.waitingMessage)
	}
	return all
}

// send passes a message to the session after the messages before it.
func (o *outbox) send(msg *outgoing) pane.Action {
	if why := o.session.unsendable(); why != nil {
		o.returnToComposer(msg)
		return why
	}
	o.unsent = append(o.unsent, msg)
	if msg.commandText != "" {
		return o.flush()
	}
	return actionList{o.env.rememberPrompt(msg.text), o.flush()} // so that a crash before it is passed on does not lose it
}

// flush passes on the messages that are ready.
func (o *outbox) flush() pane.Action {
	s := o.session
	if !s.isOpen || s.isOpening || o.modelChanges > 0 {
		return nil
	}
	var reads actionList
	o.unsent = slices.DeleteFunc(o.unsent, func(msg *outgoing) bool {
		strays := msg.ranIn != "" && msg.ranIn != s.ID
		if strays {
			reads = append(reads, output{msg.text, msg.rawOutput})
		}
		return strays
	})
	if why := s.whyNotSendable(); why != "" && len(o.unsent) > 0 {
		o.returnUnsent()
		return append(reads, refusal(why))
	}
	for _, msg := range o.unsent {
		if msg.ready || msg.readStarted {
			continue
		}
		msg.readStarted = true
		if msg.own != nil {
			reads = append(reads, o.makeMessage(msg))
		} else {
			reads = append(reads, o.readFiles(msg))
		}
	}
	for msg := o.takeReady(); msg != nil; msg = o.takeReady() {
		if msg.commandText != "" {
			s.Session.Add(msg.commandText)
		} else {
			s.Session.Send(msg.sentText())
		}
		o.afterSend()
	}
	return reads
}

// modelChanged passes on what waited for a change of the model. If the change failed, or needs the user's consent, the
// messages return to the composer: they were meant for the other model.
func (o *outbox) modelChanged(err error) pane.Action {
	if o.modelChanges > 0 {
		return nil
	}
	if err != nil {
		o.returnUnsent()
	}
	return o.flush()
}

// filesRead handles the files of a message, if it still waits for them.
func (o *outbox) filesRead(msg *outgoing, files string, err error) pane.Action {
	if !slices.Contains(o.unsent, msg) {
		return nil // it was returned to the composer
	}
	if err != nil {
		o.removeUnsent(msg)
		o.composer.Prepend(msg.text)
		return actionList{o.attachFailed(msg.text, err), o.flush()}
	}
	msg.attachedText, msg.ready = files, true
	return o.flush()
}

// attachFailed shows why a message was returned.
func (o *outbox) attachFailed(text string, err error) pane.Action {
	var which *MentionError
	if !errors.As(err, &which) || o.env.ctx.Err() != nil {
		return requestFailed{err}
	}
	if o.unreadableFiles.text != text {
		o.unreadableFiles = unreadableFiles{text: text}
	}
	o.unreadableFiles.paths = append(o.unreadableFiles.paths, which.Path)
	again := o.env.Keys.Composer.Writing.Send.Help().Key
	return requestFailed{fmt.Errorf("%w · %s again sends it as plain text", err, again)}
}

// returnUnsent returns the messages that were not passed on to the composer.
func (o *outbox) returnUnsent() {
	all := o.unsent
	o.unsent = nil
	for _, msg := range slices.Backward(all) {
		o.returnToComposer(msg)
	}
}

// returnToComposer puts a message before the draft. The line of a command is only put into
// an empty composer, so that it never becomes part of a message.
func (o *outbox) returnToComposer(msg *outgoing) {
	msg.own.stop()
	if msg.commandText != "" || msg.own != nil {
		o.returnLine(msg.line)
		return
	}
	o.composer.Prepend(msg.text)
}

// returnToDraft puts messages that the session returned before the draft. Lines of commands
// are only put into an empty composer.
func (o *outbox) returnToDraft(texts []string) {
	var lines []string
	for _, text := range slices.Backward(texts) {
		if _, _, ran := conversation.ParseCommandOutput(text); ran {
			lines = append(lines, o.typedText(text))
			continue
		}
		o.composer.Prepend(o.typedText(text))
	}
	for _, line := range lines {
		o.returnLine(typedLine{line, o.keyboard.textKeys})
	}
}

// typedLine is a command as it was typed.
type typedLine struct {
	text     string
	textKeys int // keyboard.textKeys when it was sent
}

// returnLine puts a line into the composer if that is empty and no key was pressed since.
// Otherwise the user may be typing, and it is added to the prompt history.
func (o *outbox) returnLine(line typedLine) {
	if o.composer.Empty() && line.textKeys == o.keyboard.textKeys {
		o.composer.SetText(line.text)
		return
	}
	o.composer.AddPrompt(line.text)
}

func (o *outbox) readFiles(msg *outgoing) tea.Cmd {
	ctx, b := o.env.ctx, o.env.Backend
	paths := make([]string, len(msg.mentions))
	for i, f := range msg.mentions {
		paths[i] = f.Path
	}
	return doAsync(func() (string, error) { return b.Attach(ctx, paths) }, func(files string, err error) pane.Action {
		return o.filesRead(msg, files, err)
	})
}

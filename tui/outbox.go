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
// a conversation opens waits for it. A message that cannot be passed on returns to the
// composer, so that no typed text is lost.

// outbox holds the messages between composer and session.
type outbox struct {
	env      *env
	session  *session
	composer *composer.Model
	keyboard *keyboard
	sent     func() // is called after a message was passed to the session

	sending []*outgoing       // not passed to the session yet, oldest first
	queued  []waiting         // passed to the session, waiting for the running turn
	typedAs map[string]string // typed text of messages with files that are not in the log yet, by the sent text
	plain   plainMentions
}

// waiting is a waiting message as it is shown.
type waiting struct {
	text  string
	label string // its beginning, sanitised
	size  conversation.Size
}

// labelBytes is how many bytes of a message are used for its label.
const labelBytes = 1000

func newWaiting(text string) waiting {
	return waiting{text: text, label: plain.Line(text[:min(len(text), labelBytes)]), size: conversation.Measure(text)}
}

// outgoing is a message that is not passed to the session yet.
type outgoing struct {
	waiting
	named []File    // files that it mentions
	asked bool      // the files are being read
	ready bool      // all files are read
	files string    // the attached text of the files
	ran   string    // the output of a command, which is added without requesting a reply; "" for a message
	line  typedLine // the command

	in, output string // conversation in which the command ran ("": the one that opens next), and its output
}

// plainMentions is a returned message with the mentioned files that cannot be read.
type plainMentions struct {
	text  string
	paths []string
}

// message returns a message with the files that it mentions. Unknown paths are read, too,
// because they may be new or ignored files. If a file cannot be read the message returns
// to the composer; sent again unchanged, it is sent without that file.
func (o *outbox) message(text string, named []File, unknown []string) *outgoing {
	for _, path := range unknown {
		named = append(named, File{Path: path})
	}
	if text == o.plain.text {
		named = slices.DeleteFunc(named, func(f File) bool { return slices.Contains(o.plain.paths, f.Path) })
	}
	return &outgoing{waiting: newWaiting(text), named: named, ready: len(named) == 0}
}

// unreadable records that a mentioned file cannot be read.
func (o *outbox) unreadable(text, path string) {
	if o.plain.text != text {
		o.plain = plainMentions{text: text}
	}
	o.plain.paths = append(o.plain.paths, path)
}

// unread returns the messages whose files must be read now.
func (o *outbox) unread() (list []*outgoing) {
	for _, one := range o.sending {
		if !one.ready && !one.asked {
			one.asked = true
			list = append(list, one)
		}
	}
	return list
}

// next removes and returns the oldest message if it is ready, or returns nil.
func (o *outbox) next() *outgoing {
	if len(o.sending) == 0 || !o.sending[0].ready {
		return nil
	}
	one := o.sending[0]
	o.sending = o.sending[1:]
	if one.files != "" {
		if o.typedAs == nil {
			o.typedAs = map[string]string{}
		}
		o.typedAs[one.text+one.files] = one.text
	}
	return one
}

// drop removes a message; false if it is not waiting any more.
func (o *outbox) drop(one *outgoing) bool {
	i := slices.Index(o.sending, one)
	if i < 0 {
		return false
	}
	o.sending = slices.Delete(o.sending, i, i+1)
	return true
}

// logged handles that a message is in the log.
func (o *outbox) logged(text string) { delete(o.typedAs, text) }

// typed returns a sent message as it was typed, without attached files, which
// would be attached again. In a message from the log, text that looks like an attached
// file but is not mentioned with @ was typed, too.
func (o *outbox) typed(sent string) string {
	if text, ok := o.typedAs[sent]; ok {
		return text
	}
	if command, _, ok := conversation.ParseCommandOutput(sent); ok {
		return "!" + command
	}
	said, files := conversation.SplitAttachments(sent)
	pasted := slices.ContainsFunc(files, func(f conversation.AttachedFile) bool {
		return !strings.Contains(said, "@"+f.Path) && !strings.Contains(said, `@"`+f.Path)
	})
	if pasted {
		return sent
	}
	return said
}

// label returns a sent message as it was typed, on one line.
func (o *outbox) label(sent string) string { return newWaiting(o.typed(sent)).label }

// setQueued sets which messages wait for the running turn.
func (o *outbox) setQueued(texts []string) {
	o.queued = nil
	for _, text := range texts {
		w := newWaiting(o.typed(text))
		w.size = conversation.Measure(text)
		o.queued = append(o.queued, w)
	}
}

// takeQueued empties the queue and returns its texts.
func (o *outbox) takeQueued() (texts []string) {
	for _, w := range o.queued {
		texts = append(texts, w.text)
	}
	o.queued = nil
	return texts
}

// reset returns the messages queued in the conversation that is left to the composer.
func (o *outbox) reset() {
	o.returned(o.takeQueued())
	o.typedAs = nil
}

// waiting returns all waiting messages, oldest first.
func (o *outbox) waiting() []waiting {
	all := o.queued[:len(o.queued):len(o.queued)]
	for _, one := range o.sending {
		all = append(all, one.waiting)
	}
	return all
}

// sizes calls add with the size of each waiting message and the files it mentions.
func (o *outbox) sizes(add func(size conversation.Size, files []File)) {
	for _, w := range o.queued {
		add(w.size, nil)
	}
	for _, one := range o.sending {
		add(one.size, one.named)
	}
}

// send passes a message to the session after the messages before it.
func (o *outbox) send(one *outgoing) pane.Action {
	if why := o.session.refusal(); why != "" {
		o.returnToComposer(one)
		return refuse(why)
	}
	o.sending = append(o.sending, one)
	if one.ran != "" {
		return o.flush()
	}
	return actionList{o.env.remember(one.text), o.flush()} // so that a crash before it is passed on does not lose it
}

// flush passes on the messages that are ready.
func (o *outbox) flush() pane.Action {
	s := o.session
	if !s.open || s.opening {
		return nil
	}
	var reads actionList
	o.sending = slices.DeleteFunc(o.sending, func(one *outgoing) bool {
		strays := one.in != "" && one.in != s.ID
		if strays {
			reads = append(reads, output{one.text, one.output})
		}
		return strays
	})
	if why := s.refusal(); why != "" && len(o.sending) > 0 {
		o.returnUnsent()
		return append(reads, refuse(why))
	}
	for _, one := range o.unread() {
		reads = append(reads, o.attach(one))
	}
	for one := o.next(); one != nil; one = o.next() {
		if one.ran != "" {
			s.Session.Add(one.ran)
		} else {
			s.Session.Send(one.text + one.files)
		}
		o.sent()
	}
	return reads
}

// attached handles the files of a message, if it still waits for them.
func (o *outbox) attached(to *outgoing, files string, err error) pane.Action {
	if !slices.Contains(o.sending, to) {
		return nil // it was returned to the composer
	}
	if err != nil {
		o.drop(to)
		o.composer.Prepend(to.text)
		return actionList{o.unattached(to.text, err), o.flush()}
	}
	to.files, to.ready = files, true
	return o.flush()
}

// unattached shows why a message was returned.
func (o *outbox) unattached(text string, err error) pane.Action {
	var which *MentionError
	if !errors.As(err, &which) || o.env.ctx.Err() != nil {
		return requestFailed{err}
	}
	o.unreadable(text, which.Path)
	again := o.env.Keys.Composer.Writing.Send.Help().Key
	return requestFailed{fmt.Errorf("%w · %s again sends it as plain text", err, again)}
}

// returnUnsent returns the messages that were not passed on to the composer.
func (o *outbox) returnUnsent() {
	all := o.sending
	o.sending = nil
	for _, one := range slices.Backward(all) {
		o.returnToComposer(one)
	}
}

// returnToComposer puts a message before the draft. The line of a command is only put into
// an empty composer, so that it never becomes part of a message.
func (o *outbox) returnToComposer(one *outgoing) {
	if one.ran != "" {
		o.leaveLine(one.line)
		return
	}
	o.composer.Prepend(one.text)
}

// returned puts messages that the session returned before the draft. Lines of commands
// are only put into an empty composer.
func (o *outbox) returned(texts []string) {
	var lines []string
	for _, text := range slices.Backward(texts) {
		if _, _, ran := conversation.ParseCommandOutput(text); ran {
			lines = append(lines, o.typed(text))
			continue
		}
		o.composer.Prepend(o.typed(text))
	}
	for _, line := range lines {
		o.leaveLine(typedLine{line, o.keyboard.pressed})
	}
}

// typedLine is a command as it was typed.
type typedLine struct {
	text  string
	asked int // keyboard.pressed when it was sent
}

// leaveLine puts a line into the composer if that is empty and no key was pressed since.
// Otherwise the user may be typing, and it is added to the prompt history.
func (o *outbox) leaveLine(line typedLine) {
	if o.composer.Empty() && line.asked == o.keyboard.pressed {
		o.composer.SetText(line.text)
		return
	}
	o.composer.AddPrompt(line.text)
}

// attach reads the files that a message mentions.
func (o *outbox) attach(one *outgoing) tea.Cmd {
	ctx, b := o.env.ctx, o.env.Backend
	paths := make([]string, len(one.named))
	for i, f := range one.named {
		paths[i] = f.Path
	}
	return after(func() (string, error) { return b.Attach(ctx, paths) }, func(files string, err error) pane.Action {
		return o.attached(one, files, err)
	})
}

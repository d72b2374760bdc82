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

// Messages are handed over in the order they were sent: a message whose files are
// still being read holds back those behind it, and one that is sent while a
// conversation opens waits for it. What cannot be handed over returns to the composer;
// nothing that was typed gets lost.

// outbox is the messages between composer and session.
type outbox struct {
	env      *env
	session  *session
	composer *composer.Model
	keyboard *keyboard
	sent     func() // is called after messages were handed over

	sending []*outgoing       // not handed over yet, oldest first
	queued  []waiting         // handed over, waiting for the turn that runs
	typedAs map[string]string // as it was typed, by what was sent with files and is not in the log yet
	plain   plainMentions
}

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

// outgoing is a message on its way.
type outgoing struct {
	waiting
	named []File    // that it mentions
	asked bool      // the files are being read
	ready bool      // they are part of files
	files string    // what is sent behind the text
	ran   string    // the output of a command, which is added and asks for no reply; "" for a message
	line  typedLine // the command

	in, output string // where it ran, "" for the conversation that opens next, and what it printed
}

// plainMentions is a message that came back, and what of it cannot be read.
type plainMentions struct {
	text  string
	paths []string
}

// message is a text with the files it mentions. What seems to be a file and is not one as
// far as is known is looked for, too: it may be new or ignored. If one cannot be read
// the message comes back, and is sent without it when it is sent again as it is.
func (o *outbox) message(text string, named []File, unknown []string) *outgoing {
	for _, path := range unknown {
		named = append(named, File{Path: path})
	}
	if text == o.plain.text {
		named = slices.DeleteFunc(named, func(f File) bool { return slices.Contains(o.plain.paths, f.Path) })
	}
	return &outgoing{waiting: newWaiting(text), named: named, ready: len(named) == 0}
}

// unreadable notes that a message cannot be sent with a mention.
func (o *outbox) unreadable(text, path string) {
	if o.plain.text != text {
		o.plain = plainMentions{text: text}
	}
	o.plain.paths = append(o.plain.paths, path)
}

// unread is the messages whose files are to be read now.
func (o *outbox) unread() (list []*outgoing) {
	for _, one := range o.sending {
		if !one.ready && !one.asked {
			one.asked = true
			list = append(list, one)
		}
	}
	return list
}

// next takes out the oldest message if it is ready, nil if it is not.
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

// drop takes a message out; false if it is not there any more.
func (o *outbox) drop(one *outgoing) bool {
	i := slices.Index(o.sending, one)
	if i < 0 {
		return false
	}
	o.sending = slices.Delete(o.sending, i, i+1)
	return true
}

// logged notes that a message is in the log: only a rewind returns it to the composer.
func (o *outbox) logged(text string) { delete(o.typedAs, text) }

// typed is a message as it was typed, without the files that were sent with
// it: sent again, it would bring them again. Of one that is in the log, what only
// looks like a file was typed, too: a file that was sent is mentioned.
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

// label is a message as it was typed, on a line.
func (o *outbox) label(sent string) string { return newWaiting(o.typed(sent)).label }

// setQueued takes over which messages wait for the running turn.
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

// reset returns what was queued in the conversation that is left.
func (o *outbox) reset() {
	o.returned(o.takeQueued())
	o.typedAs = nil
}

// waiting is all messages that wait, oldest first.
func (o *outbox) waiting() []waiting {
	all := o.queued[:len(o.queued):len(o.queued)]
	for _, one := range o.sending {
		all = append(all, one.waiting)
	}
	return all
}

// sizes gives the size of each message that waits, with the files it mentions.
func (o *outbox) sizes(add func(size conversation.Size, files []File)) {
	for _, w := range o.queued {
		add(w.size, nil)
	}
	for _, one := range o.sending {
		add(one.size, one.named)
	}
}

// send hands something over when its turn comes.
func (o *outbox) send(one *outgoing) pane.Action {
	if why := o.session.refusal(); why != "" {
		o.returnToComposer(one)
		return refuse(why)
	}
	o.sending = append(o.sending, one)
	if one.ran != "" {
		return o.flush()
	}
	return several{o.env.remember(one.text), o.flush()} // a kill before it is handed over must not lose it
}

// flush hands over what is ready.
func (o *outbox) flush() pane.Action {
	s := o.session
	if !s.open || s.opening {
		return nil
	}
	var reads several
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

// attached has the files of a message, if it still waits for them.
func (o *outbox) attached(to *outgoing, files string, err error) pane.Action {
	if !slices.Contains(o.sending, to) {
		return nil // it was given back
	}
	if err != nil {
		o.drop(to)
		o.composer.Prepend(to.text)
		return several{o.unattached(to.text, err), o.flush()}
	}
	to.files, to.ready = files, true
	return o.flush()
}

// unattached says why a message came back.
func (o *outbox) unattached(text string, err error) pane.Action {
	var which *MentionError
	if !errors.As(err, &which) || o.env.ctx.Err() != nil {
		return requestFailed{err}
	}
	o.unreadable(text, which.Path)
	again := o.env.Keys.Composer.Writing.Send.Help().Key
	return requestFailed{fmt.Errorf("%w · %s again sends it as plain text", err, again)}
}

// giveBack returns what was not handed over to the composer.
func (o *outbox) returnUnsent() {
	all := o.sending
	o.sending = nil
	for _, one := range slices.Backward(all) {
		o.returnToComposer(one)
	}
}

// comesBack puts what was not handed over before the draft. A command never becomes
// part of a message.
func (o *outbox) returnToComposer(one *outgoing) {
	if one.ran != "" {
		o.leaveLine(one.line)
		return
	}
	o.composer.Prepend(one.text)
}

// returned puts messages that come back before the draft. A command whose output was
// to be added comes where nothing else is written.
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
	asked int // the key before it was sent, by keyboard.pressed
}

// leaveLine leaves a line in the composer. Where something was typed since, the next
// letter would become part of it: then the prompt history has it.
func (o *outbox) leaveLine(line typedLine) {
	if o.composer.Empty() && line.asked == o.keyboard.pressed {
		o.composer.SetText(line.text)
		return
	}
	o.composer.Keep(line.text)
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

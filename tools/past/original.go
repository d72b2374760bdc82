package past

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// What a passage gives back. One event is its text, byte for byte; a reply also
// gives its reasoning and the arguments of its calls. Several events are their
// texts in order, each under a line that names it; what an overlay speaks of is
// listed instead if it is long, but searched whole.

const (
	maxJoined = 12_000   // characters; longer originals of an overlay are listed
	maxStored = 32 << 20 // bytes of several originals for which stored texts are read
)

// original returns the original texts of a passage; whole: never a list.
func (l *log) original(at passage, whole bool) (original, error) {
	if !at.many {
		return l.text(at.events[0], true)
	}
	if len(at.events) == 0 {
		return original{}, fmt.Errorf("%s: nothing was said in %s. %s", at.id, at.about, l.near(l.anchor(at)))
	}
	chars := 0
	for _, i := range at.events {
		chars += l.chars(i)
	}
	if at.listed && chars > maxJoined && !whole {
		return l.list(at, chars), nil
	}
	return l.join(at)
}

// anchor is an event near a passage without texts.
func (l *log) anchor(at passage) uint64 {
	id, ok := conversation.ParseRecallID(at.id)
	if seq, one := id.Event(); ok && one {
		return seq
	}
	for _, e := range l.events {
		if ok && id.Turns && e.Turn >= 0 && uint64(e.Turn) >= id.First {
			return e.Seq
		}
	}
	return id.First
}

// text is the original of one event. Stored texts are read only if wanted.
func (l *log) text(i int, stored bool) (original, error) {
	e := l.events[i]
	o := original{id: fmt.Sprintf("e%d", e.Seq)}
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		o.text = b.Text
	case conversation.AssistantMessage:
		o.text = replyText(b)
	case conversation.Notice:
		o.text = b.Text
	case conversation.ToolResult:
		if err := l.resultText(&o, b, stored); err != nil {
			return original{}, err
		}
	default:
		return original{}, fmt.Errorf("e%d is a record of %s without text. %s", e.Seq, conversation.OneLine(string(b.Kind()), 40), l.near(e.Seq))
	}
	o.about = l.what(i) + ", " + l.when(i)
	return o, nil
}

// resultText is a result in full if it is stored, otherwise as it was kept.
func (l *log) resultText(o *original, r conversation.ToolResult, stored bool) error {
	o.text = r.Text
	switch {
	case r.Blob == "" && r.Total > 0:
		o.note = fmt.Sprintf(" (of %s characters only these were kept)", numbers.Grouped(r.Total))
	case r.Blob != "" && !stored:
		o.note = fmt.Sprintf(" (as it was cut; recall %s for all of it)", o.id)
	case r.Blob != "":
		text, err := l.archive.Blob(l.ctx, r.Blob)
		switch {
		case l.ctx.Err() != nil:
			return l.ctx.Err()
		case err != nil:
			o.note = fmt.Sprintf(" (this part was kept in the log; the full text cannot be read: %s)", conversation.OneLine(err.Error(), 100))
		default:
			o.text = text
			if r.Total > utf8.RuneCountInString(text) {
				o.note = fmt.Sprintf(" (of %s characters only these were kept)", numbers.Grouped(r.Total))
			}
		}
	}
	return nil
}

// replyText is what a reply said, with its reasoning and calls.
func replyText(m conversation.AssistantMessage) string {
	if m.Reasoning == "" && len(m.Calls) == 0 {
		return m.Text
	}
	var parts []string
	if m.Reasoning != "" {
		parts = append(parts, "-- reasoning\n"+m.Reasoning)
	}
	if m.Text != "" {
		parts = append(parts, "-- text\n"+m.Text)
	}
	for _, c := range m.Calls {
		parts = append(parts, fmt.Sprintf("-- arguments of the call %s to %s\n%s", conversation.OneLine(c.ID, 80), conversation.OneLine(c.Name, 80), c.Arguments))
	}
	return strings.Join(parts, "\n\n")
}

// join is everything said in a passage. What was only recalled there stands where
// it was first said.
func (l *log) join(at passage) (original, error) {
	o := original{id: at.id, about: at.about}
	var b strings.Builder
	for n, i := range at.events {
		if n > 0 {
			b.WriteString("\n\n")
		}
		one, err := l.text(i, b.Len() < maxStored)
		if err != nil {
			return original{}, err
		}
		if target, ok := l.recalled(i); ok {
			one.text = "(a recall of " + target.id + ", which has the original)"
		}
		fmt.Fprintf(&b, "--- %s: %s%s\n%s", one.id, one.about, one.note, one.text)
	}
	o.text = b.String()
	return o, nil
}

// list names the originals of a passage, a line each.
func (l *log) list(at passage, chars int) original {
	var b strings.Builder
	for _, i := range at.events {
		b.WriteString(l.line(i) + "\n")
	}
	return original{
		id: at.id, text: b.String(), lines: true,
		about: fmt.Sprintf("%s: %d, %s characters together; recall each by its id", at.about, len(at.events), numbers.Grouped(chars)),
	}
}

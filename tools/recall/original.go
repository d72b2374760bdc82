package recall

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// The recall tool returns the original text of a passage. For one event that is its text, byte for byte; for a reply also
// its reasoning and the arguments of its calls. Several events follow in order, each under a line that names it.

const (
	maxStored    = 32 << 20 // bytes of a passage after which stored texts are no longer read
	maxMatchLine = 1000     // bytes; of a longer line only the part around the match is shown
)

// original is the unshortened text of a passage.
type original struct {
	id     string // argument of recall for this text
	about  string // "result of read_file main.go, turn 3"
	text   string
	note   string // says which part is missing, "" if the text is complete
	images []conversation.Image
}

func (l *log) original(at passage) (original, error) {
	if at.about == "" {
		return l.text(at.events[0], true)
	}
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
		o.images = append(o.images, one.images...)
		fmt.Fprintf(&b, "--- %s: %s%s\n%s", one.id, one.about, one.note, one.text)
	}
	o.text = b.String()
	return o, nil
}

// text reads the original of event i. With stored, it reads the stored full text of a cut result.
func (l *log) text(i int, stored bool) (original, error) {
	e := l.events[i]
	o := original{id: fmt.Sprintf("e%d", e.Seq), about: l.describe(i), images: conversation.ImagesOf(e.Body)}
	switch b := e.Body.(type) {
	case conversation.UserMessage:
		o.text = b.Text
		for _, m := range b.Images {
			o.text += fmt.Sprintf("\n[%s %s, %s, %s: it came with this message, and is kept with the conversation as %.12s]", m.What(), m.Label(), m.Media, numbers.Bytes(int64(m.Bytes)), m.Blob)
		}
	case conversation.AssistantMessage:
		o.text = replyText(b)
	case conversation.Notice:
		o.text = b.Text
	case conversation.ToolResult:
		l.readResult(&o, b, stored)
	default:
		kind := conversation.OneLine(string(b.Kind()), 40)
		return original{}, fmt.Errorf("e%d is a record of %s without text. Near it: %s", e.Seq, kind, l.nearbyIDs(e.Seq))
	}
	return o, nil
}

// readResult sets o to the full text of a result if that is stored, otherwise to the part in the log.
func (l *log) readResult(o *original, r conversation.ToolResult, stored bool) {
	o.text = r.Text
	if r.Blob != "" && !stored {
		o.note = fmt.Sprintf(" (as it was cut; recall %s for all of it)", o.id)
		return
	}
	if r.Blob != "" {
		text, err := l.archive.Blob(l.ctx, r.Blob)
		if err != nil {
			why := conversation.OneLine(err.Error(), 100)
			o.note = fmt.Sprintf(" (this part was kept in the log; the full text cannot be read: %s)", why)
			return
		}
		o.text = text
	}
	if r.Total > utf8.RuneCountInString(o.text) || r.Blob == "" && r.Total > 0 {
		o.note = fmt.Sprintf(" (of %s characters only these were kept)", numbers.Grouped(r.Total))
	}
}

// replyText returns the text of a reply, with its reasoning and the arguments of its calls.
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

// page returns up to limit characters from offset on, in an answer of at most maxChars characters.
func (o original) page(offset, limit, maxChars int) (string, error) {
	total := utf8.RuneCountInString(o.text)
	if offset > 0 && offset >= total {
		return "", fmt.Errorf("%s has only %s characters; offset must be below that", o.id, numbers.Grouped(total))
	}
	head := func(end int) string {
		text := fmt.Sprintf("%s: characters %s-%s of %s", o.id, numbers.Grouped(min(offset+1, end)), numbers.Grouped(end), numbers.Grouped(total))
		if end < total {
			text += fmt.Sprintf(", go on with offset %d", end)
		}
		about := "; " + o.about + o.note
		return text + about[:runeOffset(about, maxChars/2-len(text))] + "\n\n"
	}
	from := runeOffset(o.text, offset)
	room := maxChars - utf8.RuneCountInString(head(total)) - len(", go on with offset ") - len(fmt.Sprint(total))
	body := o.text[from : from+runeOffset(o.text[from:], min(limit, max(1, room)))]
	return head(offset+utf8.RuneCountInString(body)) + body, nil
}

// matching returns the lines of an original that contain query, each after the position of its first character.
func (o original) matching(query string) (original, error) {
	query = strings.ToLower(query)
	var b strings.Builder
	at, n := 0, 0 // number of characters before the line, of matching lines
	for line := range strings.SplitSeq(o.text, "\n") {
		if column := strings.Index(strings.ToLower(line), query); column >= 0 {
			n++
			fmt.Fprintf(&b, "[from character %s] %s\n", numbers.Grouped(at+1), aroundMatch(line, column, maxMatchLine))
		}
		at += utf8.RuneCountInString(line) + 1
	}
	query = conversation.OneLine(query, 80)
	if n == 0 {
		return original{}, fmt.Errorf("%s (%s, %s characters) does not hold %q. Try other words, or page through it with offset", o.id, o.about, numbers.Grouped(utf8.RuneCountInString(o.text)), query)
	}
	o.images = nil
	o.about = fmt.Sprintf("%s with %q, of %s", numbers.Count(n, "line"), query, o.about)
	o.text = b.String()
	return o, nil
}

// aroundMatch returns a line, or of a line longer than maxBytes the part around byte at.
func aroundMatch(line string, at, maxBytes int) string {
	if len(line) <= maxBytes {
		return line
	}
	from := max(0, min(at, len(line))-maxBytes/2)
	to := min(len(line), from+maxBytes)
	text := strings.ToValidUTF8(line[from:to], "")
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}

// runeOffset returns the byte offset of character n of text, or len(text) if text is shorter.
func runeOffset(text string, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for i := range text {
		if n <= 0 {
			return i
		}
		n--
	}
	return len(text)
}

package shell

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
)

// The output of a command is kept up to a ceiling: half of it from the beginning,
// half from the end. The bytes between are counted and dropped. The output can be
// read whole or from a position on.

// capture is a writer that keeps the output of a command. It is safe for concurrent use.
type capture struct {
	half     int          // bytes kept of the beginning, and of the end
	progress func(string) // receives the output while the command runs; nil: not called

	mu    sync.Mutex // guards what follows, and the calls of progress
	head  []byte
	tail  []byte // end of the output after head; at least half bytes if there are so many
	total int64
	held  []byte // first bytes of a character that is not complete yet
	sizes conversation.Size
}

func newCapture(ceiling int, progress func(string)) *capture {
	return &capture{half: max(1, ceiling/2), progress: progress}
}

// Write adds p to the output. It never fails.
func (c *capture) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.total += int64(len(p))
	rest := p
	if room := c.half - len(c.head); room > 0 {
		n := min(room, len(rest))
		c.head = append(c.head, rest[:n]...)
		rest = rest[n:]
	}
	if c.tail = append(c.tail, rest...); len(c.tail) > 2*c.half {
		c.tail = append(c.tail[:0], c.tail[len(c.tail)-c.half:]...)
	}
	text := c.completed(p)
	if c.total <= 2*int64(c.half) {
		c.sizes = c.sizes.Plus(conversation.Measure(text))
	}
	if c.progress != nil && text != "" {
		c.progress(text)
	}
	return len(p), nil
}

// completed returns the complete characters of the output that were not returned before.
func (c *capture) completed(p []byte) string {
	c.held = append(c.held, p...)
	end := len(c.held)
	for i := 1; i <= min(utf8.UTFMax-1, end); i++ {
		if b := c.held[end-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(c.held[end-i:]) {
				end -= i
			}
			break
		}
	}
	text := string(c.held[:end])
	c.held = append(c.held[:0], c.held[end:]...)
	return text
}

// size is the size of the output so far, of what is kept at most.
func (c *capture) size() conversation.Size {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sizes
}

func (c *capture) stopProgress() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.progress = nil
}

// since returns the output from position on, and the position after it. A line in
// the text gives the size of dropped output.
func (c *capture) since(position int64) (string, int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var b strings.Builder
	if position < int64(len(c.head)) {
		b.Write(c.head[position:])
		position = int64(len(c.head))
	}
	tail := c.tail[max(0, len(c.tail)-c.half):]
	start := c.total - int64(len(tail))
	if position < start {
		fmt.Fprintf(&b, "\n[... %s of output not kept ...]\n", numbers.Bytes(start-position))
		position = start
	}
	b.Write(tail[position-start:])
	return b.String(), c.total
}

// last returns the last n bytes of the output.
func (c *capture) last(n int64) string {
	c.mu.Lock()
	position := max(0, c.total-n)
	c.mu.Unlock()
	text, _ := c.since(position)
	return text
}

// screenText returns output as a terminal would finally show it: without escape
// sequences, and only the last version of a line that carriage returns overwrite.
func screenText(out string) string {
	out = ansi.Strip(strings.ReplaceAll(strings.ToValidUTF8(out, "\uFFFD"), "\r\n", "\n"))
	if !strings.Contains(out, "\r") {
		return out
	}
	lines := strings.Split(out, "\n")
	for i, l := range lines {
		l = strings.TrimRight(l, "\r")
		lines[i] = l[strings.LastIndexByte(l, '\r')+1:]
	}
	return strings.Join(lines, "\n")
}

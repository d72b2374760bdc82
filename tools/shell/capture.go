package shell

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"plimsoll/tools/words"
)

// Output of a command is kept up to a ceiling: the first half of it from the
// beginning, the other half from the end; what lies between is counted and
// gone. It can be read whole or from a position on.

// capture keeps output. It is safe for concurrent use.
type capture struct {
	half     int
	progress func(string) // sees the output as it comes; nil: nobody

	mu    sync.Mutex // guards what follows, and the calls of progress
	head  []byte
	tail  []byte // of what follows, at least the newest half
	total int64
	held  []byte // the beginning of a character whose end has not come yet
}

func newCapture(ceiling int, progress func(string)) *capture {
	return &capture{half: max(1, ceiling/2), progress: progress}
}

// Write keeps p. It never fails.
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
	c.tell(p)
	return len(p), nil
}

// tell passes output on, never half a character.
func (c *capture) tell(p []byte) {
	if c.progress == nil {
		return
	}
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
	if end > 0 {
		c.progress(string(c.held[:end]))
		c.held = append(c.held[:0], c.held[end:]...)
	}
}

func (c *capture) silence() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.progress = nil
}

// since is the output from position on, and the position behind it. What is
// gone is named in its place.
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
		fmt.Fprintf(&b, "\n[... %s of output not kept ...]\n", words.Bytes(start-position))
		position = start
	}
	b.Write(tail[position-start:])
	return b.String(), c.total
}

// screenText is output as it would stand on a screen at last: without escape
// sequences, and of a line written over and over only its last form.
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

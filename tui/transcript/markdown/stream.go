package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"

	"plimsoll/conversation/plain"
)

// All pieces but the last are frozen: only the last one is parsed and laid out again when text arrives. While it is
// small this is done for every delta. When it is large it is done only after it has grown by a fraction of its size,
// which keeps the cost of a huge table or quote linear; newer text is shown as plain lines. An open fence is not parsed
// again at all, see liveFence.

const (
	// smallTail is the size of the last piece, in bytes, up to which it is laid out for every delta.
	smallTail = 2 << 10
	// largeTail is the size in bytes above which it must grow by half, not by a quarter.
	largeTail = 8 << 10
)

// incoming is the text received so far.
type incoming struct {
	plain   plain.Stream
	limiter delimiterLimiter
	source  []byte // sanitised, with excess delimiters replaced
}

// Stream renders a text that arrives in pieces. It belongs to the goroutine of its Renderer.
type Stream struct {
	r     *Renderer
	width int

	incoming

	end   int   // bytes of the source that are frozen
	next  first // state with which the piece at end continues
	fence *liveFence

	lines        []string // of the frozen pieces, then of the laid-out ones, then plain lines
	frozenLines  int      // number of lines of the frozen pieces
	laidOutLines int      // number of lines of the frozen and the laid-out pieces
	parsed       int      // bytes of the source that are laid out
	drawn        int      // bytes of the source that lines show
}

// Append adds the next part of the text. It may end anywhere, even within a character.
func (s *Stream) Append(delta string) {
	s.source = s.limiter.appendTo(s.source, s.plain.Write(delta))
}

// Lines returns the lines of the text so far. The slice is valid until the next call of a method; the caller must not
// change it. Without new text it costs nothing.
func (s *Stream) Lines() []string {
	if s.width != s.r.width {
		s.restart()
	}
	if s.drawn == len(s.source) {
		return s.lines
	}
	s.update()
	s.drawn = len(s.source)
	return s.lines
}

// Finish returns the lines of the complete text: the same that Render returns. The caller owns the slice; the
// stream must not be used any more.
func (s *Stream) Finish() []string {
	if s.width != s.r.width {
		s.restart()
	}
	s.source = s.limiter.appendTo(s.source, s.plain.Close())
	s.fence = nil
	s.draw(len(s.source), true)
	if len(s.lines) == 0 {
		return nil
	}
	return s.lines
}

// restart discards the layout, but not the text.
func (s *Stream) restart() {
	*s = Stream{r: s.r, width: s.r.width, incoming: s.incoming}
}

// update brings lines up to date in the cheapest way that shows the whole text.
func (s *Stream) update() {
	if s.fence != nil {
		if rows, open := s.fence.extend(s.source); open {
			s.lines = append(s.lines[:s.laidOutLines], rows...)
			return
		}
		s.fence = nil
		s.draw(len(s.source), false)
		return
	}
	tail := len(s.source) - s.end
	if tail <= smallTail {
		s.draw(len(s.source), false)
		return
	}
	step := (s.parsed - s.end) / 4
	if tail > largeTail {
		step = (s.parsed - s.end) / 2
	}
	if len(s.source)-s.parsed > step {
		s.draw(s.breakAt(), false)
	}
	if s.fence == nil {
		s.lines = s.lines[:s.laidOutLines]
		if rest := s.source[s.parsed:]; len(bytes.TrimSpace(rest)) > 0 {
			s.lines = append(s.lines, plainLines(string(restoreDelimiters(rest)), s.r.proseWidth(s.width))...)
		}
	}
}

// breakAt returns the index up to which a large last piece is laid out; the rest stays plain. It is after a line, or
// else after a word.
func (s *Stream) breakAt() int {
	tail := s.source[s.end:]
	if i := bytes.LastIndexByte(tail, '\n'); i >= len(tail)/2 {
		return s.end + i + 1
	}
	if i := bytes.LastIndexByte(tail, ' '); i >= len(tail)/2 {
		return s.end + i + 1
	}
	return len(s.source)
}

// draw parses and lays out the source from the frozen end to upTo, and freezes the pieces that can no longer change.
func (s *Stream) draw(upTo int, final bool) {
	base := s.end
	tail := s.source[base:upTo:upTo]
	pieces := split(s.r.parse(tail), tail, s.next)
	p := &page{r: s.r, source: tail, parsed: len(tail)}
	keep, fence := len(pieces), -1
	if !final {
		keep, fence = settled(pieces, tail), p.openFence(pieces)
	}
	s.lines = s.lines[:s.frozenLines]
	last := 0
	for i := range pieces {
		pc := &pieces[i]
		if p.streaming = i >= keep; !p.streaming {
			s.end = base + pc.end
		} else if i == keep && keep > 0 {
			s.next = first{pc.place, pc.tight}
		}
		lines := p.layOut(pc, tail, !p.streaming)
		if last = len(lines); last > 0 && len(s.lines) > 0 && !pc.tight {
			s.lines = append(s.lines, "")
		}
		s.lines = append(s.lines, lines...)
		if !p.streaming {
			s.frozenLines = len(s.lines)
		}
	}
	s.laidOutLines, s.parsed = len(s.lines), upTo
	if fence >= 0 && upTo == len(s.source) {
		s.streamFence(base+fence, last)
	}
}

// openFence returns the index at which the last piece begins if it is an open fence, or else -1.
func (p *page) openFence(pieces []piece) int {
	n := len(pieces) - 1
	if n < 0 || len(pieces[n].nodes) != 1 {
		return -1
	}
	if f, ok := pieces[n].nodes[0].(*ast.FencedCodeBlock); !ok || !p.open(f) {
		return -1
	}
	return pieces[n].start
}

// streamFence continues the open fence at start without the parser. shown is the number of its rows at the end of lines.
func (s *Stream) streamFence(start, shown int) {
	if s.fence = newLiveFence(s.r, s.source, start); s.fence == nil {
		return
	}
	rows, open := s.fence.extend(s.source)
	if !open {
		s.fence = nil
		return
	}
	s.laidOutLines -= shown
	s.lines = append(s.lines[:s.laidOutLines], rows...)
}

// settled returns how many pieces at the beginning can no longer change: those before the last piece that begins on a
// complete line.
func settled(pieces []piece, tail []byte) int {
	partial := lineStart(tail, len(tail))
	n := len(pieces)
	for n > 0 && pieces[n-1].start >= partial {
		n--
	}
	return max(0, n-1)
}

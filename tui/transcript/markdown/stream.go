package markdown

import (
	"bytes"

	"github.com/yuin/goldmark/ast"

	"plimsoll/conversation/plain"
)

// The source is frozen up to the last piece: that alone is parsed and laid out again when text arrives. While it is
// small that is done each time. When it is large it is done when it has grown by a part of itself, which keeps the cost
// of a huge table or quote linear, and what is newer shows as plain lines. An open fence is not parsed again at all,
// see liveFence.

const (
	// smallTail is the size of an open piece, in bytes, up to which it is laid out each time.
	smallTail = 2 << 10
	// largeTail is the size from which on it must grow by half, not by a quarter.
	largeTail = 8 << 10
)

// incoming is the text so far.
type incoming struct {
	plain  plain.Stream
	guard  guard
	source []byte // safe and guarded
}

// Stream renders a text that arrives in pieces. It belongs to the goroutine of its Renderer.
type Stream struct {
	r     *Renderer
	width int

	incoming

	end   int   // source before it is frozen
	next  first // what the piece that begins there goes on with
	fence *liveFence

	lines  []string // of the frozen pieces, then of the open ones, then plain
	nf     int      // lines of the frozen pieces
	np     int      // and of the open ones
	parsed int      // source before it is laid out in lines[:np]
	drawn  int      // source before it is in lines
}

// Append takes the next part of the text. It may end anywhere, even within a character.
func (s *Stream) Append(delta string) {
	s.source = s.guard.pass(s.source, s.plain.Write(delta))
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

// Finish returns the lines of the complete text: those that Render gives for it. The caller owns the slice; the
// stream must not be used any more.
func (s *Stream) Finish() []string {
	if s.width != s.r.width {
		s.restart()
	}
	s.source = s.guard.pass(s.source, s.plain.Close())
	s.fence = nil
	s.draw(len(s.source), true)
	if len(s.lines) == 0 {
		return nil
	}
	return s.lines
}

// restart forgets the layout, but not the text.
func (s *Stream) restart() {
	*s = Stream{r: s.r, width: s.r.width, incoming: s.incoming}
}

// update brings lines up to date in the cheapest way that shows all of the text.
func (s *Stream) update() {
	if s.fence != nil {
		if rows, open := s.fence.extend(s.source); open {
			s.lines = append(s.lines[:s.np], rows...)
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
		s.lines = append(s.lines[:s.np], s.plainRest()...)
	}
}

// breakAt is where to cut a large open piece between what is laid out and what stays plain: after a line, or else
// after a word.
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

// plainRest is what came after the last layout.
func (s *Stream) plainRest() []string {
	rest := s.source[s.parsed:]
	if len(bytes.TrimSpace(rest)) == 0 {
		return nil
	}
	return plainLines(string(unguard(rest)), s.r.prose(s.width))
}

// draw parses and lays out the source from the frozen end to upTo, and freezes what can be.
func (s *Stream) draw(upTo int, final bool) {
	base := s.end
	tail := s.source[base:upTo:upTo]
	pieces := split(s.r.parse(tail), tail, s.next)
	p := &page{r: s.r, source: tail, parsed: len(tail)}
	keep, fence := len(pieces), -1
	if !final {
		keep, fence = settled(pieces, tail), p.openFence(pieces)
	}
	s.lines = s.lines[:s.nf]
	last := 0
	for i := range pieces {
		pc := &pieces[i]
		if p.arriving = i >= keep; !p.arriving {
			s.end = base + pc.end
		} else if i == keep && keep > 0 {
			s.next = first{pc.place, pc.tight}
		}
		lines := p.layOut(pc, tail, !p.arriving)
		if last = len(lines); last > 0 && len(s.lines) > 0 && !pc.tight {
			s.lines = append(s.lines, "")
		}
		s.lines = append(s.lines, lines...)
		if !p.arriving {
			s.nf = len(s.lines)
		}
	}
	s.np, s.parsed = len(s.lines), upTo
	if fence >= 0 && upTo == len(s.source) {
		s.follow(base+fence, last)
	}
}

// openFence is where in a tail an open fence begins that is its last piece; -1 if there is none.
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

// follow goes on with the open fence at start, whose shown rows are the last of the lines, without the parser.
func (s *Stream) follow(start, shown int) {
	if s.fence = newLiveFence(s.r, s.source, start); s.fence == nil {
		return
	}
	rows, open := s.fence.extend(s.source)
	if !open {
		s.fence = nil
		return
	}
	s.np -= shown
	s.lines = append(s.lines[:s.np], rows...)
}

// settled is how many pieces at the beginning can no longer change: those before the last one that begins on a
// complete line.
func settled(pieces []piece, tail []byte) int {
	partial := lineStart(tail, len(tail))
	n := len(pieces)
	for n > 0 && pieces[n-1].start >= partial {
		n--
	}
	return max(0, n-1)
}

package markdown

import (
	"bytes"
	"time"

	"github.com/yuin/goldmark/ast"

	"plimsoll/conversation/plain"
)

// The source is frozen up to the last piece: that alone is parsed and laid out again when text arrives. While it is
// small that is done each time. When it is large it is done when it has grown by a part of itself, which keeps the cost
// of a huge table or quote linear, and what is newer shows as plain lines. An open fence is not parsed again at all,
// see liveFence. A definition that comes late changes the pieces that use its label.

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

	frozen  []piece
	end     int   // source before it is frozen
	next    first // what the piece that begins there goes on with
	refs    references
	growing growingCode
	fence   *liveFence

	lines  []string // of the frozen pieces, then of the open ones, then plain
	nf     int      // lines of the frozen pieces
	np     int      // and of the open ones
	parsed int      // source before it is laid out in lines[:np]
	drawn  int      // source before it is in lines
	cost   time.Duration
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
	began := time.Now()
	s.update()
	s.drawn = len(s.source)
	s.cost = time.Since(began)
	return s.lines
}

// Cost is how long the last call of Lines that had something to do took. A caller that draws at a rate can skip
// calls when it comes near the interval.
func (s *Stream) Cost() time.Duration { return s.cost }

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
	if s.refs == nil {
		s.refs = references{}
	}
	base := s.end
	tail := s.source[base:upTo:upTo]
	doc, refs := s.r.parse(tail, s.refs)
	pieces := split(doc, tail, s.next)
	p := &page{r: s.r, source: tail, parsed: len(tail)}
	keep := len(pieces)
	fence := -1
	if !final {
		keep = s.settled(pieces, tail)
		fence = p.openFence(pieces)
	}
	for i := range pieces {
		if p.growing = nil; i >= keep {
			p.growing = &s.growing
		}
		p.layOut(&pieces[i], tail, refs, i < keep)
	}
	s.freeze(pieces, keep, tail, final)
	for _, pc := range pieces[keep:] {
		s.show(&pc)
	}
	s.np, s.parsed = len(s.lines), upTo
	if fence >= 0 && upTo == len(s.source) {
		s.follow(base+fence, len(pieces[len(pieces)-1].lines))
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
// complete line, and before a definition list that is followed by only one more.
func (s *Stream) settled(pieces []piece, tail []byte) int {
	partial := lineStart(tail, len(tail))
	n := len(pieces)
	for n > 0 && pieces[n-1].start >= partial {
		n--
	}
	n = max(0, n-1)
	if n > 0 && pieces[n-1].reopens() {
		n--
	}
	return n
}

// freeze takes over the first keep pieces of a tail, laid out, and the references defined among them.
func (s *Stream) freeze(pieces []piece, keep int, tail []byte, final bool) {
	end := 0
	switch {
	case final:
		end = len(tail)
	case keep > 0:
		end = pieces[keep-1].end
	}
	s.lines = s.lines[:s.nf]
	for _, pc := range pieces[:keep] {
		s.show(&pc)
		pc.start, pc.end = pc.start+s.end, pc.end+s.end
		pc.lines = nil // they are in s.lines
		s.frozen = append(s.frozen, pc)
	}
	if keep > 0 && keep < len(pieces) {
		s.next = first{pieces[keep].place, pieces[keep].tight}
	}
	s.nf = len(s.lines)
	s.end += end
	added := false
	if bytes.Contains(tail[:end], []byte("]:")) {
		_, refs := s.r.parse(tail[:end], s.refs)
		added = len(refs) > len(s.refs)
		s.refs = refs
	}
	if added || final {
		s.refer()
	}
}

// refer lays out again the frozen pieces whose labels stand for something else than when they were laid out.
func (s *Stream) refer() {
	changed := false
	for i := range s.frozen {
		pc := &s.frozen[i]
		if pc.labels == nil || s.refs.key(pc.labels) == pc.refKey {
			continue
		}
		// The line that follows is parsed, too: it may have decided what the piece is.
		next := pc.end + bytes.IndexByte(s.source[pc.end:], '\n') + 1
		source := s.source[pc.start:next:next]
		doc, refs := s.r.parse(source, s.refs)
		p := &page{r: s.r, source: source, parsed: len(source)}
		again := piece{end: pc.end - pc.start, place: pc.place}
		for _, part := range split(doc, source, first{pc.place, pc.tight}) {
			if part.start < again.end {
				again.nodes = append(again.nodes, part.nodes...)
			}
		}
		p.layOut(&again, source, refs, true)
		pc.refKey, pc.lines, changed = again.refKey, again.lines, true
	}
	if !changed {
		return
	}
	old := s.lines
	s.lines = make([]string, 0, len(old)+64)
	for i := range s.frozen {
		pc := &s.frozen[i]
		if pc.lines == nil {
			pc.lines = old[pc.at : pc.at+pc.count]
		}
		s.show(pc)
		pc.lines = nil
	}
	s.nf = len(s.lines)
}

// show appends the lines of a piece and remembers where they are.
func (s *Stream) show(pc *piece) {
	if len(pc.lines) > 0 && len(s.lines) > 0 && !pc.tight {
		s.lines = append(s.lines, "")
	}
	pc.at, pc.count = len(s.lines), len(pc.lines)
	s.lines = append(s.lines, pc.lines...)
}

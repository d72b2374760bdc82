package plain

import "unicode/utf8"

// A delta may end inside a character, between CR and LF, or between a base and its marks. The stream keeps
// the at most three bytes of an unfinished character back and remembers the other two; all else is settled
// at once, because every control character is replaced on its own, not the sequence it would have begun.

// Stream sanitises text that arrives in pieces. The zero value is ready. It is not safe for concurrent use.
type Stream struct {
	held   [utf8.UTFMax]byte
	nheld  int
	afterC bool // the last character was a CR, so a following LF has already been written
	run    run
}

// Write takes the next piece and returns what can be shown of it. All pieces' results and that of Close, joined,
// equal Text of the joined pieces, wherever the cuts fall.
func (st *Stream) Write(delta string) string {
	if st.nheld == 0 && !st.afterC {
		if n, after := scan(delta, st.run); n == len(delta) {
			st.run = after
			return delta
		}
	}
	out := make([]byte, 0, len(delta)+16)
	for st.nheld > 0 && delta != "" {
		st.held[st.nheld] = delta[0]
		st.nheld++
		delta = delta[1:]
		out = st.drain(out, false)
	}
	i := 0
	for i < len(delta) {
		if !utf8.FullRuneInString(delta[i:]) {
			st.nheld = copy(st.held[:], delta[i:])
			break
		}
		r, size := utf8.DecodeRuneInString(delta[i:])
		out = st.put(out, r, size)
		i += size
	}
	return string(out)
}

// Close returns what was held back: U+FFFD for each byte of a character that never was finished. The stream is then
// as new.
func (st *Stream) Close() string {
	out := st.drain(nil, true)
	*st = Stream{}
	return string(out)
}

// drain writes the characters that the held bytes complete; final means that no more bytes will come.
func (st *Stream) drain(out []byte, final bool) []byte {
	for st.nheld > 0 {
		b := st.held[:st.nheld]
		if !final && !utf8.FullRune(b) {
			return out
		}
		r, size := utf8.DecodeRune(b)
		out = st.put(out, r, size)
		st.nheld = copy(st.held[:], b[size:])
	}
	return out
}

// put appends one decoded character; size 1 with RuneError is a byte that is not UTF-8.
func (st *Stream) put(out []byte, r rune, size int) []byte {
	afterC := st.afterC
	st.afterC = r == '\r'
	switch {
	case r == '\n' && afterC:
		return out
	case r == '\r', r == 0x2028, r == 0x2029:
		st.run = run{}
		return append(out, '\n')
	case r == '\n', r == '\t', r >= 0x20 && r < 0x7f:
		st.run = run{}
		return append(out, byte(r))
	case r == 0xfeff, selector(r) && !st.run.based:
		return out
	case r < 0xa0, replaced(r):
		st.run = run{based: true}
		return show(out, r)
	case st.run.take(r):
	case combining(r) && st.run.marks == MaxCombining+1:
		return append(out, cutMark...)
	default:
		return out
	}
	if r == utf8.RuneError && size == 1 {
		return append(out, "\uFFFD"...)
	}
	return utf8.AppendRune(out, r)
}

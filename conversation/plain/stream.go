package plain

import "unicode/utf8"

// A delta may end inside a character, between CR and LF, or between a base character and its combining marks. The stream
// holds back the bytes of an unfinished character, at most three, and remembers the other two cases. All else is written
// at once, because every control character is replaced alone, not as part of a control sequence.

// Stream sanitises text that arrives in pieces. The zero value is ready to use. It is not safe for concurrent use.
type Stream struct {
	held    [utf8.UTFMax]byte
	heldLen int
	afterCR bool // the last character was a CR, for which a line feed was written
	run     run
}

// Write takes the next piece, and returns the text that can be shown now. The results of all pieces and of Close together
// equal Text of the whole text, wherever the pieces are cut.
func (st *Stream) Write(delta string) string {
	if st.heldLen == 0 && !st.afterCR {
		if n, after := scan(delta, st.run); n == len(delta) {
			st.run = after
			return delta
		}
	}
	out := make([]byte, 0, len(delta)+16)
	for st.heldLen > 0 && delta != "" {
		st.held[st.heldLen] = delta[0]
		st.heldLen++
		delta = delta[1:]
		out = st.drain(out, false)
	}
	i := 0
	for i < len(delta) {
		if !utf8.FullRuneInString(delta[i:]) {
			st.heldLen = copy(st.held[:], delta[i:])
			break
		}
		r, size := utf8.DecodeRuneInString(delta[i:])
		out = st.put(out, r, size)
		i += size
	}
	return string(out)
}

// Close returns the bytes that were held back: U+FFFD for each byte of an unfinished character. Then the stream is empty
// again.
func (st *Stream) Close() string {
	out := st.drain(nil, true)
	*st = Stream{}
	return string(out)
}

// drain writes the characters that the held bytes complete. final means that no more bytes come.
func (st *Stream) drain(out []byte, final bool) []byte {
	for st.heldLen > 0 {
		b := st.held[:st.heldLen]
		if !final && !utf8.FullRune(b) {
			return out
		}
		r, size := utf8.DecodeRune(b)
		out = st.put(out, r, size)
		st.heldLen = copy(st.held[:], b[size:])
	}
	return out
}

// put appends a decoded character. RuneError with size 1 is a byte that is not UTF-8.
func (st *Stream) put(out []byte, r rune, size int) []byte {
	afterCR := st.afterCR
	st.afterCR = r == '\r'
	switch {
	case r == '\n' && afterCR:
		return out
	case r == '\r', r == 0x2028, r == 0x2029:
		st.run = run{}
		return append(out, '\n')
	case r == '\n', r == '\t', r >= 0x20 && r < 0x7f:
		st.run = run{}
		return append(out, byte(r))
	case r == 0xfeff, isSelector(r) && !st.run.aboveASCII:
		return out
	case r < 0xa0, isReplaced(r):
		st.run = run{aboveASCII: true}
		return appendMark(out, r)
	case st.run.take(r):
	case isCombining(r) && st.run.marks == MaxCombining+1:
		return append(out, cutMark...)
	default:
		return out
	}
	if r == utf8.RuneError && size == 1 {
		return append(out, "\uFFFD"...)
	}
	return utf8.AppendRune(out, r)
}

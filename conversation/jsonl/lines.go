package jsonl

import (
	"bufio"
	"errors"
	"io"
)

// lineState says how a line came.
type lineState int

const (
	lineWhole   lineState = iota
	lineUnended           // the last one, without a line feed
	lineTooLong           // its text is not there
)

// lines reads lines of bounded length into memory that is used again.
type lines struct {
	from   *bufio.Reader
	max    int
	number int // of the line that was read last, from 1
	buf    []byte
	ended  bool
}

// next returns the next line without its line feed, valid until the next call,
// or io.EOF behind the last.
func (l *lines) next() ([]byte, lineState, error) {
	if l.ended {
		return nil, lineWhole, io.EOF
	}
	l.number++
	l.buf = l.buf[:0]
	long := false
	for {
		piece, err := l.from.ReadSlice('\n')
		if !long && len(l.buf)+len(piece) > l.max+1 {
			long = true
			l.buf = nil // a line this long is rarely followed by another
		}
		if !long {
			l.buf = append(l.buf, piece...)
		}
		switch {
		case err == nil:
			return l.done(long, lineWhole)
		case errors.Is(err, io.EOF):
			l.ended = true
			if len(l.buf) == 0 && !long {
				return nil, lineWhole, io.EOF
			}
			return l.done(long, lineUnended)
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, lineWhole, err
		}
	}
}

func (l *lines) done(long bool, state lineState) ([]byte, lineState, error) {
	line := l.buf
	if state == lineWhole && len(line) > 0 {
		line = line[:len(line)-1]
	}
	if long || len(line) > l.max {
		return nil, lineTooLong, nil
	}
	return line, state, nil
}

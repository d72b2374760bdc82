package markdown

import (
	"bytes"
	"strings"
)

// A fenced block that is open at the end of the text is read line by line, without the parser. It is coloured
// anew when it has grown by half; the lines since then are plain. When its closing fence arrives the parser takes over, and the
// whole block is coloured once more: a lexer may only know at the end what the beginning was.

type liveFence struct {
	r        *Renderer
	mark     byte // ` or ~
	length   int  // of the opening fence
	indent   int  // columns of it that its lines may be indented by, too
	language string

	read     int // source before it is in code
	code     []byte
	coloured int      // bytes of code when it was last coloured
	rows     []string // of the complete lines
}

// newLiveFence reads the opening line at start. It is nil if that is no fence at the top level.
func newLiveFence(r *Renderer, source []byte, start int) *liveFence {
	line := source[start:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	} else {
		return nil
	}
	f := &liveFence{r: r, read: start + len(line) + 1}
	line = unguard(line)
	for f.indent < len(line) && line[f.indent] == ' ' {
		f.indent++
	}
	line = line[f.indent:]
	if len(line) < 3 || f.indent > 3 || line[0] != '`' && line[0] != '~' {
		return nil
	}
	f.mark = line[0]
	for f.length < len(line) && line[f.length] == f.mark {
		f.length++
	}
	if info := strings.Fields(string(line[f.length:])); len(info) > 0 {
		f.language = info[0]
	}
	f.rows = r.codeRows(f.language, nil, r.width)
	return f
}

// extend takes over what the source has grown by and returns the rows of the block, valid until the next call.
// It reports false if the fence has been closed.
func (f *liveFence) extend(source []byte) ([]string, bool) {
	for {
		i := bytes.IndexByte(source[f.read:], '\n')
		if i < 0 {
			break
		}
		line := unguard(source[f.read : f.read+i])
		if f.closes(line) {
			return nil, false
		}
		f.read += i + 1
		line = f.undent(line)
		f.code = append(append(f.code, line...), '\n')
		f.rows = f.r.codeRow(f.rows, codeLine(string(line)), f.r.width)
	}
	if grown := len(f.code) - f.coloured; grown >= leastGrowth && grown >= f.coloured/2 && f.coloured < maxColoured {
		f.recolour()
	}
	rest := unguard(source[f.read:])
	if f.closes(rest) { // perhaps: not shown before it is certain
		return f.rows, true
	}
	return f.r.codeRow(f.rows, codeLine(string(f.undent(rest))), f.r.width), true
}

// recolour colours what there is, up to the bound, and breaks it into rows anew.
func (f *liveFence) recolour() {
	f.coloured = len(f.code)
	f.rows = f.r.codeRows(f.language, f.r.coloured(f.language, string(bytes.TrimSuffix(f.code, []byte("\n")))), f.r.width)
}

// closes reports whether a line may be the closing fence.
func (f *liveFence) closes(line []byte) bool {
	indent := len(line) - len(bytes.TrimLeft(line, " "))
	line = bytes.TrimRight(line[indent:], " \t")
	return indent < 4 && len(line) >= f.length && len(bytes.Trim(line, string(f.mark))) == 0
}

// undent takes the fence's own indentation from a line.
func (f *liveFence) undent(line []byte) []byte {
	for range f.indent {
		if len(line) == 0 || line[0] != ' ' {
			break
		}
		line = line[1:]
	}
	return line
}

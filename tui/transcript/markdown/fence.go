package markdown

import (
	"bytes"
	"strings"
)

// A fenced block that is open at the end of a streaming text is read line by line, without the parser. It is coloured
// again each time it has grown by half; newer lines are plain. When its closing fence arrives, the parser takes over and
// the whole block is coloured once more, because later code can change how a lexer reads earlier code.

type liveFence struct {
	r        *Renderer
	mark     byte // ` or ~
	length   int  // number of marks of the opening fence
	indent   int  // columns before the opening fence, which are removed from each line
	language string

	read     int // bytes of the source that were read into code
	code     []byte
	coloured int      // bytes of code when it was last coloured
	rows     []string // drawn rows of the complete lines
}

// newLiveFence reads the opening line at start. It returns nil if that is not a fence at the top level.
func newLiveFence(r *Renderer, source []byte, start int) *liveFence {
	line := source[start:]
	if i := bytes.IndexByte(line, '\n'); i >= 0 {
		line = line[:i]
	} else {
		return nil
	}
	f := &liveFence{r: r, read: start + len(line) + 1}
	line = restoreDelimiters(line)
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

// extend reads the new part of the source and returns the rows of the block, valid until the next call.
// It returns false if the fence was closed.
func (f *liveFence) extend(source []byte) ([]string, bool) {
	for {
		i := bytes.IndexByte(source[f.read:], '\n')
		if i < 0 {
			break
		}
		line := restoreDelimiters(source[f.read : f.read+i])
		if f.closes(line) {
			return nil, false
		}
		f.read += i + 1
		line = f.undent(line)
		f.code = append(append(f.code, line...), '\n')
		f.rows = f.r.codeRow(f.rows, codeLine(string(line)), f.r.width)
	}
	const minGrowth = 256 // bytes
	if grown := len(f.code) - f.coloured; grown >= minGrowth && grown >= f.coloured/2 && f.coloured < maxColoured {
		f.coloured = len(f.code)
		lines := f.r.coloured(f.language, string(bytes.TrimSuffix(f.code, []byte("\n"))))
		f.rows = f.r.codeRows(f.language, lines, f.r.width)
	}
	rest := restoreDelimiters(source[f.read:])
	if f.closes(rest) { // it may become the closing fence: not shown until it is complete
		return f.rows, true
	}
	return f.r.codeRow(f.rows, codeLine(string(f.undent(rest))), f.r.width), true
}

// closes reports whether a line may be the closing fence.
func (f *liveFence) closes(line []byte) bool {
	indent := len(line) - len(bytes.TrimLeft(line, " "))
	line = bytes.TrimRight(line[indent:], " \t")
	return indent < 4 && len(line) >= f.length && len(bytes.Trim(line, string(f.mark))) == 0
}

// undent removes the fence's own indentation from a line.
func (f *liveFence) undent(line []byte) []byte {
	for range f.indent {
		if len(line) == 0 || line[0] != ' ' {
			break
		}
		line = line[1:]
	}
	return line
}

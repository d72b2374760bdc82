package edit

// The places to which keys move. Left and right cross line ends.

// Left returns the position before the cursor; at the start of a line, the end of the previous line.
func (b *Buffer) Left() Position {
	switch {
	case b.at.Col > 0:
		return Position{b.at.Line, b.previous(b.Current(), b.at.Col)}
	case b.at.Line > 0:
		return Position{b.at.Line - 1, len(b.lines[b.at.Line-1].text)}
	}
	return b.at
}

// Right returns the position after the cursor; at the end of a line, the start of the next line.
func (b *Buffer) Right() Position {
	if s := b.Current(); b.at.Col < len(s) {
		n, _ := b.atom(s[b.at.Col:])
		return Position{b.at.Line, b.at.Col + n}
	}
	if b.at.Line < len(b.lines)-1 {
		return Position{b.at.Line + 1, 0}
	}
	return b.at
}

func (b *Buffer) wordLeft(word kind) Position {
	if b.at.Col == 0 {
		return b.Left()
	}
	return Position{b.at.Line, b.wordStart(b.Current(), b.at.Col, word)}
}

func (b *Buffer) wordRight() Position {
	if b.at.Col == len(b.Current()) {
		return b.Right()
	}
	return Position{b.at.Line, b.wordEnd(b.Current(), b.at.Col, letters)}
}

func (b *Buffer) lineStart() Position { return Position{b.at.Line, 0} }

func (b *Buffer) lineEnd() Position { return Position{b.at.Line, len(b.Current())} }

func (b *Buffer) end() Position {
	last := len(b.lines) - 1
	return Position{last, len(b.lines[last].text)}
}

// toStart returns where deleting to the start of the line begins. At the start
// of a line that is the end of the previous line, so that the lines are joined.
func (b *Buffer) toStart() Position {
	if b.at.Col == 0 {
		return b.Left()
	}
	return b.lineStart()
}

// toEnd returns where deleting to the end of the line ends. At the end of a line that is the next line.
func (b *Buffer) toEnd() Position {
	if b.at.Col == len(b.Current()) {
		return b.Right()
	}
	return b.lineEnd()
}

package composer

// Moves and deletions. Left and right go over line ends; vertical moves keep
// the column one started from.

func (b *buffer) left() place {
	switch {
	case b.at.col > 0:
		return place{b.at.line, b.previous(b.current(), b.at.col)}
	case b.at.line > 0:
		return place{b.at.line - 1, len(b.lines[b.at.line-1].text)}
	}
	return b.at
}

func (b *buffer) right() place {
	if s := b.current(); b.at.col < len(s) {
		n, _ := b.atom(s[b.at.col:])
		return place{b.at.line, b.at.col + n}
	}
	if b.at.line < len(b.lines)-1 {
		return place{b.at.line + 1, 0}
	}
	return b.at
}

func (b *buffer) wordLeft() place {
	if b.at.col == 0 {
		return b.left()
	}
	return place{b.at.line, b.wordStart(b.current(), b.at.col)}
}

func (b *buffer) wordRight() place {
	if b.at.col == len(b.current()) {
		return b.right()
	}
	return place{b.at.line, b.wordEnd(b.current(), b.at.col)}
}

func (b *buffer) lineStart() place { return place{b.at.line, 0} }

func (b *buffer) lineEnd() place { return place{b.at.line, len(b.current())} }

func (b *buffer) end() place {
	last := len(b.lines) - 1
	return place{last, len(b.lines[last].text)}
}

// toStart is where deleting to the start of the line begins: at the start
// already, it joins the line with the one before.
func (b *buffer) toStart() place {
	if b.at.col == 0 {
		return b.left()
	}
	return b.lineStart()
}

// toEnd is where deleting to the end of the line ends, likewise.
func (b *buffer) toEnd() place {
	if b.at.col == len(b.current()) {
		return b.right()
	}
	return b.lineEnd()
}

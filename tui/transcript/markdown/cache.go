package markdown

// Rendered blocks and coloured code are kept by what they were made from. When too much is kept all is forgotten.

// keptBytes bounds what a renderer keeps: about the blocks of a 100,000-token answer at two widths.
const keptBytes = 8 << 20

// cacheKey is what lines were made from. Coloured code has no width, and its language in place of the kinds.
type cacheKey struct {
	width       int
	place       place
	kinds, text string
}

type cache struct {
	lines map[cacheKey][]string
	bytes int
}

func (c *cache) put(k cacheKey, lines []string) {
	size := 256 + len(k.text)
	for _, l := range lines {
		size += len(l) + 16
	}
	if c.bytes += size; c.bytes > keptBytes || c.lines == nil {
		c.lines, c.bytes = map[cacheKey][]string{}, size
	}
	c.lines[k] = lines
}

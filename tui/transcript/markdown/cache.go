package markdown

// Rendered blocks and coloured code are cached by their source. When the cache is too large it is emptied.

// maxCacheBytes bounds the cache of a renderer: about the blocks of a 100,000-token answer at two widths.
const maxCacheBytes = 8 << 20

// cacheKey is the source of cached lines. For coloured code it has no width, and the language in place of the kinds.
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
	if c.bytes += size; c.bytes > maxCacheBytes || c.lines == nil {
		c.lines, c.bytes = map[cacheKey][]string{}, size
	}
	c.lines[k] = lines
}

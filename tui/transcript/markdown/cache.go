package markdown

import (
	"crypto/sha256"
	"encoding/binary"
)

// Rendered blocks and coloured code are kept by what they were made from. The cache has two generations: what is used
// moves to the young one, and when that is full the old one is forgotten. So it never holds more than its bound, and
// an entry that is in use stays.

// keptBytes bounds what a renderer keeps: about the blocks of a 100,000-token answer at two widths.
const keptBytes = 8 << 20

type cacheKey [sha256.Size]byte

type cache struct {
	half       int // bytes that one generation may hold
	young, old map[cacheKey][]string
	bytes      int // in young
}

func newCache(bytes int) *cache {
	return &cache{half: bytes / 2, young: map[cacheKey][]string{}}
}

func (c *cache) get(k cacheKey) ([]string, bool) {
	if lines, ok := c.young[k]; ok {
		return lines, true
	}
	lines, ok := c.old[k]
	if ok {
		c.put(k, lines)
	}
	return lines, ok
}

func (c *cache) put(k cacheKey, lines []string) {
	size := 128
	for _, l := range lines {
		size += len(l) + 16
	}
	if size > c.half {
		return
	}
	if c.bytes+size > c.half {
		c.old, c.young, c.bytes = c.young, map[cacheKey][]string{}, 0
	}
	c.young[k] = lines
	c.bytes += size
}

// keyOf hashes a kind, numbers and texts; each text is preceded by its length, so that no two lists hash alike.
func keyOf(kind byte, numbers []int, texts ...[]byte) cacheKey {
	h := sha256.New()
	buf := []byte{kind}
	for _, n := range numbers {
		buf = binary.AppendVarint(buf, int64(n))
	}
	for _, t := range texts {
		buf = binary.AppendUvarint(buf, uint64(len(t)))
		_, _ = h.Write(buf) // a hash never fails
		_, _ = h.Write(t)
		buf = buf[:0]
	}
	return cacheKey(h.Sum(nil))
}

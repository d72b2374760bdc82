package anthropictest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"sync"
)

// The check of thinking that comes back, as "Preserved thinking" and "Prefix checks on thinking blocks" have it. The
// server remembers every block that it handed out. Of newer models it wants system prompt, tools and all that stood in
// front as they were, and no block left out between others. What it would drop without a word, it refuses as well.

type handed struct {
	model  string
	prefix string // of what stood in front, thinking and breakpoints aside
	before string // the block of thinking in front of it, "" for none
}

var bound = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^claude-[a-z]+-5-[1-9]$`) })

// key is a block as one text, without its breakpoint.
func (b Block) key() string {
	bare := maps.Clone(b)
	delete(bare, "cache_control")
	return bare.json()
}

type chain struct {
	prefix [sha256.Size]byte
	before string // the last block of thinking
}

// step takes a block in, and returns what stood in front of it.
func (c *chain) step(place string, b Block) (prefix string) {
	prefix = hex.EncodeToString(c.prefix[:])
	if b.thinks() {
		c.before = b.key()
	} else {
		c.prefix = sha256.Sum256([]byte(prefix + " " + place + " " + b.key()))
	}
	return prefix
}

func (r *Request) front() *chain {
	c := &chain{}
	for _, b := range r.Tools {
		c.step("tool", b)
	}
	for _, b := range r.System {
		c.step("system", b)
	}
	return c
}

// bound says what is wrong with the thinking of a request, as the API words it; "" if nothing is.
func (s *Server) bound(r *Request) string {
	c, first := r.front(), true
	for i, m := range r.Messages {
		for k, b := range m.Content {
			was, before := s.handed[b.key()], c.before
			prefix := c.step(m.Role+strconv.Itoa(i), b)
			if !b.thinks() {
				continue
			}
			wrong := fmt.Sprintf("messages.%d.content.%d: Invalid `signature` in `%s` block.", i, k, b.kind())
			switch {
			case was == nil:
				return wrong
			case was.model != r.Model:
				return wrong + " The model cannot read it."
			case bound().MatchString(r.Model) && (was.prefix != prefix || !first && was.before != before):
				return wrong + " The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."
			}
			first = false
		}
	}
	return ""
}

func (s *Server) handOut(r *Request, blocks []Block) {
	c := r.front()
	for i, m := range r.Messages {
		for _, b := range m.Content {
			c.step(m.Role+strconv.Itoa(i), b)
		}
	}
	for _, b := range blocks {
		before := c.before
		if prefix := c.step("assistant"+strconv.Itoa(len(r.Messages)), b); b.thinks() {
			s.handed[b.key()] = &handed{r.Model, prefix, before}
		}
	}
}

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

// The check of thinking in requests, as in "Preserved thinking" and "Prefix checks on thinking blocks". The server remembers
// every block of thinking that it sent. For newer models it requires that all before the block is unchanged, and that no
// thinking between two blocks is missing. It refuses even thinking that the API would silently drop.

// sentThinking is a block of thinking that the server sent.
type sentThinking struct {
	model  string
	prefix string // hash of all before the block, except thinking and breakpoints
	before string // the thinking block before it, "" for none
}

var bindingModels = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^claude-[a-z]+-5-[1-9]$`) })

// key returns a block as JSON, without its breakpoint.
func (b Block) key() string {
	bare := maps.Clone(b)
	delete(bare, "cache_control")
	return bare.json()
}

// chain hashes the blocks of a request one after another.
type chain struct {
	prefix [sha256.Size]byte
	before string // the last block of thinking
}

// add adds a block, and returns the hash of all blocks before it.
func (c *chain) add(place string, b Block) (prefix string) {
	prefix = hex.EncodeToString(c.prefix[:])
	if b.isThinking() {
		c.before = b.key()
	} else {
		c.prefix = sha256.Sum256([]byte(prefix + " " + place + " " + b.key()))
	}
	return prefix
}

func (r *Request) frontChain() *chain {
	c := &chain{}
	for _, b := range r.Tools {
		c.add("tool", b)
	}
	for _, b := range r.System {
		c.add("system", b)
	}
	return c
}

// checkThinking returns what is wrong with the thinking of a request, in the API's words, or "".
func (s *Server) checkThinking(r *Request) string {
	c, first := r.frontChain(), true
	for i, m := range r.Messages {
		for k, b := range m.Content {
			was, before := s.sent[b.key()], c.before
			prefix := c.add(m.Role+strconv.Itoa(i), b)
			if !b.isThinking() {
				continue
			}
			wrong := fmt.Sprintf("messages.%d.content.%d: Invalid `signature` in `%s` block.", i, k, b.kind())
			switch {
			case was == nil:
				return wrong
			case was.model != r.Model:
				return wrong + " The model cannot read it."
			case bindingModels().MatchString(r.Model) && (was.prefix != prefix || !first && was.before != before):
				return wrong + " The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to \"drop_block\"."
			}
			first = false
		}
	}
	return ""
}

func (s *Server) recordThinking(r *Request, blocks []Block) {
	c := r.frontChain()
	for i, m := range r.Messages {
		for _, b := range m.Content {
			c.add(m.Role+strconv.Itoa(i), b)
		}
	}
	for _, b := range blocks {
		before := c.before
		if prefix := c.add("assistant"+strconv.Itoa(len(r.Messages)), b); b.isThinking() {
			s.sent[b.key()] = &sentThinking{r.Model, prefix, before}
		}
	}
}

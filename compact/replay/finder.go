package replay

import "strings"

// A finder tells which of many needles stand in a text, in one pass over it. The
// first bytes of a needle are its key; a filter of single bits tells for nearly
// every place of a text that no key begins there.

const (
	shortKey = 6  // bytes of the key of a needle shorter than longKey
	longKey  = 12 // bytes of the key of the others

	filterBits = 20
)

// finder is made for needles once; then it is read only.
type finder struct {
	needles []needle
	tiny    []int32 // needles shorter than any key
	short   keys
	long    keys
}

// needle is a text that stands for a fact.
type needle struct {
	text string
	fact int32
}

// keys finds needles by their first bytes.
type keys struct {
	filter []uint64
	by     map[uint64][]int32
}

func newFinder(needles []needle) *finder {
	f := &finder{needles: needles}
	for i, n := range needles {
		switch {
		case n.text == "":
		case len(n.text) < shortKey:
			f.tiny = append(f.tiny, int32(i))
		case len(n.text) < longKey:
			f.short.add(shortHash(word(n.text)), int32(i))
		default:
			f.long.add(longHash(word(n.text), word(n.text[longKey-8:])), int32(i))
		}
	}
	return f
}

func (k *keys) add(hash uint64, i int32) {
	if k.by == nil {
		k.by, k.filter = map[uint64][]int32{}, make([]uint64, 1<<(filterBits-6))
	}
	k.by[hash] = append(k.by[hash], i)
	bit := hash >> (64 - filterBits)
	k.filter[bit>>6] |= 1 << (bit & 63)
}

// at lists the needles whose key begins at a place.
func (k *keys) at(hash uint64) []int32 {
	bit := hash >> (64 - filterBits)
	if k.filter == nil || k.filter[bit>>6]&(1<<(bit&63)) == 0 {
		return nil
	}
	return k.by[hash]
}

// word is the first eight bytes of text, of which there may be fewer.
func word(text string) uint64 {
	if len(text) >= 8 {
		return uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
			uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
	}
	var w uint64
	for i := range len(text) {
		w |= uint64(text[i]) << (8 * i)
	}
	return w
}

func shortHash(w uint64) uint64 { return (w & (1<<(8*shortKey) - 1)) * 0x9E3779B97F4A7C15 }

func longHash(w, behind uint64) uint64 {
	return (w ^ behind*0xC2B2AE3D27D4EB4F) * 0x9E3779B97F4A7C15
}

// in calls found for every needle that stands in text, as often as it does.
func (f *finder) in(text string, found func(fact int32)) {
	for _, i := range f.tiny {
		if strings.Contains(text, f.needles[i].text) {
			found(f.needles[i].fact)
		}
	}
	for i := 0; i+shortKey <= len(text); i++ {
		w := word(text[i:])
		f.match(f.short.at(shortHash(w)), text[i:], found)
		if i+longKey <= len(text) {
			f.match(f.long.at(longHash(w, word(text[i+longKey-8:]))), text[i:], found)
		}
	}
}

func (f *finder) match(candidates []int32, text string, found func(fact int32)) {
	for _, i := range candidates {
		if n := &f.needles[i]; strings.HasPrefix(text, n.text) {
			found(n.fact)
		}
	}
}

// search collects facts, each once. It belongs to one goroutine.
type search struct {
	finder *finder
	stamp  []uint32 // by fact: the search that saw it last
	round  uint32
}

func newSearch(f *finder, facts int) *search { return &search{finder: f, stamp: make([]uint32, facts)} }

// facts lists the facts in texts, each once.
func (s *search) facts(texts ...string) []int32 {
	s.round++
	var out []int32
	for _, text := range texts {
		s.finder.in(text, func(fact int32) {
			if s.stamp[fact] != s.round {
				s.stamp[fact] = s.round
				out = append(out, fact)
			}
		})
	}
	return out
}

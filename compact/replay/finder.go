package replay

import (
	"slices"
	"strings"
)

// A finder tells which of many needles stand in a text, in one pass over it. The
// first bytes of a needle are its key; a filter of single bits tells for nearly
// every place of a text that no key begins there. Needles with one key, such as
// paths below one folder, are in the order of their texts: all that begin at a
// place are beginnings of the last one that is not above what stands there.

const (
	shortKey = 6  // bytes of the key of a needle shorter than longKey; all of one that is shorter still
	longKey  = 12 // bytes of the key of the others

	filterBits = 20
)

// finder is made for needles once; then it is read only.
type finder struct {
	needles []needle
	short   [shortKey + 1]keys // by the bytes of the key, from 1
	sizes   []int              // of short that have needles
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
	by     map[uint64][]keyed // in the order of their texts
}

// keyed is a needle among those with its key.
type keyed struct {
	needle int32
	begins int32 // the longest other one that it begins with, by its place; -1 without one
}

func newFinder(needles []needle) *finder {
	f := &finder{needles: needles}
	for i, n := range needles {
		switch size := min(len(n.text), shortKey); {
		case size == 0:
		case len(n.text) < longKey:
			f.short[size].add(shortHash(word(n.text), size), int32(i))
		default:
			f.long.add(longHash(word(n.text), word(n.text[longKey-8:])), int32(i))
		}
	}
	f.sort(&f.long)
	for size := range f.short {
		if f.sort(&f.short[size]); f.short[size].by != nil {
			f.sizes = append(f.sizes, size)
		}
	}
	return f
}

func (k *keys) add(hash uint64, i int32) {
	if k.by == nil {
		k.by, k.filter = map[uint64][]keyed{}, make([]uint64, 1<<(filterBits-6))
	}
	k.by[hash] = append(k.by[hash], keyed{i, -1})
	bit := hash >> (64 - filterBits)
	k.filter[bit>>6] |= 1 << (bit & 63)
}

// sort puts needles with one key in order and finds what they begin with.
func (f *finder) sort(k *keys) {
	for _, all := range k.by {
		if len(all) < 2 {
			continue
		}
		slices.SortFunc(all, func(a, b keyed) int { return strings.Compare(f.text(a), f.text(b)) })
		for i := 1; i < len(all); i++ {
			// Of those before, this one can begin only with the last one and with what
			// that begins with.
			at := int32(i - 1)
			for at >= 0 && !strings.HasPrefix(f.text(all[i]), f.text(all[at])) {
				at = all[at].begins
			}
			all[i].begins = at
		}
	}
}

func (f *finder) text(k keyed) string { return f.needles[k.needle].text }

// at lists the needles whose key begins at a place.
func (k *keys) at(hash uint64) []keyed {
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

func shortHash(w uint64, size int) uint64 { return (w & (1<<(8*size) - 1)) * 0x9E3779B97F4A7C15 }

func longHash(w, behind uint64) uint64 {
	return (w ^ behind*0xC2B2AE3D27D4EB4F) * 0x9E3779B97F4A7C15
}

// in calls found for every needle that stands in text, as often as it does.
func (f *finder) in(text string, found func(fact int32)) {
	for i := range len(text) {
		rest := text[i:]
		w := word(rest)
		for _, size := range f.sizes {
			if size > len(rest) {
				break
			}
			if some := f.short[size].at(shortHash(w, size)); len(some) > 0 {
				f.match(some, rest, found)
			}
		}
		if len(rest) >= longKey {
			if some := f.long.at(longHash(w, word(rest[longKey-8:]))); len(some) > 0 {
				f.match(some, rest, found)
			}
		}
	}
}

// match calls found for those of needles with one key that text begins with.
func (f *finder) match(some []keyed, text string, found func(fact int32)) {
	from, to := 0, len(some) // the first one above text is in here, or behind
	for from < to {
		if middle := (from + to) / 2; f.text(some[middle]) <= text {
			from = middle + 1
		} else {
			to = middle
		}
	}
	for i := int32(from) - 1; i >= 0; i = some[i].begins {
		if n := &f.needles[some[i].needle]; strings.HasPrefix(text, n.text) {
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

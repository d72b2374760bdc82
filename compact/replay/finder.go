package replay

import "strings"

// searchText is a text that stands for a fact.
type searchText struct {
	text string
	fact int32
}

// endBytes are the last bytes of a needle by which it is looked up: paths and names
// that begin alike end differently.
const endBytes = 6

// finder finds needles in texts. It is read only once it is made.
type finder struct {
	byEnd map[string][]searchText
	short []searchText // those of fewer bytes
}

func newFinder(needles []searchText) *finder {
	f := &finder{byEnd: map[string][]searchText{}}
	for _, n := range needles {
		if len(n.text) < endBytes {
			f.short = append(f.short, n)
			continue
		}
		end := n.text[len(n.text)-endBytes:]
		f.byEnd[end] = append(f.byEnd[end], n)
	}
	return f
}

// find lists the facts in texts, each once.
func (f *finder) find(texts ...string) []int32 {
	var out []int32
	found := map[int32]bool{}
	add := func(n searchText) {
		if !found[n.fact] {
			found[n.fact] = true
			out = append(out, n.fact)
		}
	}
	for _, text := range texts {
		for end := endBytes; end <= len(text); end++ {
			for _, n := range f.byEnd[text[end-endBytes:end]] {
				if strings.HasSuffix(text[:end], n.text) {
					add(n)
				}
			}
		}
		for _, n := range f.short {
			if strings.Contains(text, n.text) {
				add(n)
			}
		}
	}
	return out
}

package replay

import "strings"

// searchText is a text to search for and the fact that it represents.
type searchText struct {
	text string
	fact int32
}

// endBytes is the length of the suffix by which search texts are indexed. Paths and names often share a beginning and
// differ at the end.
const endBytes = 6

// finder finds many search texts at once. It is read-only after newFinder.
type finder struct {
	byEnd map[string][]searchText
	short []searchText // search texts shorter than endBytes
}

func newFinder(all []searchText) *finder {
	f := &finder{byEnd: map[string][]searchText{}}
	for _, n := range all {
		if len(n.text) < endBytes {
			f.short = append(f.short, n)
			continue
		}
		end := n.text[len(n.text)-endBytes:]
		f.byEnd[end] = append(f.byEnd[end], n)
	}
	return f
}

// find returns the facts found in texts, each once.
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

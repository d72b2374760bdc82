package harmless

import (
	"slices"
	"strings"
	"sync"
)

// Find is the entry of a command by its first words, nil if there is none.
func Find(command []string) *Entry {
	for n := min(maxWords, len(command)); n > 0; n-- {
		if e, ok := table()[strings.Join(command[:n], " ")]; ok && !strings.Contains(strings.Join(command[:n], ""), " ") {
			return &e
		}
	}
	return nil
}

// maxWords is the most words that the name of an entry has.
const maxWords = 3

// table holds the entries by name.
var table = sync.OnceValue(func() map[string]Entry {
	out := map[string]Entry{}
	for _, group := range [][]Entry{gitEntries(), goEntries(), buildEntries(), fileEntries(), textEntries()} {
		for _, e := range group {
			out[e.Name] = e
		}
	}
	return out
})

// Names lists the names of all entries, sorted.
func Names() []string {
	var out []string
	for name := range table() {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

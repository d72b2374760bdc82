package names

import (
	"iter"
	"strings"
)

// maxSeparators limits the separators of a name at which it is divided.
const maxSeparators = 24

// Parts returns the other names inside a name: all runs of its words between separators that are long enough to be a name.
// Those of compact/plan.go are compact, compact/plan and plan.go.
func Parts(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		var borders [maxSeparators + 2]int // one after each separator, and one after the end
		n := 1
		for i := 0; i < len(name) && n <= maxSeparators; i++ {
			if strings.IndexByte(separators, name[i]) >= 0 {
				borders[n] = i + 1
				n++
			}
		}
		borders[n] = len(name) + 1
		for i, from := range borders[:n] {
			for _, after := range borders[i+1 : n+1] {
				part := name[from : after-1]
				if len(part) >= minLength && len(part) < len(name) && !yield(part) {
					return
				}
			}
		}
	}
}

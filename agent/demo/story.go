package demo

import (
	_ "embed"
	"strings"
)

// The story is Markdown about windows, caches and load lines, told for as many tokens as the tools leave free. It begins at
// another chapter each time in a conversation; after the last chapter it begins again.

//go:embed story.md
var story string

const chapterMark = "\n\n## "

// tell is a story of at most n tokens from the chapter first on: whole paragraphs, and whole sentences at the end.
func tell(n, first int) string {
	chapters := strings.Split("\n\n"+strings.TrimSpace(story), chapterMark)[1:]
	out := "# On windows, caches and load lines"
	left := n - countTokens(out)
	for at := first; ; at++ {
		for p := range strings.SplitSeq("## "+chapters[at%len(chapters)], "\n\n") {
			size := countTokens(p) + 1
			if size > left {
				part := strings.Join(pieces(p)[:max(left-1, 0)], "")
				if end := strings.LastIndex(part, ". "); end > 0 {
					out += "\n\n" + part[:end+1]
				}
				return out
			}
			left -= size
			out += "\n\n" + p
		}
	}
}

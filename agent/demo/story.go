package demo

import (
	_ "embed"
	"strings"
)

// The story is Markdown about windows, caches and load lines. Each time in a conversation it starts at the next chapter;
// after the last chapter comes the first.

//go:embed story.md
var story string

const chapterMark = "\n\n## "

// tellStory returns up to n tokens of the story from chapter first on: whole paragraphs, and whole sentences of the last one.
func tellStory(n, first int) string {
	chapters := strings.Split("\n\n"+strings.TrimSpace(story), chapterMark)[1:]
	out := "# On windows, caches and load lines"
	left := n - countTokens(out)
	for chapter := first; ; chapter++ {
		for p := range strings.SplitSeq("## "+chapters[chapter%len(chapters)], "\n\n") {
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

package demo

import (
	_ "embed"
	"strings"

	"plimsoll/agent"
	"plimsoll/conversation/numbers"
)

// The rule `fill the gauge` reads the project's files with the tools, and tells a story to use up the tokens that they
// leave. The prompt ends above the load line, where the program compacts automatically, and below the hard line, so that
// the next message still fits. The story after the last call takes no more tokens than a compaction keeps as new; the
// rest of it comes before the last call.

const (
	aboveShare         = 3  // percent of the window above the load line that the prompt reaches
	endShare           = 27 // percent of the window for the story at the end; a compaction keeps the newest 25
	olderShare         = 6  // percent of the window: with less than this left over, nothing comes before the end
	minStory           = 60 // tokens: a shorter story is not told
	introductionTokens = 30 // tokens for the introduction
	maxFilesRead       = 6  // files
	maxSteps           = 3
)

func (t *turn) fillGauge([]string) reply {
	load, hard := agent.DefaultLines(t.window)
	full := min(load+t.window*aboveShare/100, (load+hard)/2)
	free := min(full-t.prompt, t.room) - introductionTokens
	older := free - t.window*endShare/100
	switch {
	case older <= t.window*olderShare/100:
	case len(t.steps) == 0 && t.tools["list_files"]:
		return t.use("I'll read what is here, and tell a story for what is still free.", toolUse{"list_files", args{"path": ".", "depth": 2}})
	case len(t.steps) == 1 && t.tools["read_file"] && len(t.filesFor(older)) > 0:
		return t.use("These files fit.", t.filesFor(older)...)
	case len(t.steps) < maxSteps && t.tools["todo_read"]:
		// The call divides the story in two steps, so that the first one is old by the end.
		const lead = "I'll look at the checklist, too."
		return t.use(storyExcerpt(older-countTokens(lead)-1, t.nextChapter())+"\n\n"+lead, toolUse{"todo_read", args{}})
	}
	text := "\n\n- `ctrl+x` or `/undo-compact` undoes it, `/redo-compact` makes it again\n" +
		"- `ctrl+t` or `/history` shows the originals next to what is sent\n- `/compact` compacts at any time"
	text = "Look at the gauge: it is above the load line (▲, " + numbers.Grouped(load) + " of " + numbers.Grouped(t.window) +
		" tokens), so older turns are compacted automatically. \"Optimizing conversation context…\" stands below while a summary is written, and you can keep typing; " +
		"then a line says what changed." + text
	if free -= countTokens(text); free >= minStory {
		text = storyExcerpt(free, t.nextChapter()) + "\n\n" + text
	}
	if used := t.prompt + countTokens(text); used <= load {
		text += "\n\nIt takes more to get there: say `fill the gauge` again."
	}
	return reply{text: text}
}

// filesFor returns calls that read listed files, with at most free tokens in total.
func (t *turn) filesFor(free int) (calls []toolUse) {
	for _, f := range t.steps[0][0].files() {
		// With line numbers, a file takes more tokens than a quarter of its bytes.
		if tokens := f.size/3 + 40; f.size > 0 && tokens < free && len(calls) < maxFilesRead {
			calls = append(calls, toolUse{"read_file", args{"path": f.name}})
			free -= tokens
		}
	}
	return calls
}

// nextChapter is the number of the next chapter: as many as the conversation has already.
func (t *turn) nextChapter() (n int) {
	for _, m := range t.history {
		n += strings.Count(m.Content.Text, chapterMark)
	}
	return n
}

// The story is Markdown about windows, caches and load lines. Each time in a conversation it starts at the next chapter;
// after the last chapter comes the first.

//go:embed story.md
var story string

const chapterMark = "\n\n## "

// storyExcerpt returns up to n tokens of the story from chapter first on: whole paragraphs, and whole sentences of the last one.
func storyExcerpt(n, first int) string {
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

package demo

import (
	_ "embed"
	"path"
	"slices"
	"strings"

	"plimsoll/agent"
	"plimsoll/conversation/numbers"
)

// The rule `fill the gauge` reads the project's files with the tools, as real work does, and tells a story to use up the
// tokens that they leave. The prompt ends above the load line, where the program compacts automatically, and below the
// hard line, so that the next message still fits. What comes last, a reply or results and a reply, takes no more tokens
// than a compaction keeps as new; the rest of it comes before.

const (
	aboveShare         = 3    // percent of the window above the load line that the prompt reaches
	endShare           = 22   // percent of the window for the end; a compaction keeps the newest 25
	olderMore          = 3    // percent of the window by which what comes before may be more or less
	olderShare         = 6    // percent of the window: with less than this left over, the end begins
	minStory           = 60   // tokens: a shorter story is not told
	introductionTokens = 30   // tokens for the introduction
	maxResult          = 9000 // tokens: the tools cut longer results
	lineOfFile         = 20   // about the tokens of a line
	maxFilesRead       = 6    // files
	maxSteps           = 3
)

func (t *turn) fillGauge([]string) reply {
	load, hard := agent.DefaultLines(t.window)
	full := min(load+t.window*aboveShare/100, (load+hard)/2)
	free := min(full-t.prompt, t.maxReply) - introductionTokens
	older := free - t.window*endShare/100
	first, _ := t.filesFor(older)
	more, left := t.filesFor(older + t.window*olderMore/100)
	switch {
	case len(t.steps) == 0 && older > t.window*olderShare/100 && t.tools["list_files"]:
		return t.use("I'll read what is here: in real work, results of tools fill the window.", toolUse{"list_files", args{"path": ".", "depth": 2}})
	case len(t.steps) == 1 && len(first) > 0:
		return t.use("These files say most.", first...)
	case len(t.steps) == 0 || len(t.steps) >= maxSteps || older <= t.window*olderShare/100:
	case len(more) > 0 && left <= 2*t.window*olderMore/100:
		return t.use("And these I have not seen yet.", more...)
	case t.tools["todo_read"]:
		// The call divides the story in two steps, so that the first one is old by the end.
		const lead = "I'll look at the checklist, too."
		return t.use(storyExcerpt(older-countTokens(lead)-1, t.nextChapter())+"\n\n"+lead, toolUse{"todo_read", args{}})
	}
	text := "\n\n- `ctrl+x` or `/undo-compact` undoes it, `/redo-compact` makes it again\n" +
		"- `ctrl+t` or `/history` shows the originals next to what is sent\n- `/compact` compacts at any time"
	text = "Look at the gauge: it is above the load line (▲, " + numbers.Grouped(load) + " of " + numbers.Grouped(t.window) +
		" tokens). So the oldest turns are compacted now, while you can keep typing. A card says which, what is kept of them, and what it costs." + text
	if free -= countTokens(text); free >= minStory {
		text = storyExcerpt(free, t.nextChapter()) + "\n\n" + text
	}
	if used := t.prompt + countTokens(text); used <= load {
		text += "\n\nIt takes more to get there: say `fill the gauge` again."
	}
	return reply{text: text}
}

// filesFor returns calls that read the largest of the listed texts that were not read yet, with at most free tokens in
// total, and how many of these are left. Of a text that is too long, they read the beginning.
func (t *turn) filesFor(free int) (calls []toolUse, left int) {
	if !t.tools["read_file"] || len(t.steps) == 0 || len(t.steps[0]) == 0 {
		return nil, free
	}
	files := t.steps[0][0].files()
	slices.SortStableFunc(files, func(a, b file) int { return b.size - a.size })
	for _, f := range files {
		wasRead := slices.ContainsFunc(slices.Concat(t.steps[1:]...), func(x exchange) bool { return x.argument("path") == f.name })
		read := args{"path": f.name}
		tokens := f.size*2/7 + 40 // with line numbers, more than a quarter of the bytes
		if wasRead || !isText(f.name) || f.size == 0 || len(calls) == maxFilesRead {
			continue
		}
		if tokens > free && free > maxResult/2 {
			tokens = min(free, maxResult)
			read["limit"] = tokens / lineOfFile
		}
		if tokens <= free {
			calls = append(calls, toolUse{"read_file", read})
			free -= tokens
		}
	}
	return calls, free
}

// texts are the extensions of the files that are read.
var texts = strings.Fields(".md .txt .go .mod .py .js .ts .tsx .jsx .rs .c .h .cc .cpp .java .kt .rb .php .sh .sql .html .css .json .toml .yaml .yml .log .csv .tex .org .rst")

func isText(name string) bool {
	base := path.Base(name)
	return !strings.HasPrefix(base, ".") && (slices.Contains(texts, strings.ToLower(path.Ext(base))) || slices.Contains(manifests, strings.ToLower(base)))
}

// nextChapter is the number of the next chapter: as many as the conversation has already.
func (t *turn) nextChapter() (n int) {
	for _, m := range t.history {
		n += strings.Count(m.Content, chapterMark)
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

package demo

import (
	"strings"

	"plimsoll/agent"
	"plimsoll/conversation/numbers"
)

// The gauge is filled with the files of the project, read with the tools, and with a story for what they leave free. It ends
// above the load line, where the program compacts automatically, and below the hard line, so that the next message still
// fits. No more of the story is told at the end than counts as new; the rest comes before the results.

const (
	aboveShare = 3  // percent above the load line that "fill the gauge" goes to
	endShare   = 27 // percent that the story at the end takes; a compaction leaves the newest 25 alone
	olderShare = 6  // percent below which none is told before
	worthStory = 60 // tokens below which no story is told
	mostRead   = 6  // files
	mostSteps  = 3
)

// loadLines are the load line, unless it was moved, and how far the gauge is
// filled: above it, and below the hard line, if possible by enough for the next
// messages, also after an undo.
func (t *turn) loadLines() (load, full int) {
	load, hard := agent.DefaultLines(t.window)
	return load, min(load+t.window*aboveShare/100, (load+hard)/2)
}

func (t *turn) fill() reply {
	t.fills = true
	_, full := t.loadLines()
	free := min(full-t.window*endShare/100-t.prompt, t.room) - openingRoom
	list, look := wanted{"list_files", args{"path": ".", "depth": 2}}, wanted{"todo_read", args{}}
	switch {
	case free <= t.window*olderShare/100:
	case len(t.steps) == 0 && t.tools[list.tool]:
		return t.use("I'll read what is here, and tell a story for what is still free.", list)
	case len(t.steps) == 1 && t.tools["read_file"] && len(t.filesFor(free)) > 0:
		return t.use("These files fit.", t.filesFor(free)...)
	case len(t.steps) < mostSteps && t.tools[look.tool]:
		// The call parts the story, so that its beginning is old by the end.
		const lead = "I'll look at the checklist, too."
		return t.use(tell(free-countTokens(lead)-1, t.chapter())+"\n\n"+lead, look)
	}
	return t.fillUp()
}

// filesFor are calls that read listed files of so many tokens in all.
func (t *turn) filesFor(free int) (calls []wanted) {
	for _, f := range t.last()[0].files() {
		// With the numbers of its lines a file takes more tokens than a quarter of its bytes.
		if tokens := f.size/3 + 40; f.size > 0 && tokens < free && len(calls) < mostRead {
			calls = append(calls, wanted{"read_file", args{"path": f.name}})
			free -= tokens
		}
	}
	return calls
}

// chapter is where the story goes on: behind what this turn has told of it.
func (t *turn) chapter() int {
	told, replies := 0, 0
	for _, m := range t.history {
		switch {
		case m.Role == "user":
			told = 0
		case m.Role == "assistant":
			told += strings.Count(m.Content.Text, "\n## ")
			if len(m.Calls) == 0 {
				replies++
			}
		}
	}
	return 3*replies + told
}

// fillUp tells a story for what is still free, and what happens now.
func (t *turn) fillUp() reply {
	load, full := t.loadLines()
	said := "Look at the gauge: it is above the load line (▲, " + numbers.Grouped(load) + " of " + numbers.Grouped(t.window) +
		" tokens), so older turns are compacted automatically. \"Optimizing conversation context…\" stands below while a summary is written, and you can keep typing; " +
		"then a line says what changed.\n\n- `ctrl+x` or `/undo-compact` undoes it\n- `ctrl+t` or `/history` shows the originals next to what is sent\n" +
		"- `/compact` compacts at any time"
	free := min(full-t.prompt, t.room) - openingRoom - countTokens(said)
	if free < worthStory && len(t.steps) == 0 {
		return reply{text: "The gauge is full: " + numbers.Grouped(t.prompt) + " of " + numbers.Grouped(t.window) + " tokens. Before a request would exceed the hard line, " +
			"older turns are compacted automatically. To compact now:\n\n- `/redo-compact`, if you undid it\n- `/summarize --keep-last 0`"}
	}
	story := ""
	if free >= worthStory {
		story = tell(free, t.chapter()) + "\n\n"
	}
	if used := t.prompt + countTokens(story+said); used <= load {
		return reply{text: story + "The gauge is at about " + numbers.Grouped(used) + " of " + numbers.Grouped(t.window) +
			" tokens, the load line (▲) at " + numbers.Grouped(load) + ". Say `fill the gauge` again to continue."}
	}
	return reply{text: story + said}
}

package demo

import (
	"strings"

	"plimsoll/agent"
	"plimsoll/conversation/numbers"
)

// The gauge is filled with the files of the project, read with the tools, and with a story for what they leave free. It ends
// above the load line, where the program compacts automatically, and below the hard line, so that the next message still
// fits. No more of the story is told at the end than counts as new; the rest comes before the last call.

const (
	aboveShare  = 3  // percent of the window above the load line that it is filled to
	endShare    = 27 // percent that the story at the end takes; a compaction leaves the newest 25 alone
	olderShare  = 6  // percent below which none is told before
	worthStory  = 60 // tokens below which no story is told
	openingRoom = 30 // tokens for the introduction
	mostRead    = 6  // files
	mostSteps   = 3
)

func (t *turn) fillGauge([]string) reply {
	load, hard := agent.DefaultLines(t.window)
	full := min(load+t.window*aboveShare/100, (load+hard)/2)
	free := min(full-t.prompt, t.room) - openingRoom
	older := free - t.window*endShare/100
	switch {
	case older <= t.window*olderShare/100:
	case len(t.steps) == 0 && t.tools["list_files"]:
		return t.use("I'll read what is here, and tell a story for what is still free.", wanted{"list_files", args{"path": ".", "depth": 2}})
	case len(t.steps) == 1 && t.tools["read_file"] && len(t.filesFor(older)) > 0:
		return t.use("These files fit.", t.filesFor(older)...)
	case len(t.steps) < mostSteps && t.tools["todo_read"]:
		// The call parts the story, so that its beginning is old by the end.
		const lead = "I'll look at the checklist, too."
		return t.use(tellStory(older-countTokens(lead)-1, t.chapter())+"\n\n"+lead, wanted{"todo_read", args{}})
	}
	said := "\n\n- `ctrl+x` or `/undo-compact` undoes it, `/redo-compact` makes it again\n" +
		"- `ctrl+t` or `/history` shows the originals next to what is sent\n- `/compact` compacts at any time"
	said = "Look at the gauge: it is above the load line (▲, " + numbers.Grouped(load) + " of " + numbers.Grouped(t.window) +
		" tokens), so older turns are compacted automatically. \"Optimizing conversation context…\" stands below while a summary is written, and you can keep typing; " +
		"then a line says what changed." + said
	if free -= countTokens(said); free >= worthStory {
		said = tellStory(free, t.chapter()) + "\n\n" + said
	}
	if used := t.prompt + countTokens(said); used <= load {
		said += "\n\nIt takes more to get there: say `fill the gauge` again."
	}
	return reply{text: said}
}

// filesFor are calls that read listed files of so many tokens in all.
func (t *turn) filesFor(free int) (calls []wanted) {
	for _, f := range t.steps[0][0].files() {
		// With the numbers of its lines a file takes more tokens than a quarter of its bytes.
		if tokens := f.size/3 + 40; f.size > 0 && tokens < free && len(calls) < mostRead {
			calls = append(calls, wanted{"read_file", args{"path": f.name}})
			free -= tokens
		}
	}
	return calls
}

// chapter is where the story goes on: behind what was told of it in the conversation.
func (t *turn) chapter() (told int) {
	for _, m := range t.history {
		told += strings.Count(m.Content.Text, chapterMark)
	}
	return told
}

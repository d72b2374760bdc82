package demo

import (
	"strings"

	"plimsoll/agent"
	"plimsoll/conversation/numbers"
)

// The gauge is filled with a story that ends above the load line, where the
// program makes room automatically, and below the hard line, so that the next
// message still fits. Room is made of what is old, so no more of the story is
// told at the end than counts as new; the rest comes before a look at the
// checklist. The end is what to look at.

const (
	aboveShare = 3  // percent above the load line that "fill the gauge" goes to
	endShare   = 27 // percent that the story at the end takes; a step leaves the newest 25 alone
	olderShare = 6  // percent below which none is told before
	worthStory = 60 // tokens below which no story is told
)

// loadLines are the load line, unless it was moved, and how far the gauge is
// filled: above it, and below the hard line, if possible by enough for the next
// messages, also after an undo.
func (t *turn) loadLines() (load, full int) {
	load, hard := agent.DefaultLines(t.window)
	return load, min(load+t.window*aboveShare/100, (load+hard)/2)
}

func (t *turn) fill() reply {
	load, full := t.loadLines()
	older := min(full-t.window*endShare/100-t.prompt, t.room) - openingRoom
	if len(t.steps) > 0 || older <= t.window*olderShare/100 {
		return t.fillUp(load, full)
	}
	// The call parts the story, so that its beginning is old by the end; what it
	// answers is short, because that counts as new.
	lead, look := "I'll look at the checklist, too.", wanted{"todo_read", args{}}
	if !t.tools[look.tool] {
		lead, look = "I'll see what there is.", wanted{"list_files", args{"path": ".", "depth": 1}}
	}
	if !t.tools[look.tool] {
		return t.fillUp(load, full)
	}
	return t.use(tell(older-countTokens(lead), t.chapter())+"\n\n"+lead, look)
}

// chapter is where the story goes on: behind what this turn has told of it.
func (t *turn) chapter() int {
	told := 0
	for _, m := range t.history {
		switch m.Role {
		case "user":
			told = 0
		case "assistant":
			told += strings.Count(m.Content.Text, "\n## ")
		}
	}
	return 3*t.replies() + told
}

// fillUp tells a story for what is still free, and what happens now.
func (t *turn) fillUp(load, full int) reply {
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

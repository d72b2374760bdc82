// Package welcome draws the card of an empty conversation.
package welcome

import (
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
)

// A conversation without messages shows what this is, which model it
// talks to, what the colors of the gauge mean, and what else was found. With the demo
// model it offers three things to try by number: they fill the gauge, let a compaction
// happen, and show what fills the window. Keys are
// named as they are bound; where one is off, its command stands in its place. Where
// there is little height the welcome is brief: what the demo model is can be asked of
// it.

// Content is what the card tells of.
type Content struct {
	Open    bool   // a conversation is
	Failed  string // why none is open, "" while one is opening
	Model   string
	Badge   string   // of the demo model, "" for any other
	Keyless string   // the provider of the model, where its key is missing
	Found   []string // what else there is to talk to
	Legend  []Mark   // of the gauge, the most important first
	Keys    Keys     // as they are bound
	Connect string   // the key, or the command where it is off, that leads to a model
}

// Mark is a cell of the gauge as it is drawn, and what it stands for.
type Mark struct{ Cell, Means string }

// Styles is how the card looks.
type Styles struct{ Title, Subtle, Accent, Failure lipgloss.Style }

// Card is the card, in lines no wider than width; a brief one has fewer.
func Card(c Content, s Styles, width int, brief bool) []string {
	w := card{Content: c, look: s, width: width, brief: brief}
	return w.draw()
}

// draw writes the card.
func (c *card) draw() []string {
	c.gap()
	switch {
	case !c.Open && c.Failed != "":
		c.say(c.look.Failure, plain.Text(c.Failed))
		c.gap()
		c.say(c.look.Subtle, "/new tries again, /resume opens another conversation, "+c.Connect+" connects a model.")
	case !c.Open:
		c.say(c.look.Subtle, "opening…")
	case c.Badge != "":
		c.welcomeToDemo()
	case c.Keyless != "":
		c.say(c.look.Title, "There is no key for "+plain.Line(c.Keyless)+" yet.")
		c.say(c.look.Subtle, plain.Line(c.Model)+" needs one. "+c.found()+c.Connect+" stores one, /model chooses another model.")
	default:
		c.welcomeToModel()
	}
	c.gap()
	for i, l := range c.lines {
		c.lines[i] = ansi.Truncate(l, c.width, "")
	}
	return c.lines
}

// welcomeToDemo says what the demo model is, and leads through the first minute.
func (c *card) welcomeToDemo() {
	if c.brief {
		c.lines = nil
	}
	c.say(c.look.Title, "This is the demo model: "+plain.Line(c.Badge)+".")
	if !c.brief {
		c.say(lipgloss.NewStyle(), "A tiny scripted bot, so you can try everything without an API key. It reads your files, and edits them once you approve.")
		c.gap()
	}
	c.legend("The gauge below shows what fills the window: ", "The gauge: ")
	if !c.brief {
		c.gap()
		how := "Try one: type its number and press enter."
		if c.Keys.Complete != "" {
			how = "Try one: type its number, or press " + c.Keys.Complete + ", then enter."
		}
		c.say(lipgloss.NewStyle(), how)
	}
	for i, text := range Suggestions() {
		c.try(i+1, text, [][]string{
			{"uses tools on your files", "uses tools"},
			{"past ▲ older turns are compacted; " + c.Keys.Undo + " undoes that", "compacts past ▲; " + c.Keys.Undo + " undoes that", c.Keys.Undo + " undoes"},
			{"what fills the window; " + c.Keys.History + " shows the originals next to what is sent", "what fills the window; " + c.Keys.History + " shows the originals", "what fills the window", "window"},
		}[i]...)
	}
	if c.brief {
		c.say(c.look.Subtle, c.found()+c.Connect+" connects a real model.")
		return
	}
	c.gap()
	c.say(c.look.Subtle, c.found()+c.Connect+" connects a real model: choose a provider and paste a key.")
}

// welcomeToModel says which model it is and what else there is to talk to.
func (c *card) welcomeToModel() {
	c.say(c.look.Title, "Talking to "+plain.Line(c.Model)+".")
	c.say(c.look.Subtle, "The gauge below shows how full its context window is, and moves while you type. /context explains it.")
	if !c.brief {
		c.legend("", "")
	}
	if found := c.found(); found != "" {
		if !c.brief {
			c.gap()
		}
		c.say(c.look.Subtle, found+"/connect adds others.")
	}
}

// found says what was found to talk to, with a space behind it, "" for nothing.
func (c *card) found() string {
	if len(c.Found) == 0 {
		return ""
	}
	return "Found: " + plain.Line(strings.Join(c.Found, ", ")) + ". "
}

// card is the welcome as it is written.
type card struct {
	Content
	width int
	look  Styles
	brief bool
	lines []string
}

func (c *card) gap() { c.lines = append(c.lines, "") }

// measure is the most cells of a line of text, as in a reply.
const measure = 98

// say adds a text in as many lines as it takes.
func (c *card) say(style lipgloss.Style, text string) {
	for l := range strings.SplitSeq(ansi.Wrap(text, max(1, min(c.width-4, measure)), ""), "\n") {
		c.lines = append(c.lines, "  "+style.Render(l))
	}
}

// legend adds a line that says what the colors of the gauge mean: with the first of the
// leads that leaves room for all marks, or else with the last and fewer marks.
func (c *card) legend(leads ...string) {
	line, room := "", c.width-4
	for _, lead := range leads {
		shown := 0
		if line, shown = c.marks(lead, room); shown == len(c.Legend) {
			break
		}
	}
	c.lines = append(c.lines, "  "+line)
}

// marks is a lead and as many marks as there is room for.
func (c *card) marks(line string, room int) (text string, shown int) {
	gap := ""
	for i, m := range c.Legend {
		next := line + gap + m.Cell + " " + c.look.Subtle.Render(m.Means)
		if ansi.StringWidth(next) > room {
			return line, i
		}
		line, gap = next, "  "
	}
	return line, len(c.Legend)
}

const (
	columnsFrom = 60   // cells from which on the remarks stand in a column
	space       = "  " // before a remark
)

// try adds something to try, with the first of the remarks for which there is room.
func (c *card) try(number int, text string, remarks ...string) {
	const lead = 5 // cells before the text
	column := 0
	if c.width >= columnsFrom {
		for _, s := range Suggestions() {
			column = max(column, ansi.StringWidth(s))
		}
	}
	text += strings.Repeat(" ", max(0, column-ansi.StringWidth(text)))
	for _, r := range remarks {
		if lead+ansi.StringWidth(text+space+r) <= c.width {
			text += space + c.look.Subtle.Render(r)
			break
		}
	}
	c.lines = append(c.lines, "  "+c.look.Accent.Render(strconv.Itoa(number))+"  "+text)
}

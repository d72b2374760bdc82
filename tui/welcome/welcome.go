// Package welcome draws the card of an empty conversation.
package welcome

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
)

// A conversation without messages shows what this is, which model it
// talks to and what else was found. With the demo model it names three things to try:
// they fill the gauge, let a compaction happen, and show what came of it. Keys are
// named as they are bound; where one is off, its command stands in its place. Where
// there is little height the welcome is brief: what the demo model is can be asked of
// it.

// Content is what the card tells of.
type Content struct {
	Open          bool   // a conversation is
	Failed        string // why none is open, "" while one is opening
	Model         string
	Badge         string   // of the demo model, "" for any other
	Keyless       string   // the provider of the model, where its key is missing
	Found         []string // what else there is to talk to
	Undo, History string   // the keys, or the commands where these are off
	Connect       string   // the same, of what leads to a model
}

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
		c.say(c.look.Subtle, plain.Line(c.Model)+" answers nobody without one. "+c.found()+c.Connect+" stores one, /model chooses another model.")
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
		c.say(lipgloss.NewStyle(), "A tiny scripted bot, so you can try everything without an API key. It really reads and edits your files, after you approve.")
		c.gap()
		c.say(lipgloss.NewStyle(), "Try:")
	}
	c.try("what is in this project?", "uses tools on your files, and fills the gauge", "uses tools")
	c.try("fill the gauge", "past ▲ Plimsoll makes room; "+c.Undo+" undoes that", "past ▲ Plimsoll makes room", c.Undo+" undoes")
	c.try(c.History, "the full conversation next to what the model is sent", "said and seen")
	if c.brief {
		c.say(c.look.Subtle, c.found()+c.Connect+" connects a real model.")
		return
	}
	c.gap()
	c.say(c.look.Subtle, c.found()+c.Connect+" connects a real model: choose a provider, paste a key, go on.")
}

// welcomeToModel says which model it is and what else there is to talk to.
func (c *card) welcomeToModel() {
	c.say(c.look.Title, "Talking to "+plain.Line(c.Model)+".")
	c.say(c.look.Subtle, "The gauge below shows how full its context window is, and moves while you type.")
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

// say adds a text in as many lines as it takes.
func (c *card) say(style lipgloss.Style, text string) {
	for l := range strings.SplitSeq(ansi.Wrap(text, max(1, c.width-4), ""), "\n") {
		c.lines = append(c.lines, "  "+style.Render(l))
	}
}

// try adds something to try, with the first of the remarks for which there is room.
func (c *card) try(text string, remarks ...string) {
	for _, r := range remarks {
		if with := text + "   (" + r + ")"; ansi.StringWidth("  › "+with) <= c.width {
			text = with
			break
		}
	}
	c.lines = append(c.lines, "  "+c.look.Accent.Render("›")+" "+text)
}

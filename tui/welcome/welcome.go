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

// card is the welcome as it is written.
type card struct {
	Content
	Styles
	width int
	lines []string
}

// Card is the card, in lines no wider than width; a brief one has fewer.
func Card(content Content, s Styles, width int, brief bool) []string {
	c := card{Content: content, Styles: s, width: width}
	if !brief || c.Badge == "" {
		c.gap()
	}
	switch {
	case !c.Open && c.Failed != "":
		c.say(c.Failure, plain.Text(c.Failed))
		c.gap()
		c.say(c.Subtle, "/new tries again, /resume opens another conversation, "+c.Connect+" connects a model.")
	case !c.Open:
		c.say(c.Subtle, "opening…")
	case c.Badge != "":
		c.demo(brief)
	case c.Keyless != "":
		c.say(c.Title, "There is no key for "+plain.Line(c.Keyless)+" yet.")
		c.say(c.Subtle, plain.Line(c.Model)+" needs one. "+c.found()+c.Connect+" stores one, /model chooses another model.")
	default:
		c.say(c.Title, "Talking to "+plain.Line(c.Model)+".")
		c.say(c.Subtle, "The gauge below shows how full its context window is, and moves while you type. /context explains it.")
		if !brief {
			c.legend("")
		}
		if found := c.found(); found != "" {
			c.say(c.Subtle, found+"/connect adds others.")
		}
	}
	c.gap()
	for i, l := range c.lines {
		c.lines[i] = ansi.Truncate(l, width, "")
	}
	return c.lines
}

// demo says what the demo model is, and leads through the first minute.
func (c *card) demo(brief bool) {
	prose := lipgloss.NewStyle()
	c.say(c.Title, "This is the demo model: "+plain.Line(c.Badge)+".")
	if !brief {
		c.say(prose, "A tiny scripted bot, so you can try everything without an API key. It reads your files, and edits them once you approve.")
		c.gap()
	}
	c.legend("The gauge: ")
	if !brief {
		c.gap()
		how := "Try one: type its number and press enter."
		if c.Keys.Complete != "" {
			how = "Try one: type its number, or press " + c.Keys.Complete + ", then enter."
		}
		c.say(prose, how)
	}
	c.try(1, "uses tools on your files", "uses tools")
	c.try(2, "compacts past ▲; "+c.Keys.Undo+" undoes that", c.Keys.Undo+" undoes")
	c.try(3, "what fills the window; "+c.Keys.History+" shows the originals", "what fills the window")
	if !brief {
		c.gap()
	}
	c.say(c.Subtle, c.found()+c.Connect+" connects a real model.")
}

// found says what was found to talk to, with a space behind it, "" for nothing.
func (c *card) found() string {
	if len(c.Found) == 0 {
		return ""
	}
	return "Found: " + plain.Line(strings.Join(c.Found, ", ")) + ". "
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

// legend adds a line that says what the colors of the gauge mean, as many as there is room for.
func (c *card) legend(lead string) {
	line, gap := "  "+lead, ""
	for _, m := range c.Legend {
		next := line + gap + m.Cell + " " + c.Subtle.Render(m.Means)
		if ansi.StringWidth(next) > c.width-2 {
			break
		}
		line, gap = next, "  "
	}
	c.lines = append(c.lines, line)
}

// try adds a suggestion, with a remark for which there is room.
func (c *card) try(number int, remark, brief string) {
	text := Suggestions()[number-1]
	if c.width >= 60 { // the remarks stand in a column
		text += strings.Repeat(" ", max(0, len(Suggestions()[0])-len(text)))
	}
	line := "  " + c.Accent.Render(strconv.Itoa(number)) + "  " + text + "  "
	for _, r := range []string{remark, brief} {
		if ansi.StringWidth(line+r) <= c.width {
			line += c.Subtle.Render(r)
			break
		}
	}
	c.lines = append(c.lines, line)
}

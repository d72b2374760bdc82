// Package welcome draws the card of an empty conversation.
package welcome

import (
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"plimsoll/conversation/plain"
)

// The card shows which model the conversation uses, what the colors of the gauge mean, and which
// other models were found. For the demo model it offers three inputs to try by number: they fill
// the gauge, run a compaction, and show what fills the window. Keys are named as they are
// bound; if a key is off, the card names its command. A brief card for low screens leaves out
// the explanations.

// Content is the content of the card.
type Content struct {
	Open    bool   // a conversation is open
	Failed  string // why no conversation could be opened, "" while one is being opened
	Model   string
	Badge   string   // of the demo model, "" for any other
	Keyless string   // the provider of the model if its API key is missing
	Found   []string // other models and servers that were found
	Keys    Keys     // as they are bound
	Connect string   // the key that connects a model, or the command if the key is off
	Hull    bool     // the mark is drawn on its hull, which lies Percent of its height in the water
	Percent int
}

// Styles are the styles of the card.
type Styles struct{ Title, Subtle, Accent, Failure lipgloss.Style }

// card collects the lines of the card.
type card struct {
	Content
	Styles
	width int
	lines []string
}

// Card returns the lines of the card, none wider than width. A brief card has fewer.
func Card(content Content, s Styles, width int, brief bool) []string {
	c := card{Content: content, Styles: s, width: width}
	if !brief || c.Badge == "" {
		c.addGap()
	}
	if c.Hull && !brief && width >= 36 {
		c.addHull()
	}
	switch {
	case !c.Open && c.Failed != "":
		c.addText(c.Failure, plain.Text(c.Failed))
		c.addGap()
		c.addText(c.Subtle, "/new tries again, /resume opens another conversation, "+c.Connect+" connects a model.")
	case !c.Open:
		c.addText(c.Subtle, "opening…")
	case c.Badge != "":
		c.addDemo(brief)
	case c.Keyless != "":
		c.addText(c.Title, "There is no key for "+plain.Line(c.Keyless)+" yet.")
		c.addText(c.Subtle, plain.Line(c.Model)+" needs one. "+c.found()+c.Connect+" stores one, /model chooses another model.")
	default:
		c.addText(c.Title, "Talking to "+plain.Line(c.Model)+".")
		c.addText(c.Subtle, "The line below shows what fills its context window. /context explains it.")
		if found := c.found(); found != "" {
			c.addText(c.Subtle, found+"/connect adds others.")
		}
	}
	c.addGap()
	for i, l := range c.lines {
		c.lines[i] = ansi.Truncate(l, width, "")
	}
	return c.lines
}

// Mark is the load line on a ship's hull.
const Mark = "⊖"

// hull is drawn above the keel, which is always in the water.
var hull = [...]string{"▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁▁", "▜████████" + Mark + "█████████▛", " ▜████████████████▛ "}

// addHull draws the mark on its hull: the fuller the window, the deeper it lies.
func (c *card) addHull() {
	water := max(0, len(hull)-1-c.Percent*len(hull)/100)
	for i, l := range hull {
		left, right, marked := strings.Cut(l, Mark)
		line := c.Subtle.Render(left)
		if marked {
			line += c.Accent.Render(Mark) + c.Subtle.Render(right)
		}
		wave := "    "
		if i >= water {
			wave = c.Accent.Render("~~~~")
		}
		c.lines = append(c.lines, wave+line+wave)
	}
	c.addGap()
}

// addDemo explains the demo model and offers inputs to try.
func (c *card) addDemo(brief bool) {
	prose := lipgloss.NewStyle()
	c.addText(c.Title, "This is the demo model: "+plain.Line(c.Badge)+".")
	if !brief {
		c.addText(prose, "A tiny scripted bot, so you can try everything without an API key. It reads your files, and edits them once you approve.")
		c.addGap()
		how := "Try one: type its number and press enter."
		if c.Keys.Complete != "" {
			how = "Try one: type its number, or press " + c.Keys.Complete + ", then enter."
		}
		c.addText(prose, how)
	}
	c.addSuggestion(1, "uses tools on your files", "uses tools")
	c.addSuggestion(2, "watch it compact at ▲; "+c.Keys.Undo+" undoes that", c.Keys.Undo+" undoes")
	c.addSuggestion(3, "what fills the window; "+c.Keys.History+" shows the originals", "what fills the window")
	if !brief {
		c.addGap()
	}
	needs := ""
	if len(c.Found) == 0 && !brief {
		needs = " (needs an API key)"
	}
	c.addText(c.Subtle, c.found()+"Connect a real model: "+c.Connect+needs+".")
}

// found is a sentence about the other models that were found, with a space at its end, "" for none.
func (c *card) found() string {
	if len(c.Found) == 0 {
		return ""
	}
	return "Found: " + plain.Line(strings.Join(c.Found, ", ")) + ". "
}

func (c *card) addGap() { c.lines = append(c.lines, "") }

// measure is the most cells of a line of text, as in a reply.
const measure = 98

func (c *card) addText(style lipgloss.Style, text string) {
	for l := range strings.SplitSeq(ansi.Wrap(text, max(1, min(c.width, measure)), ""), "\n") {
		c.lines = append(c.lines, style.Render(l))
	}
}

// addSuggestion adds a suggestion with its number, and the longer of two remarks that fits.
func (c *card) addSuggestion(number int, remark, brief string) {
	text := Suggestions()[number-1]
	if c.width >= 58 { // the remarks are aligned
		text += strings.Repeat(" ", max(0, len(Suggestions()[0])-len(text)))
	}
	line := c.Accent.Render(strconv.Itoa(number)) + "  " + text + "  "
	for _, r := range []string{remark, brief} {
		if ansi.StringWidth(line+r) <= c.width {
			line += c.Subtle.Render(r)
			break
		}
	}
	c.lines = append(c.lines, line)
}

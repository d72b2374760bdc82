// Package owncommand finds the slash commands of the user's own and makes messages of them. A command is a Markdown file, with
// YAML front matter and a text to send. It guarantees that what a command names is not run or read before the permissions, and
// for a file of the workspace the user's yes to its content, allow it.
package owncommand

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/conversation/plain"
)

// Origin is who a command comes from: the user, or the workspace, whose files others may have written.
type Origin string

// The origins.
const (
	User      Origin = "user"
	Workspace Origin = "workspace"
)

// Command is a slash command of the user's own. Its texts are sanitised.
type Command struct {
	Name        string // as typed after the slash, in lower case; "folder:name" for a file in a subfolder
	Origin      Origin
	Path        string   // of the file, absolute
	Text        string   // the whole file
	Body        string   // what is sent, before anything is put in
	Description string   // one line, may be ""
	Arguments   string   // hint of the arguments, may be ""
	Model       string   // that answers, "" for the one in use
	Preset      string   // of compaction, "" for the one in force
	Tools       []string // of an agent: names of the only tools it has; nil: all
	Ignored     []string // fields of the front matter that have no effect here
}

// Parse reads the text of a file. The error says what is wrong with the front matter, or that there is no text to send.
func Parse(text string) (Command, error) {
	c := Command{Text: plain.Text(text)}
	fields, body, err := config.FrontMatter(c.Text)
	if err != nil {
		return c, err
	}
	if c.Body = strings.TrimSpace(body); c.Body == "" {
		return c, errors.New("it has no text to send")
	}
	first, _, _ := strings.Cut(c.Body, "\n")
	if c.Description = field(fields, "description"); c.Description == "" {
		c.Description = oneLine(strings.TrimLeft(first, "# "))
	}
	for _, key := range []string{"arguments", "argument-hint"} {
		if list := fields.List(key); field(fields, key) == "" && len(list) > 0 { // [FILE] is a list in YAML
			c.Arguments = oneLine("[" + strings.Join(list, "] [") + "]")
		} else if hint := field(fields, key); hint != "" {
			c.Arguments = hint
		}
	}
	for _, name := range fields.List("tools") {
		c.Tools = append(c.Tools, oneLine(name))
	}
	c.Model, c.Preset = strings.TrimPrefix(field(fields, "model"), "inherit"), field(fields, "preset")
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains([]string{"name", "description", "argument-hint", "arguments", "model", "preset"}, key) {
			c.Ignored = append(c.Ignored, oneLine(key))
		}
	}
	return c, nil
}

func field(fields config.Fields, key string) string { return oneLine(fields.Text(key)) }

func oneLine(text string) string {
	return plain.Line(plain.MarkInvisible(conversation.OneLine(text, 120)))
}

// Needs says what the user has to allow before a file of the workspace may do all it asks for; it completes the sentence "it
// ...". It is "" for a file that only sends text.
func (c Command) Needs() string {
	var needs []string
	if len(Expand(c.Body, "").Commands) > 0 {
		needs = append(needs, "runs commands on your machine")
	}
	if c.Model != "" {
		needs = append(needs, "chooses which model gets your conversation")
	}
	if c.Preset != "" {
		needs = append(needs, "changes what is sent of your conversation")
	}
	return strings.Join(needs, ", and ")
}

package tools

import (
	"context"
	"fmt"
	"strings"

	"plimsoll/conversation"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
)

// result is the output of a tool that ran without an error.
type result struct {
	text   string
	detail string
	status conversation.ResultStatus // "": ok
	events []conversation.Body       // stored with the result
	images []conversation.Image      // stored already
	denied string                    // what the sandbox kept a command from
}

// tool is one tool of a Box.
type tool struct {
	name, about string
	brief       string // shorter description, for small windows
	optional    bool   // not declared if the window is too small for all tools; work on files does not need it
	params      []params.Param
	readOnly    bool
	// access is the kind of access that calls need. It decides which patterns the user's
	// rules may use; the rule name "edit" covers every tool that changes files.
	access permission.Access
	// effect describes what a call would do, for permissions and for display. An error
	// means that the call cannot succeed; Run would return the same one. nil: the
	// call has no effect, and its title is made of the arguments that subject names.
	effect  func(ctx context.Context, args params.Values) (permission.Effect, error)
	subject []string
	run     func(ctx context.Context, args params.Values, progress func(string)) (result, error)
}

// effectOf describes what a call of the tool would do.
func (t tool) effectOf(ctx context.Context, args params.Values) (permission.Effect, error) {
	if t.effect != nil {
		return t.effect(ctx, args)
	}
	var title []string
	for _, name := range t.subject {
		title = append(title, args.Text(name))
	}
	return permission.Effect{Tool: t.name, Title: strings.TrimSpace(strings.Join(title, " "))}, nil
}

// Specs declares the tools, in a fixed order and with fixed bytes.
func (b *Box) Specs() []conversation.ToolSpec {
	specs := make([]conversation.ToolSpec, len(b.tools))
	for i, t := range b.tools {
		specs[i] = conversation.ToolSpec{Name: t.name, Description: t.about, Parameters: params.Schema(t.params, false), ReadOnly: t.readOnly}
	}
	return specs
}

// Brief declares the tools with short descriptions, in the order of Specs; essential leaves out the optional ones. Every
// request carries the declarations, and the full ones would fill half of a small window.
func (b *Box) Brief(essential bool) []conversation.ToolSpec {
	specs := make([]conversation.ToolSpec, 0, len(b.tools))
	for _, t := range b.tools {
		if !essential || !t.optional {
			specs = append(specs, conversation.ToolSpec{Name: t.name, Description: t.brief, Parameters: params.Schema(t.params, true), ReadOnly: t.readOnly})
		}
	}
	return specs
}

// listed is a skill or an agent in a description.
type listed struct{ name, about string }

// withList adds to a text a list, each entry with as much of its own text as there is room for in most bytes. more says how many
// are left out if there is no room for all names.
func withList(text string, list []listed, most int, more string) string {
	for _, chars := range []int{240, 160, 100, 60, 30, 0} {
		full := text
		for _, e := range list {
			full += "\n- " + e.name
			if chars > 0 && e.about != "" {
				full += ": " + conversation.OneLine(e.about, chars)
			}
		}
		if len(full) <= most {
			return full
		}
	}
	for i, e := range list {
		if len(text)+len(e.name) > most-100 {
			return text + fmt.Sprintf(more, len(list)-i)
		}
		text += "\n- " + e.name
	}
	return text
}

package tools

import (
	"context"
	"strings"

	"plimsoll/conversation"
	"plimsoll/tools/params"
	"plimsoll/tools/permission"
)

// result is what a tool gives back when it did its work.
type result struct {
	text   string
	detail string
	status conversation.ResultStatus // "": ok
}

// tool is one tool of a Box.
type tool struct {
	name, about string
	brief       string // about in fewer words, for small windows
	optional    bool   // left out where a window is too small for all declarations: files can be worked on without it
	params      []params.Param
	readOnly    bool
	// access is the sort of thing that calls do. Rules of the user about the tool may
	// have the patterns of that sort, and edit stands for it if it changes files.
	access permission.Access
	// effect says what a call would do, for permissions and for the eye. An error
	// says that the call cannot succeed, and Run would give the same. nil: the
	// call touches nothing, and the arguments that subject names tell what it is about.
	effect  func(ctx context.Context, args params.Values) (permission.Effect, error)
	subject []string
	run     func(ctx context.Context, args params.Values, progress func(string)) (result, error)
}

// effectOf says what a call of the tool would do.
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
		specs[i] = conversation.ToolSpec{Name: t.name, Description: t.about, Parameters: params.Schema(t.params), ReadOnly: t.readOnly}
	}
	return specs
}

// Brief declares the tools in fewer words, in the order of Specs: declarations are paid for
// with every request, and windows exist that the full ones would half fill.
func (b *Box) Brief() []conversation.ToolSpec { return briefly(b.tools, false) }

// Few declares in fewer words the tools that work on files needs, and the user's own.
func (b *Box) Few() []conversation.ToolSpec { return briefly(b.tools, true) }

// briefly declares tools in fewer words, and leaves the optional ones out on request.
func briefly(tools []tool, fewer bool) []conversation.ToolSpec {
	specs := make([]conversation.ToolSpec, 0, len(tools))
	for _, t := range tools {
		if !fewer || !t.optional {
			specs = append(specs, conversation.ToolSpec{Name: t.name, Description: t.brief, Parameters: params.Brief(t.params), ReadOnly: t.readOnly})
		}
	}
	return specs
}

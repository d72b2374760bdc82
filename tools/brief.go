package tools

import (
	"plimsoll/conversation"
	"plimsoll/tools/params"
)

// Declarations are paid for with every request, and windows exist that they would
// half fill. For those they come in fewer words, or only the tools come without
// which no work on files is possible. What a call may hold and does stays the same.

// Brief declares the tools in fewer words, in the order of Specs.
func (b *Box) Brief() []conversation.ToolSpec { return briefly(b.tools, false) }

// Few declares in fewer words the tools that work on files needs, and the user's own.
func (b *Box) Few() []conversation.ToolSpec { return briefly(b.tools, true) }

// briefly declares tools in fewer words, and leaves the optional ones out on request.
func briefly(tools []tool, fewer bool) []conversation.ToolSpec {
	specs := make([]conversation.ToolSpec, 0, len(tools))
	for _, t := range tools {
		if fewer && t.optional {
			continue
		}
		specs = append(specs, conversation.ToolSpec{Name: t.name, Description: t.brief, Parameters: params.Brief(t.params), ReadOnly: t.readOnly})
	}
	return specs
}

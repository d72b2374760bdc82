package tools

import (
	"context"

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
	// call touches nothing.
	effect func(ctx context.Context, args params.Values) (permission.Effect, error)
	run    func(ctx context.Context, args params.Values, progress func(string)) (result, error)
}

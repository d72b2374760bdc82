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
	params      []params.Param
	readOnly    bool
	// effect says what a call would do, for permissions and for the eye. An error
	// says that the call cannot succeed, and Run would give the same. nil: the
	// call touches nothing.
	effect func(ctx context.Context, args params.Values) (permission.Effect, error)
	run    func(ctx context.Context, args params.Values, progress func(string)) (result, error)
}

package tools

import (
	"slices"

	"plimsoll/conversation"
	"plimsoll/tools/params"
)

// Declarations are paid for with every request, and windows exist that they would
// half fill. For those they come in fewer words, or only the tools come without
// which no work on files is possible. What a call may hold and does stays the same.

// briefs are the descriptions in fewer words, by tool. A tool that is missing keeps
// its own.
var briefs = map[string]string{
	"read_file":      "Show a text file with line numbers.",
	"list_files":     "List files and folders.",
	"find_files":     "Find files by glob, such as src/**/*.go.",
	"grep_files":     "Search file contents with a regular expression (RE2).",
	"create_file":    "Create a text file.",
	"modify_file":    "Replace old by new; old is exact text of the file, without line numbers, that occurs once. Read the file first.",
	"run_command":    "Run a shell command. background: true returns an id; call with id to read its output, with stop to end it.",
	"http_request":   "Send an HTTP request.",
	"todo_read":      "Show your checklist.",
	"todo_write":     "Write your whole checklist; the user sees it.",
	"ask_user":       "Ask the user one question.",
	"recall":         "Show the original of what was cut, by id: an event (e41), turns (t3-7) or a call's id. Without id, list what was.",
	"search_history": "Find earlier messages of this conversation; gives ids for recall.",
	"compact":        "Have this conversation shortened before your next step.",
}

// needless are the tools without which work on files is possible.
var needless = []string{"find_files", "http_request", "todo_read", "todo_write", "ask_user", "search_history", "compact"}

// Brief declares the tools in fewer words, in the order of Specs.
func (b *Box) Brief() []conversation.ToolSpec {
	specs := make([]conversation.ToolSpec, len(b.tools))
	for i, t := range b.tools {
		specs[i] = conversation.ToolSpec{Name: t.name, Description: t.about, Parameters: params.Schema(t.params), ReadOnly: t.readOnly}
		if about, ok := briefs[t.name]; ok {
			specs[i].Description, specs[i].Parameters = about, params.Brief(t.params)
		}
	}
	return specs
}

// Few declares in fewer words the tools that work on files needs, and the user's own.
func (b *Box) Few() []conversation.ToolSpec {
	return slices.DeleteFunc(b.Brief(), func(s conversation.ToolSpec) bool { return slices.Contains(needless, s.Name) })
}

package conversation

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// subjectKeys are the arguments that best describe a call, in order of preference. Some are from other
// programs, whose conversations can be imported; _invalid is from RepairArguments.
var subjectKeys = [...]string{
	"command", "cmd", "pattern", "path", "file_path", "url", "query", "question", "id", "name", "file", "_invalid",
}

// Subject describes the call by its arguments: the command, the path, or the pattern
// and its path; "" without such an argument. Imported arguments that are not a JSON
// object are returned unchanged. The text is not sanitised for the terminal.
func (c ToolCall) Subject() string {
	var args map[string]any
	if json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return c.Arguments
	}
	subject := ""
	for _, k := range subjectKeys {
		if subject = argumentText(args[k]); subject != "" {
			break
		}
	}
	if path, _ := args["path"].(string); path != "" && subject != "" && path != subject {
		subject += " in " + path
	}
	if from, _ := args["offset"].(float64); from > 0 && from < math.MaxInt {
		if subject != "" {
			subject += " "
		}
		subject += fmt.Sprintf("from %d", int(from))
	}
	return subject
}

// toolVerbs are verbs for what the tools do, by tool name.
var toolVerbs = map[string]string{
	"ask_user": "ask", "create_file": "create", "find_files": "find", "grep_files": "search", "http_request": "fetch",
	"list_files": "list", "modify_file": "edit", "read_file": "read", "run_command": "run", "todo_read": "read todos",
	"todo_write": "write todos", ToolRecall: "recall", ToolSearchHistory: "search history",
}

// ToolVerb returns the verb for a call of a tool, in the past tense if it is done. An unknown tool gives its name, not sanitised.
func ToolVerb(tool string, done bool) string {
	switch v := toolVerbs[tool]; {
	case v == "":
		return tool
	case v == "run" && done:
		return "ran"
	default:
		return v
	}
}

// RunsCommand reports whether the call runs a shell command, also in a conversation
// imported from another program.
func (c ToolCall) RunsCommand() bool {
	var args map[string]any
	if json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return false
	}
	return argumentText(args["command"]) != "" || argumentText(args["cmd"]) != ""
}

// argumentText returns an argument that is a string, or a list of strings (as other
// programs write commands) joined by spaces; "" for other types.
func argumentText(arg any) string {
	switch arg := arg.(type) {
	case string:
		return arg
	case []any:
		parts := make([]string, 0, len(arg)) // joined only once, because a list may be very long
		for _, part := range arg {
			if s, ok := part.(string); ok && s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, " ")
	}
	return ""
}

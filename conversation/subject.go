package conversation

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// subjectKeys are the arguments that say what a call is about, most telling first:
// those of the tools here and of other programs whose conversations are imported.
var subjectKeys = [...]string{
	"command", "cmd", "pattern", "path", "file_path", "url", "query", "question", "id", "name", "file", "_invalid",
}

// Subject says what the call is about, from its arguments: the command, the path, the
// pattern and where; "" if they do not tell. Arguments of a foreign log that are no
// object are given as they are. It is not made safe.
func (c ToolCall) Subject() string {
	var args map[string]any
	if json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return c.Arguments
	}
	about := ""
	for _, k := range subjectKeys {
		if about = argumentText(args[k]); about != "" {
			break
		}
	}
	if path, _ := args["path"].(string); path != "" && about != "" && path != about {
		about += " in " + path
	}
	if from, _ := args["offset"].(float64); from > 0 && from < math.MaxInt {
		if about != "" {
			about += " "
		}
		about += fmt.Sprintf("from %d", int(from))
	}
	return about
}

// toolVerbs say what the tools do, in a word.
var toolVerbs = map[string]string{
	"ask_user": "ask", "create_file": "create", "find_files": "find", "grep_files": "search", "http_request": "fetch",
	"list_files": "list", "modify_file": "edit", "read_file": "read", "run_command": "run", "todo_read": "read todos",
	"todo_write": "write todos", ToolRecall: "recall", ToolSearchHistory: "search history",
}

// ToolVerb says what a call of a tool does, or did. Tools of other programs have their own names, which are not made safe.
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

// RunsCommand reports whether the call runs a command of a shell, also where another
// program made it.
func (c ToolCall) RunsCommand() bool {
	var args map[string]any
	if json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return false
	}
	return argumentText(args["command"]) != "" || argumentText(args["cmd"]) != ""
}

// argumentText is an argument as text: a text, or a list of them, as commands are given to
// other programs.
func argumentText(arg any) string {
	switch arg := arg.(type) {
	case string:
		return arg
	case []any:
		parts := make([]string, 0, len(arg)) // joined at once: there may be very many
		for _, part := range arg {
			if s, ok := part.(string); ok && s != "" {
				parts = append(parts, s)
			}
		}
		return strings.Join(parts, " ")
	}
	return ""
}

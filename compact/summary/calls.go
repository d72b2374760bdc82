package summary

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"plimsoll/compact/ordered"
	"plimsoll/compact/snippet"
	"plimsoll/conversation"
)

// This file derives from calls and results which files were read and changed, which todos
// are open and what failed, because models often get these facts wrong. It knows the names of
// tools of Plimsoll and of other clients (Read, fs_read_file, mcp__files__write_file).

// callWithResult is a call with its result.
type callWithResult struct {
	turn   int
	name   string
	args   string
	status conversation.ResultStatus // "" without a result
	output string                    // the text of the result
	seq    uint64                    // of the result; of the reply while there is no result
}

// callsIn pairs the calls of events with their results, in the order of the calls. Where
// servers give several calls one id, the first call without a result is answered.
func callsIn(events []conversation.Event) []callWithResult {
	var calls []callWithResult
	open := map[string][]int{} // calls of the newest reply without a result, by id
	for i := range events {
		switch e := &events[i]; b := e.Body.(type) {
		case conversation.AssistantMessage:
			clear(open)
			for k := range b.Calls {
				c := &b.Calls[k]
				open[c.ID] = append(open[c.ID], len(calls))
				calls = append(calls, callWithResult{turn: e.Turn, name: c.Name, args: c.Arguments, seq: e.Seq})
			}
		case conversation.ToolResult:
			if waiting := open[b.CallID]; len(waiting) > 0 {
				open[b.CallID] = waiting[1:]
				c := &calls[waiting[0]]
				c.status, c.output, c.seq = b.Status, b.Text, e.Seq
			}
		}
	}
	return calls
}

func newestFailure(calls []callWithResult) *callWithResult {
	for i := len(calls) - 1; i >= 0; i-- {
		if calls[i].status == conversation.ResultError {
			return &calls[i]
		}
	}
	return nil
}

const (
	errorBytes   = 8 << 10 // bytes at the end of a result that are searched for an error
	failureChars = 300     // code points of the error line that are shown
)

// errorLine returns the last line of a result that names an error, or an earlier one if the last is a single word such as FAIL.
func (c *callWithResult) errorLine() string {
	text := c.output
	if from := len(text) - errorBytes; from > 0 {
		text = text[runeEnd(text, from):]
	}
	line := snippet.ErrorLine(text)
	if line != "" && !strings.ContainsAny(line, " \t") {
		if earlier := snippet.ErrorLine(text[:strings.LastIndex(text, line)]); snippet.NamesError(earlier) {
			line = earlier
		}
	}
	if line = onOneLine(line, failureChars); line == "" {
		return "(no output)"
	}
	return line
}

type fileUse struct {
	path       string
	modified   bool
	turns      []int           // in which it was modified, or if it was not, read; ascending, each once
	lastCall   int             // index of the newest call that names it
	failedCall *callWithResult // the newest call that names it, if that failed or was denied
}

// filesIn lists the files that calls read, changed or failed on, in the order of the newest call that names each.
func filesIn(calls []callWithResult) []*fileUse {
	byPath := map[string]*fileUse{}
	var files []*fileUse
	for i := range calls {
		c := &calls[i]
		if c.status != conversation.ResultOK && c.status != conversation.ResultError && c.status != conversation.ResultDenied {
			continue
		}
		paths, modifies := pathsOfCall(c)
		for _, path := range paths {
			f := byPath[path]
			if f == nil {
				f = &fileUse{path: path}
				byPath[path] = f
				files = append(files, f)
			}
			f.lastCall = i
			if f.failedCall = nil; c.status != conversation.ResultOK {
				f.failedCall = c
				continue
			}
			if modifies && !f.modified {
				f.modified, f.turns = true, nil
			}
			if modifies == f.modified && !slices.Contains(f.turns, c.turn) {
				f.turns = append(f.turns, c.turn)
			}
		}
	}
	slices.SortStableFunc(files, func(a, b *fileUse) int { return a.lastCall - b.lastCall })
	return files
}

// The tools that read or write the files that their arguments name, by their plain names.
var (
	readingTools = wordSet(`readfile read view viewfile openfile cat readtextfile readmanyfiles readmultiplefiles notebookread getfilecontents
		listfiles ls list listdir listdirectory grepfiles grep search searchfiles searchcode ripgrep findfiles glob find`)
	writingTools = wordSet(`createfile writefile write writetofile edit editfile modifyfile multiedit notebookedit strreplace replace replaceinfile
		insert insertcontent applydiff patchfile updatefile deletefile removefile movefile renamefile savefile
		strreplaceeditor strreplacebasededittool`)
	todoTools  = wordSet(`todowrite updateplan writetodos`)
	pathFields = wordSet(`path filepath file filename notebookpath targetfile absolutepath relativepath paths files filepaths
		oldpath newpath source destination dir directory`)
)

func wordSet(text string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(text) {
		set[w] = true
	}
	return set
}

var withoutDashes = strings.NewReplacer("_", "", "-", "")

func plainName(name string) string { return strings.ToLower(withoutDashes.Replace(name)) }

// plainTool returns the name of a tool in lower case, without server name and separators.
func plainTool(name string) string {
	if i := strings.LastIndex(name, "__"); i >= 0 {
		name = name[i+2:]
	}
	name = plainName(name[strings.LastIndexAny(name, "./:")+1:])
	return strings.TrimPrefix(name, "fs")
}

// pathsOfCall lists the paths that a call names, and reports whether it changes them.
func pathsOfCall(c *callWithResult) (paths []string, modifies bool) {
	if paths := pathsInPatch(c.args); len(paths) > 0 {
		return paths, true
	}
	tool := plainTool(c.name)
	if modifies = writingTools[tool]; modifies || readingTools[tool] {
		var command string
		paths, command = pathsInArguments(c.args)
		modifies = modifies && command != "view" // of an editor
	}
	return paths, modifies
}

// maxPath is how many code points of a path are kept.
const maxPath = 200

// pathsInArguments lists the paths in arguments, each once, and returns the argument named command.
func pathsInArguments(arguments string) (paths []string, command string) {
	add := func(v any) {
		if text, ok := v.(string); ok {
			if path := onOneLine(text, maxPath); path != "" && path != "." && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	for _, f := range fieldsIn(arguments) {
		var value any
		if f.Key != "command" && !pathFields[plainName(f.Key)] || json.Unmarshal(f.Value, &value) != nil {
			continue
		}
		if f.Key == "command" {
			command, _ = value.(string)
			continue
		}
		add(value)
		list, _ := value.([]any)
		for _, v := range list {
			if entry, ok := v.(map[string]any); ok {
				v = entry["path"]
			}
			add(v)
		}
	}
	return paths, command
}

// fieldsIn parses arguments in their order, or, if strict JSON refuses them, sorted by name.
func fieldsIn(arguments string) ordered.Object {
	object, ok := ordered.Parse(arguments)
	var loose map[string]json.RawMessage
	if ok || json.Unmarshal([]byte(arguments), &loose) != nil {
		return object
	}
	for _, name := range slices.Sorted(maps.Keys(loose)) {
		object = append(object, ordered.Field{Key: name, Value: conversation.RawJSON(loose[name])})
	}
	return object
}

const patchMark = "*** Begin Patch"

// pathsInPatch lists the paths that a patch of apply_patch names, which may also be an argument of a shell command.
func pathsInPatch(arguments string) []string {
	if !strings.Contains(arguments, patchMark) {
		return nil
	}
	var args any
	if json.Unmarshal([]byte(arguments), &args) != nil {
		args = strings.ReplaceAll(arguments, `\n`, "\n") // a bare patch, or truncated JSON
	}
	var out []string
	for _, text := range stringsIn(args) {
		_, patch, _ := strings.Cut(text, patchMark)
		for line := range strings.Lines(patch) {
			for _, mark := range [...]string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "} {
				rest, ok := strings.CutPrefix(line, mark)
				if path := onOneLine(rest, maxPath); ok && path != "" && !slices.Contains(out, path) {
					out = append(out, path)
				}
			}
		}
	}
	return out
}

// stringsIn lists the texts in a JSON value, in the order of their names.
func stringsIn(v any) (out []string) {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, element := range v {
			out = append(out, stringsIn(element)...)
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			out = append(out, stringsIn(v[name])...)
		}
	}
	return out
}

type openTodo struct {
	text    string
	started bool
}

func newestChecklist(calls []callWithResult) *callWithResult {
	for i := len(calls) - 1; i >= 0; i-- {
		if c := &calls[i]; c.status == conversation.ResultOK && todoTools[plainTool(c.name)] {
			return c
		}
	}
	return nil
}

// openTodos lists the open entries of the newest checklist that the calls wrote, unless a later one in the log replaced it.
func openTodos(log []conversation.Event, calls []callWithResult) (todos []openTodo, turn int) {
	c := newestChecklist(calls)
	if c == nil {
		return nil, 0
	}
	later := []conversation.Span{{First: c.seq + 1, Last: log[len(log)-1].Seq}}
	if newestChecklist(callsIn(conversation.MessagesIn(log, later))) != nil {
		return nil, 0
	}
	return openTodosIn(c.args), c.turn
}

const (
	maxTodoText = 200 // code points of an entry that are kept
	maxTodoList = 100 // entries that are read
)

// openTodosIn parses the arguments of todo_write, and of similar tools in other clients.
func openTodosIn(arguments string) []openTodo {
	var args struct {
		Todos []map[string]any `json:"todos"`
		Plan  []map[string]any `json:"plan"`
	}
	if json.Unmarshal([]byte(arguments), &args) != nil {
		return nil
	}
	var out []openTodo
	list := append(args.Todos, args.Plan...)
	for _, entry := range list[:min(len(list), maxTodoList)] {
		text := ""
		for _, name := range [...]string{"text", "content", "step", "title", "task", "description"} {
			if s, _ := entry[name].(string); text == "" {
				text = onOneLine(s, maxTodoText)
			}
		}
		status, _ := entry["status"].(string)
		switch status {
		case "done", "completed", "complete", "cancelled", "canceled":
			continue
		}
		if text != "" {
			out = append(out, openTodo{text, status == "in_progress"})
		}
	}
	return out
}

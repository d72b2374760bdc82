package compact

import (
	"encoding/json"
	"slices"
	"strings"

	"plimsoll/conversation"
)

// Which files a stretch of a conversation read and changed, and what failed in
// it, is read off the calls and their results by code, because models are worst
// at exactly that. Rules:
//
//   - A call counts for files only if its result says that it went well.
//   - Tools are known by their names, Plimsoll's and those of other clients
//     (Read, Edit, apply_patch, fs_read_file, mcp__files__write_file), whatever
//     their spelling. Tools that are not known touch nothing.
//   - Names and paths come from models and are one line each, of bounded length.

// maxPath is how much of a path is kept, in code points.
const maxPath = 200

// madeCall is a call with what came of it.
type madeCall struct {
	turn   int
	name   string
	args   string
	result *conversation.ToolResult // nil if there is none among the events
	seq    uint64                   // of the result, or of the reply without one
}

// went reports whether the call ended in a certain way.
func (c madeCall) went(how conversation.ResultStatus) bool {
	return c.result != nil && c.result.Status == how
}

// callsIn pairs the calls of events with their results, in the order of the
// calls. Where servers give several calls one id, the first call that waits is
// answered.
func callsIn(said []conversation.Event) []madeCall {
	var calls []madeCall
	waiting := map[string][]int{}
	for _, e := range said {
		switch b := e.Body.(type) {
		case conversation.AssistantMessage:
			clear(waiting)
			for _, c := range b.Calls {
				waiting[c.ID] = append(waiting[c.ID], len(calls))
				calls = append(calls, madeCall{turn: e.Turn, name: c.Name, args: c.Arguments, seq: e.Seq})
			}
		case conversation.ToolResult:
			if open := waiting[b.CallID]; len(open) > 0 {
				calls[open[0]].result, calls[open[0]].seq = &b, e.Seq
				waiting[b.CallID] = open[1:]
			}
		}
	}
	return calls
}

// fileUse is a file that calls touched.
type fileUse struct {
	path     string
	modified bool
	turns    []int // in which it was modified, or else read; ascending, each once
	last     int   // place of the newest such call
}

// filesIn lists the files that calls read and modified, the one touched last
// at the end. What was modified is listed as that, also if it was read.
func filesIn(calls []madeCall) []fileUse {
	byPath := map[string]*fileUse{}
	var order []*fileUse
	for i, c := range calls {
		if !c.went(conversation.ResultOK) {
			continue
		}
		read, modified := touches(c)
		for _, one := range append(marked(modified, true), marked(read, false)...) {
			f := byPath[one.path]
			if f == nil {
				f = &fileUse{path: one.path}
				byPath[one.path] = f
				order = append(order, f)
			}
			f.use(one.modified, c.turn, i)
		}
	}
	slices.SortStableFunc(order, func(a, b *fileUse) int { return a.last - b.last })
	out := make([]fileUse, len(order))
	for i, f := range order {
		out[i] = *f
	}
	return out
}

func marked(paths []string, modified bool) []fileUse {
	out := make([]fileUse, len(paths))
	for i, p := range paths {
		out[i] = fileUse{path: p, modified: modified}
	}
	return out
}

// use notes one more call.
func (f *fileUse) use(modified bool, turn, place int) {
	switch {
	case modified && !f.modified:
		f.modified, f.turns = true, nil
	case !modified && f.modified:
		return
	}
	if n := len(f.turns); n == 0 || f.turns[n-1] != turn {
		f.turns = append(f.turns, turn)
	}
	f.last = place
}

// toolKind is what a tool does to the files its arguments name.
type toolKind int

const (
	noFileTool toolKind = iota
	readingTool
	writingTool
	editorTool // reads or writes, as its argument command says
)

var toolKinds = kindsOf(map[toolKind]string{
	readingTool: `readfile read view viewfile openfile cat readtextfile readmanyfiles readmultiplefiles notebookread getfilecontents
		listfiles ls list listdir listdirectory grepfiles grep search searchfiles searchcode ripgrep findfiles glob find`,
	writingTool: `createfile writefile write writetofile edit editfile modifyfile multiedit notebookedit strreplace replace replaceinfile
		insert insertcontent applydiff patchfile updatefile deletefile removefile movefile renamefile savefile`,
	editorTool: `strreplaceeditor strreplacebasededittool texteditor editor`,
})

func kindsOf(names map[toolKind]string) map[string]toolKind {
	out := map[string]toolKind{}
	for kind, list := range names {
		for _, name := range strings.Fields(list) {
			out[name] = kind
		}
	}
	return out
}

// kindOf is what a tool does to files, by its name in any spelling.
func kindOf(tool string) toolKind {
	if i := strings.LastIndex(tool, "__"); i >= 0 {
		tool = tool[i+2:]
	}
	if i := strings.LastIndexAny(tool, "./:"); i >= 0 {
		tool = tool[i+1:]
	}
	tool = strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(tool))
	if kind, ok := toolKinds[tool]; ok {
		return kind
	}
	return toolKinds[strings.TrimPrefix(tool, "fs")]
}

// touches lists the paths that a call read and modified.
func touches(c madeCall) (read, modified []string) {
	var args map[string]any
	if json.Unmarshal([]byte(c.args), &args) != nil {
		return nil, nil
	}
	if paths := patched(c.args, args); len(paths) > 0 {
		return nil, paths
	}
	switch kindOf(c.name) {
	case readingTool:
		return pathsOf(args), nil
	case writingTool:
		return nil, pathsOf(args)
	case editorTool:
		if command, _ := args["command"].(string); command == "view" {
			return pathsOf(args), nil
		}
		return nil, pathsOf(args)
	}
	return nil, nil
}

// pathFields are the arguments that name files, without underscores and in
// small letters.
var pathFields = strings.Fields("path filepath file filename notebookpath targetfile absolutepath relativepath paths files filepaths " +
	"oldpath newpath source destination dir directory")

// pathsOf lists the paths among arguments, each once.
func pathsOf(args map[string]any) []string {
	named := map[string]any{}
	for name, v := range args {
		named[strings.ToLower(strings.ReplaceAll(name, "_", ""))] = v
	}
	var out []string
	add := func(v any) {
		if text, ok := v.(string); ok {
			if path := folded(text, maxPath); path != "" && path != "." && !slices.Contains(out, path) {
				out = append(out, path)
			}
		}
	}
	for _, name := range pathFields {
		add(named[name])
		list, _ := named[name].([]any)
		for _, v := range list {
			if entry, ok := v.(map[string]any); ok {
				v = entry["path"]
			}
			add(v)
		}
	}
	return out
}

// patchMark opens a patch of apply_patch, which may also come as an argument of
// a shell command.
const patchMark = "*** Begin Patch"

// patched lists the paths that a patch in the arguments names.
func patched(raw string, args map[string]any) []string {
	if !strings.Contains(raw, patchMark) {
		return nil
	}
	var out []string
	for _, text := range stringsIn(args) {
		_, patch, ok := strings.Cut(text, patchMark)
		if !ok {
			continue
		}
		for line := range strings.Lines(patch) {
			for _, mark := range [...]string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "} {
				rest, ok := strings.CutPrefix(line, mark)
				if path := folded(rest, maxPath); ok && path != "" && !slices.Contains(out, path) {
					out = append(out, path)
				}
			}
		}
	}
	return out
}

// stringsIn lists the texts in a JSON value, in the order of their names.
func stringsIn(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		var out []string
		for _, one := range v {
			out = append(out, stringsIn(one)...)
		}
		return out
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		var out []string
		for _, name := range names {
			out = append(out, stringsIn(v[name])...)
		}
		return out
	}
	return nil
}

package summary

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
	turn     int
	name     string
	tool     toolUse
	args     string
	status   conversation.ResultStatus // "" if there is no result among the events
	output   string                    // the text of the result
	answered bool
	seq      uint64 // of the result, or of the reply without one
}

// went reports whether the call ended in a certain way.
func (c madeCall) went(how conversation.ResultStatus) bool {
	return c.answered && c.status == how
}

// callsIn pairs the calls of events with their results, in the order of the
// calls. Where servers give several calls one id, the first call that waits is
// answered.
func callsIn(said []conversation.Event) []madeCall {
	n := 0
	for i := range said {
		if b, ok := said[i].Body.(conversation.AssistantMessage); ok {
			n += len(b.Calls)
		}
	}
	calls := make([]madeCall, 0, n)
	known := map[string]toolUse{}
	var open waiting
	for i := range said {
		switch e := &said[i]; b := e.Body.(type) {
		case conversation.AssistantMessage:
			open.reply(len(calls), b.Calls)
			for k := range b.Calls {
				c := &b.Calls[k]
				tool, ok := known[c.Name]
				if !ok {
					tool = useOf(c.Name)
					known[c.Name] = tool
				}
				calls = append(calls, madeCall{turn: e.Turn, name: c.Name, tool: tool, args: c.Arguments, seq: e.Seq})
			}
		case conversation.ToolResult:
			if at := open.answer(b.CallID); at >= 0 {
				c := &calls[at]
				c.answered, c.status, c.output, c.seq = true, b.Status, b.Text, e.Seq
			}
		}
	}
	return calls
}

// waiting is the calls of the newest reply that have no result yet.
type waiting struct {
	from  int // place of the first of them
	calls []conversation.ToolCall
	done  []bool
	byID  map[string][]int // nil where they are few
}

// fewCalls is how many calls are looked for one by one.
const fewCalls = 16

// reply begins with the calls of another reply.
func (w *waiting) reply(from int, calls []conversation.ToolCall) {
	w.from, w.calls, w.byID = from, calls, nil
	w.done = append(w.done[:0], make([]bool, len(calls))...)
	if len(calls) > fewCalls {
		w.byID = map[string][]int{}
		for i := range calls {
			w.byID[calls[i].ID] = append(w.byID[calls[i].ID], i)
		}
	}
}

// answer is the place of the first call with an id that waits, which does so no
// longer; -1 if none does.
func (w *waiting) answer(id string) int {
	if w.byID != nil {
		open := w.byID[id]
		if len(open) == 0 {
			return -1
		}
		w.byID[id] = open[1:]
		return w.from + open[0]
	}
	for i := range w.calls {
		if w.calls[i].ID == id && !w.done[i] {
			w.done[i] = true
			return w.from + i
		}
	}
	return -1
}

// fileCall is a call that names files.
type fileCall struct {
	*madeCall
	place          int // among all calls
	read, modified []string
}

// fileCallsIn is those of calls that say how they went with files.
func fileCallsIn(calls []madeCall) []fileCall {
	out := make([]fileCall, 0, len(calls))
	for i := range calls {
		c := &calls[i]
		if !c.went(conversation.ResultOK) && !c.went(conversation.ResultError) && !c.went(conversation.ResultDenied) {
			continue
		}
		if read, modified := touches(*c); len(read)+len(modified) > 0 {
			out = append(out, fileCall{c, i, read, modified})
		}
	}
	return out
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
func filesIn(calls []fileCall) []fileUse {
	byPath := make(map[string]*fileUse, len(calls)/2)
	order := make([]*fileUse, 0, len(calls)/2)
	use := func(c *fileCall, paths []string, modified bool) {
		for _, path := range paths {
			f := byPath[path]
			if f == nil {
				f = &fileUse{path: path}
				byPath[path] = f
				order = append(order, f)
			}
			f.use(modified, c.turn, c.place)
		}
	}
	for i := range calls {
		if c := &calls[i]; c.went(conversation.ResultOK) {
			use(c, c.modified, true)
			use(c, c.read, false)
		}
	}
	slices.SortStableFunc(order, func(a, b *fileUse) int { return a.last - b.last })
	out := make([]fileUse, len(order))
	for i, f := range order {
		out[i] = *f
	}
	return out
}

// failedFile is a file that the newest call on it could not read or write.
type failedFile struct {
	path string
	call *madeCall
}

// failedFiles lists the files whose newest call failed or was denied, the newest at
// the end.
func failedFiles(calls []fileCall) []failedFile {
	var out []failedFile
	settled := make(map[string]bool, len(calls)/2) // by a newer call
	for i := range slices.Backward(calls) {
		c := &calls[i]
		for _, paths := range [...][]string{c.modified, c.read} {
			for _, path := range paths {
				if !settled[path] && !c.went(conversation.ResultOK) {
					out = append(out, failedFile{path, c.madeCall})
				}
				settled[path] = true
			}
		}
	}
	slices.Reverse(out)
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

// toolUse is what calls of a tool may tell.
type toolUse struct {
	files toolKind
	todos bool // writes a checklist
}

// useOf knows a tool by its name.
func useOf(name string) toolUse {
	plain := strings.ToLower(strings.ReplaceAll(name, "_", ""))
	use := toolUse{files: kindOf(name)}
	switch plain {
	case "todowrite", "updateplan", "writetodos":
		use.todos = true
	}
	return use
}

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
	if strings.Contains(c.args, patchMark) {
		if paths := patched(c.args); len(paths) > 0 {
			return nil, paths
		}
	}
	if c.tool.files == noFileTool {
		return nil, nil
	}
	paths, command := pathsOf(c.args)
	if c.tool.files == readingTool || c.tool.files == editorTool && command == "view" {
		return paths, nil
	}
	return nil, paths
}

// pathFields are the arguments that name files, without underscores and in
// small letters, in the order in which they are listed.
var pathFields = func() map[string]int {
	ranks := map[string]int{}
	for i, name := range strings.Fields("path filepath file filename notebookpath targetfile absolutepath relativepath paths files filepaths " +
		"oldpath newpath source destination dir directory") {
		ranks[name] = i + 1
	}
	return ranks
}()

// plainField is the name of an argument in that spelling.
func plainField(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// pathsOf lists the paths among arguments, each once, and the argument command.
func pathsOf(arguments string) (paths []string, command string) {
	fields := fieldsIn(arguments, func(name string) int {
		if name == "command" {
			return -1
		}
		return pathFields[plainField(name)]
	})
	add := func(v any) {
		if text, ok := v.(string); ok {
			if path := inLine(text, maxPath); path != "" && path != "." && !slices.Contains(paths, path) {
				paths = append(paths, path)
			}
		}
	}
	for _, f := range fields {
		if f.rank < 0 {
			command, _ = f.value.(string)
			continue
		}
		add(f.value)
		list, _ := f.value.([]any)
		for _, v := range list {
			if entry, ok := v.(map[string]any); ok {
				v = entry["path"]
			}
			add(v)
		}
	}
	return paths, command
}

// patchMark opens a patch of apply_patch, which may also come as an argument of
// a shell command.
const patchMark = "*** Begin Patch"

// patched lists the paths that a patch in the arguments names.
func patched(raw string) []string {
	var args map[string]any
	if json.Unmarshal([]byte(raw), &args) != nil {
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
				if path := inLine(rest, maxPath); ok && path != "" && !slices.Contains(out, path) {
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

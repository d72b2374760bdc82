package preset

// What is known about tools without the user saying it: which side of a call is
// worth keeping (D17), whose results are state or instructions rather than
// information (JCL), and which arguments tell calls of a reading tool apart.
// Names of the sources' own tools stand beside ours, so that recorded and
// imported conversations are treated as their authors meant.

// DefaultTools gives the rules of the tools that have any, by name. A tool
// without an entry is treated as the profile says. Each call returns a map and
// lists of its own.
func DefaultTools() map[string]ToolRule {
	bulkyResult := ToolRule{Request: HintKeep, Response: HintStrip}
	bulkyArguments := ToolRule{Request: HintStrip, Response: HintKeep}
	bulky := ToolRule{Request: HintStrip, Response: HintStrip}
	exempt := ToolRule{Exempt: true}
	reads := func(arguments ...string) ToolRule {
		return ToolRule{Request: HintKeep, Response: HintStrip, Identifiers: arguments}
	}
	return map[string]ToolRule{
		"read_file":  reads("path", "offset", "limit"),
		"list_files": reads("path", "depth", "include_ignored"),
		"find_files": reads("pattern", "path", "limit", "include_ignored"),
		"grep_files": reads("pattern", "path", "glob", "ignore_case", "context", "limit", "include_ignored"),

		"run_command":    bulkyResult,
		"recall":         bulkyResult, // its arguments name the original, which a stub points to
		"search_history": bulkyResult,
		"create_file":    bulkyArguments,
		"modify_file":    bulky,

		"fs_read_file":   bulkyResult, // D17, from here
		"fs_grep_files":  bulkyResult,
		"cargo_check":    bulkyResult,
		"cargo_test":     bulkyResult,
		"fs_create_file": bulkyArguments,
		"fs_modify_file": bulky,
		"git_commit":     bulkyArguments,

		"todo_read":  exempt,
		"todo_write": exempt,
		"load_skill": exempt,
		"ask_user":   exempt,
		"task":       exempt,

		"LoadSkill": exempt, // JCL, from here
		"Task":      exempt,
		"TodoWrite": exempt,
		"TodoRead":  exempt,
		"Ask":       exempt,
	}
}

package preset

// The rules tell for each known tool which side of a call is worth keeping, whether its results are state or instructions rather
// than information, and which arguments identify a call of a reading tool. The tools of the published designs JP and J-CLI are
// listed too, so that their recorded and imported conversations are compacted as the authors intended.

// DefaultTools returns the built-in tool rules by tool name. The profile alone decides about other tools. Each call
// returns a new map with new lists.
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

		"fs_read_file":   bulkyResult, // the tools of JP begin
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

		"LoadSkill": exempt, // the tools of J-CLI begin
		"Task":      exempt,
		"TodoWrite": exempt,
		"TodoRead":  exempt,
		"Ask":       exempt,
	}
}

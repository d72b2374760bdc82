// The guard decides which values of a workspace file apply. The file comes with a cloned repository. Unless the user trusts
// it, it may only change the appearance and make Plimsoll more careful. Rules:
//
//   - allowed lists the keys that it may set; any other key needs the user's trust in this content of the file.
//   - permissions.mode may become stricter; deny and secrets may grow; the sandbox may
//     become stricter; allow, hosts, write and private_addresses may only be emptied.
//   - providers.NAME.key_command is never read from it.
//   - A tool may become stricter (approval towards deny, enabled: false) and keep more of its results.
//   - A limit may become tighter, and compaction may keep more and ask a model less often.

package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"plimsoll/compact/preset"
)

// RestrictedKey is a value of a workspace file that needs the user's trust ([LoadOptions.Trust]). It was applied if it is in
// [Loaded.Trusted], and not if it is in [Loaded.Refused]. The caller shows it to the user.
type RestrictedKey struct {
	File  string
	Line  int    // 1-based
	Key   string // dotted
	Value string // the whole value on one line, safe for a terminal, header values hidden
	Why   string // completes the sentence "not applied: it ..."
}

// guard compares the values of a workspace file with the configuration of the weaker layers, to decide which apply.
type guard struct {
	current   Config
	file      string
	trusted   bool
	refused   []RestrictedKey
	forbidden Problems        // values that even a trusted file may not set
	commands  map[string]bool // names of the tools that the file makes of commands
}

// allowed maps the keys that a workspace file may set to functions that report whether a change is permitted; nil permits any.
var allowed = map[string]func(was, now Config) bool{
	"permissions.mode": func(was, now Config) bool {
		return !isLooser(now.Permissions.Mode, was.Permissions.Mode, "plan", "ask", "edits", "auto", "yolo")
	},
	"permissions.allow": func(_, now Config) bool { return len(now.Permissions.Allow) == 0 },
	"permissions.sandbox": func(was, now Config) bool {
		return !isLooser(now.Permissions.Sandbox, was.Permissions.Sandbox, "read-only", "workspace", "auto", "off")
	},
	"permissions.network": func(was, now Config) bool {
		return !isLooser(now.Permissions.Network, was.Permissions.Network, "off", "ask", "on")
	},
	"permissions.hosts":             func(_, now Config) bool { return len(now.Permissions.Hosts) == 0 },
	"permissions.write":             func(_, now Config) bool { return len(now.Permissions.Write) == 0 },
	"permissions.private_addresses": func(_, now Config) bool { return len(now.Permissions.PrivateAddresses) == 0 },
	"ui.theme":                      func(_, now Config) bool { return !IsThemePath(now.UI.Theme) },
	"ui.mouse":                      nil,
	"ui.leave_transcript":           nil,
	"ui.motion":                     nil,
	"ui.panel":                      nil,
	"ui.vim":                        nil,
	"discovery.local":               func(was, now Config) bool { return was.Discovery.Local || !now.Discovery.Local },
	"context.window": func(was, now Config) bool {
		return was.Context.Window > 0 && now.Context.Window > 0 && now.Context.Window <= was.Context.Window
	},
	"tool_results.max_chars": func(was, now Config) bool {
		most := cmp.Or(was.ToolResults.MaxChars, minAutoChars)
		return now.ToolResults.MaxChars <= most && (now.ToolResults.MaxChars > 0 || was.ToolResults.MaxChars == 0)
	},
	"tool_results.keep_full": func(_, now Config) bool { return now.ToolResults.KeepFull },
	"tasks.parallel":         func(was, now Config) bool { return now.Tasks.Parallel <= was.Tasks.Parallel },
	"jobs.limit":             func(was, now Config) bool { return now.Jobs.Limit <= was.Jobs.Limit },
	"jobs.timeout": func(was, now Config) bool {
		return now.Jobs.Timeout > 0 && (was.Jobs.Timeout == 0 || now.Jobs.Timeout <= was.Jobs.Timeout)
	},
	"compaction.keep_last":              atLeast(func(c Config) int { return c.Compaction.KeepLast }),
	"compaction.protected_ratio":        atLeast(func(c Config) float64 { return c.Compaction.ProtectedRatio }),
	"compaction.mask.keep_tokens":       atLeast(func(c Config) int { return c.Compaction.Mask.KeepTokens }),
	"compaction.mask.keep_results":      atLeast(func(c Config) int { return c.Compaction.Mask.KeepResults }),
	"compaction.mask.first_turn_tokens": atLeast(func(c Config) int { return c.Compaction.Mask.FirstTurnTokens }),
	"compaction.micro.keep_recent":      atLeast(func(c Config) int { return c.Compaction.Micro.KeepRecent }),
	"compaction.summary.review":         func(_, now Config) bool { return now.Compaction.Summary.Review },
	"compaction.summary.when": func(was, now Config) bool {
		return !isLooser(now.Compaction.Summary.When, was.Compaction.Summary.When, preset.SummaryNever, preset.SummaryByHand, preset.SummaryAuto, preset.SummaryAtLoadLine)
	},
}

// atLeast permits a number that is not below the one in force.
func atLeast[T cmp.Ordered](number func(Config) T) func(was, now Config) bool {
	return func(was, now Config) bool { return number(now) >= number(was) }
}

// effects explain to the user why a key needs trust, by prefix of the key; the longest prefix counts.
var effects = map[string]string{
	"model":              "chooses which model gets your conversations",
	"fallback":           "chooses which models get your conversations",
	"providers":          "changes where conversations are sent",
	"models":             "changes what requests ask of models",
	"compaction.summary": "changes who summarizes your conversations, and how",
	"compaction":         "changes what is sent of your conversations, and what that costs",
	"permissions":        "lets tools do more without asking",
	"mcp":                "starts a program, or sends data to a server",
	"hooks":              "runs commands on your machine",
	"skills":             "gives the model instructions",
	"commands":           "adds slash commands",
	"agents":             "adds agents that get tasks",
	"tasks":              "changes where tasks are sent, and what they may cost",
	"jobs":               "lets more commands run in the background, or longer",
	"ui.keys":            "changes what your keys do",
	"ui.theme":           "makes Plimsoll read a file",
	"ui.status_command":  "runs a command on your machine",
	"context.window":     "changes how much is sent",
	"context.keep_warm":  "sends requests while you pause, which cost money",
	"tool_results":       "changes how much of a result is sent and kept",
	"":                   "is yours to decide",
}

func effectOf(key string) string {
	best := ""
	for prefix := range effects {
		if (key == prefix || strings.HasPrefix(key, prefix+".")) && len(prefix) > len(best) {
			best = prefix
		}
	}
	return effects[best]
}

// filter returns the values that apply.
func (g *guard) filter(leaves []leaf) []leaf {
	g.commands = map[string]bool{}
	for _, l := range leaves {
		if path := l.keys(); path[0] == "tools" && len(path) == 3 && path[2] == "command" {
			g.commands[path[1]] = true
		}
	}
	var out []leaf
	for _, l := range leaves {
		if l, ok := g.check(l, l.keys()); ok {
			out = append(out, l)
		}
	}
	return out
}

// check reports whether a value applies, and returns it, for permissions.deny and secrets extended by the list in force.
func (g *guard) check(l leaf, path []string) (leaf, bool) {
	key := Path(path...)
	isPermitted, listed := allowed[key]
	switch {
	case path[0] == "providers" && path[len(path)-1] == "key_command":
		g.forbidden = append(g.forbidden, &Problem{File: g.file, Line: l.line,
			Message: "a workspace never names the program that prints keys: " + escape(key)})
		return l, false
	case l.isEmpty():
		return l, g.trusted // it sets nothing, but a new name would add a provider or a tool
	case key == "permissions.deny":
		return extend(l, g.current.Permissions.Deny), true
	case key == "permissions.secrets":
		return extend(l, g.current.Permissions.Secrets), true
	case path[0] == "mcp" && len(path) == 3 && slices.Contains([]string{"sandbox", "network", "write"}, path[2]):
		return l, g.refuse(l, "changes what a program is kept from")
	case path[0] == "tools" && len(path) > 2:
		return l, g.checkTool(l, path)
	case listed && (isPermitted == nil || isPermitted(g.current, g.withValue(l))):
		return l, true
	}
	return l, g.refuse(l, effectOf(key))
}

// withValue returns the current configuration with value l applied.
func (g *guard) withValue(l leaf) Config {
	updated := g.current
	(&decoder{src: &source{}, origins: map[string]Origin{}}).apply([]leaf{l}, &updated)
	return updated
}

func (g *guard) checkTool(l leaf, path []string) bool {
	now := g.current.Tools[path[1]]
	if g.commands[path[1]] {
		return g.refuse(l, "gives the model a command to run")
	}
	switch path[2] {
	case "approval":
		// Without a setting the permission mode decides, perhaps to ask. So only allow counts as looser than no setting.
		return !isLooser(l.text(), now.Approval, "deny", "ask", "", "allow") || g.refuse(l, "lets the tool run without asking")
	case "enabled":
		return l.value == false || now.Enabled == nil || *now.Enabled || g.refuse(l, "turns on a tool that you turned off")
	case "exempt":
		if l.value == true {
			return true
		}
	case "description", "parameters", "timeout":
		return g.refuse(l, "changes what a command gets")
	}
	return g.refuse(l, "changes what is sent of the tool's calls")
}

// refuse records a value that needs trust, and reports whether the file is trusted.
func (g *guard) refuse(l leaf, why string) bool {
	path := l.keys()
	g.refused = append(g.refused, RestrictedKey{
		File: g.file, Line: l.line, Key: Path(path...), Value: displayValue(l, slices.Contains(path[:len(path)-1], "headers")), Why: why,
	})
	return g.trusted
}

// isLooser reports whether word comes after now in scale, which lists the words strictest first.
func isLooser[T ~string](word, now T, scale ...T) bool {
	return slices.Index(scale, word) > slices.Index(scale, now)
}

// extend adds the texts in force to those of value l.
func extend(l leaf, inForce []string) leaf {
	var items []any
	for _, text := range inForce {
		items = append(items, text)
	}
	more, _ := l.value.([]any)
	for _, item := range more {
		if !slices.Contains(items, item) {
			items = append(items, item)
		}
	}
	l.value = items
	return l
}

// maxShown is how many bytes of a value are shown. The cut is marked, so that users do not trust text that they cannot see.
const maxShown = 4000

// displayValue formats a value on one line; a secret one is hidden.
func displayValue(l leaf, secret bool) string {
	if secret {
		return hidden
	}
	text := l.text()
	if items, ok := l.value.([]any); ok {
		texts := make([]string, len(items))
		for i, item := range items {
			texts[i] = fmt.Sprint(item)
		}
		text = "[" + strings.Join(texts, ", ") + "]"
	}
	text = escape(keyShaped().ReplaceAllString(text, hidden))
	if len(text) <= maxShown {
		return text
	}
	return strings.ToValidUTF8(text[:maxShown], "") + "… (longer than shown: look at the file)"
}

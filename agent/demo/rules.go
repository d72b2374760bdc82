package demo

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

const guide = "I know six sentences, and use the tools I am given on your real files:\n\n" +
	"- `what is in this project?`\n" +
	"- `read FILE`\n" +
	"- `search TEXT in DIR`\n" +
	"- `create FILE with TEXT` or `replace X with Y in FILE`; you see the change before it happens\n" +
	"- `run COMMAND`, if you agree\n" +
	"- `fill the gauge`\n\n" +
	"My window is small on purpose, so that you can watch the gauge fill. To talk to a real model set a key such as OPENAI_API_KEY, or start Ollama."

const linesRead = 60 // the most lines of a file that are read

// rule is a pattern for user messages, and the function that answers with the texts of the pattern and its groups.
type rule struct {
	pattern *regexp.Regexp
	answer  func(t *turn, match []string) reply
}

// rules are tried in order. They are compiled at the first message, not when the program starts.
var rules = sync.OnceValue(func() []rule {
	on := func(pattern string, answer func(*turn, []string) reply) rule {
		return rule{regexp.MustCompile(`(?is)^(?:` + pattern + `)[\s?!.]*$`), answer}
	}
	const announcement = "I'll make the change. You'll see it before it happens."
	return []rule{
		on(`fill\b.*\b(?:gauge|window|context)\b.*`, (*turn).fillGauge),
		on(`(?:create|write)\s+(?:file\s+)?(\S+)\s+(?:with|containing)\s+(.+)`, func(t *turn, m []string) reply {
			return t.useOnce(announcement, toolUse{"create_file", args{"path": unquote(m[1]), "content": unquote(m[2]) + "\n"}})
		}),
		on(`replace\s+(.+?)\s+(?:with|by)\s+(.+)\s+in\s+(\S+?)`, func(t *turn, m []string) reply {
			return t.useOnce(announcement, toolUse{"modify_file", args{"path": unquote(m[3]), "old": unquote(m[1]), "new": unquote(m[2])}})
		}),
		on(`run\s+(.+?)`, func(t *turn, m []string) reply {
			return t.useOnce("I'll run it if you agree.", toolUse{"run_command", args{"command": unquote(m[1])}})
		}),
		on(`(?:search|find|grep)\s+(?:for\s+)?(.+?)(?:\s+in\s+(\S+?))?`, func(t *turn, m []string) reply {
			folder := "."
			if m[2] != "" {
				folder = unquote(m[2])
			}
			return t.useOnce("I'll search the files.", toolUse{"grep_files", args{"pattern": regexp.QuoteMeta(unquote(m[1])), "path": folder}})
		}),
		on(`(?:read|show|open)\s+(?:the\s+)?(?:file\s+)?(\S+?)`, func(t *turn, m []string) reply {
			return t.useOnce("I'll read it.", toolUse{"read_file", args{"path": unquote(m[1]), "limit": linesRead}})
		}),
		on(`(?:what|describe|explain|tell|look|list)\b.*\b(?:project|repo|repository|files|folder|here)`, (*turn).project),
	}
})

// next returns the answer of the first rule that matches the newest user message. It tries the whole message, then its last
// and its first paragraph, because a client may put a file or a summary before or after the user's text.
func (t *turn) next() reply {
	paragraphs := strings.Split(t.userText, "\n\n")
	for _, text := range []string{t.userText, paragraphs[len(paragraphs)-1], paragraphs[0]} {
		for _, r := range rules() {
			if m := r.pattern.FindStringSubmatch(strings.TrimSpace(text)); m != nil {
				return r.answer(t, m)
			}
		}
	}
	return reply{text: guide}
}

// unquote returns a text without the quotes around it or the @ before it.
func unquote(s string) string {
	for _, quote := range "`\"'" {
		if inner, ok := strings.CutSuffix(s, string(quote)); ok && strings.HasPrefix(inner, string(quote)) {
			return inner[1:]
		}
	}
	return strings.TrimPrefix(s, "@")
}

// manifests are files that describe a project.
var manifests = []string{"readme.md", "readme", "go.mod", "package.json", "cargo.toml", "pyproject.toml", "makefile"}

// project lists the files in its first step, reads up to three manifests in the second, and quotes them in the third.
func (t *turn) project([]string) reply {
	switch len(t.steps) {
	case 0:
		return t.use("I'll list the files first.", toolUse{"list_files", args{"path": ".", "depth": 1}})
	case 1:
		var read []toolUse
		for _, f := range t.last()[0].files() {
			if slices.Contains(manifests, strings.ToLower(f.name)) && len(read) < 3 {
				read = append(read, toolUse{"read_file", args{"path": f.name, "limit": 40}})
			}
		}
		if len(read) == 0 || !t.tools["read_file"] {
			return reply{text: t.last()[0].report()}
		}
		return t.use("I'll read the files that say most about it.", read...)
	}
	text := "This is what the files say of themselves:\n"
	for _, x := range t.last() {
		text += "\n- " + code(x.argument("path")) + ": " + x.opening()
	}
	return reply{text: text + "\n\nNext: `fill the gauge`, `read FILE` or `search TEXT`."}
}

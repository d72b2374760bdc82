package demo

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// The rules are tried in order on the newest user message; the first that matches decides what to do. Most of them make one
// call and show what it returned.

// rule is a pattern with what it leads to, either a call with words before it or an answer.
type rule struct {
	pattern *regexp.Regexp
	lead    string
	call    func(found []string) wanted // the groups of the pattern, from 1
	answer  func(*turn) reply
}

// rules are compiled when the first message comes, not when the program starts.
var rules = sync.OnceValue(func() []rule {
	on := func(pattern, lead string, call func([]string) wanted) rule {
		return rule{pattern: regexp.MustCompile(`(?is)^(?:` + pattern + `)$`), lead: lead, call: call}
	}
	tell := func(pattern string, answer func(*turn) reply) rule {
		r := on(pattern, "", nil)
		r.answer = answer
		return r
	}
	const end = `[\s?!.]*`
	return []rule{
		tell(`fill\b.*\b(?:gauge|window|context)\b.*`, (*turn).fill),
		on(`(?:(?:create|write)\s+(?:a\s+|the\s+|file\s+)*(\S+)\s+(?:with|containing)\s+(.+)|replace\s+(.+?)\s+(?:with|by)\s+(.+)\s+in\s+(\S+?)`+end+`)`,
			"I'll make the change. You'll see it before it happens.", func(m []string) wanted {
				if m[1] == "" {
					return wanted{"modify_file", args{"path": name(m[5]), "old": name(m[3]), "new": name(m[4])}}
				}
				return wanted{"create_file", args{"path": name(m[1]), "content": name(m[2]) + "\n"}}
			}),
		on(`run\s+(.+)`, "I'll run it if you agree.", func(m []string) wanted {
			return wanted{"run_command", args{"command": name(m[1])}}
		}),
		on(`(?:search|find|grep)\s+(?:for\s+)?(.+?)(?:\s+in\s+(\S+?))?`+end, "I'll search the files.", func(m []string) wanted {
			folder := "."
			if m[2] != "" {
				folder = name(m[2])
			}
			return wanted{"grep_files", args{"pattern": regexp.QuoteMeta(name(m[1])), "path": folder}}
		}),
		on(`(?:read|show|open)\s+(?:me\s+|the\s+|file\s+)*(\S+?)(?:,?\s+lines?\s+(\d+)(?:\s*(?:-|to)\s*(\d+))?)?`+end, "I'll read it.", func(m []string) wanted {
			from, limit := max(number(m[2]), 1), linesRead
			if to := number(m[3]); to >= from {
				limit = min(limit, to-from+1)
			}
			return wanted{"read_file", args{"path": name(m[1]), "offset": from, "limit": limit}}
		}),
		tell(`(?:what|describe|explain|tell|look|list)\b.*\b(?:project|repo|repository|files|folder|here)`+end, (*turn).project),
	}
})

// linesRead is how many lines of a file are read at most.
const linesRead = 60

// maxCommand is how long a message can be and still be a command, in bytes.
const maxCommand = 4000

// choose finds the rule that fits the newest message. Of several paragraphs the
// whole, then the last and the first are tried, because a client may put a file
// or a summary around what was typed.
func (t *turn) choose() {
	paragraphs := strings.Split(t.said, "\n\n")
	for _, text := range []string{t.said, paragraphs[len(paragraphs)-1], paragraphs[0]} {
		text = strings.TrimSpace(text)
		if len(text) > maxCommand {
			continue
		}
		for i, r := range rules() {
			if m := r.pattern.FindStringSubmatch(strings.TrimPrefix(text, "please ")); m != nil {
				t.rule, t.found = &rules()[i], m
				return
			}
		}
	}
}

// name is a name or a text without the quotes around it or the @ before it.
func name(s string) string {
	for _, quotes := range []string{"``", `""`, "''"} {
		if len(s) > 2 && s[0] == quotes[0] && s[len(s)-1] == quotes[1] {
			return s[1 : len(s)-1]
		}
	}
	return strings.TrimPrefix(s, "@")
}

// number reads digits: at most a million, and 0 where they are no number.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return min(n, 1_000_000)
}

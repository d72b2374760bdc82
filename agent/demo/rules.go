package demo

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// The rules of one table are tried in order on the newest user message; the first
// that matches decides what to do. Most of them make one
// call and show what it returned.

// rules are compiled when the first message comes, not when the program starts.
var rules = sync.OnceValue(func() []rule {
	on := func(name, pattern, lead string, call func([]string) wanted) rule {
		return rule{name: name, pattern: regexp.MustCompile(`(?is)^(?:` + pattern + `)$`), lead: lead, call: call}
	}
	tell := func(name, pattern string, answer func(*turn) reply) rule {
		r := on(name, pattern, "", nil)
		r.answer = answer
		return r
	}
	const end = `[\s?!.]*`
	return []rule{
		tell("help", `(?:/?help|hi|hello|hey|thanks|thank you|what can (?:you|i) do|(?:who|what) are you|are you an? .*)`+`[\s\pP]*`, (*turn).help),
		tell("fill the gauge", `fill\b.*\b(?:gauge|window|context)\b.*`, (*turn).fill),
		on("create", `(?:create|write)\s+(?:a\s+|the\s+|file\s+)*(\S+)\s+(?:with|containing)\s+(.+)`, "I'll write it. You'll see it before it happens.", func(m []string) wanted {
			return wanted{"create_file", args{"path": name(m[1]), "content": name(m[2]) + "\n"}}
		}),
		on("replace", `(?:replace|change)\s+(.+?)\s+(?:with|by|to)\s+(.+)\s+in\s+(\S+?)`+end, "I'll replace it. You'll see the change before it happens.", func(m []string) wanted {
			return wanted{"modify_file", args{"path": name(m[3]), "old": name(m[1]), "new": name(m[2])}}
		}),
		tell("run the tests", `run\s+(?:the\s+|all\s+|my\s+)*tests?`+end, (*turn).tests),
		on("run", `run\s+(.+)`, "I'll run it if you agree.", func(m []string) wanted {
			return wanted{"run_command", args{"command": name(m[1])}}
		}),
		on("recall", `recall\s+(\S+?)`+end, "I'll fetch the original.", func(m []string) wanted {
			return wanted{"recall", args{"id": name(m[1])}}
		}),
		on("search", `(?:(?:search|find|grep)\s+(?:for\s+)?|look\s+for\s+)(.+?)(?:\s+in\s+(\S+?))?`+end, "I'll search the files.", func(m []string) wanted {
			text := name(m[1])
			return wanted{"grep_files", args{"pattern": regexp.QuoteMeta(text), "path": folder(m[2]), "ignore_case": text == strings.ToLower(text)}}
		}),
		on("list", `(?:ls|list)(?:\s+(?:the|all|my|this|project|files|folders|in|of|here))*(?:\s+(\S+?))?`+end, "I'll list them.", func(m []string) wanted {
			return wanted{"list_files", args{"path": folder(m[1])}}
		}),
		on("read", `(?:read|show|open|cat)\s+(?:me\s+|the\s+|file\s+)*(\S+?)(?:(?::|,?\s+lines?\s+)(\d+)(?:\s*(?:-|to)\s*(\d+))?)?`+end, "I'll read it.", func(m []string) wanted {
			from, limit := max(number(m[2]), 1), linesRead
			if to := number(m[3]); to >= from {
				limit = min(limit, to-from+1)
			}
			return wanted{"read_file", args{"path": name(m[1]), "offset": from, "limit": limit}}
		}),
		tell("project", `(?:what|describe|explain|tell|look)\b.*\b(?:project|repo|repository|codebase|folder|here)`+end, (*turn).project),
		tell("story", `.*\b(?:story|essay|long (?:text|answer|reply)|words)\b.*`, (*turn).story),
	}
})

// linesRead is how many lines of a file are read at most.
const linesRead = 60

var (
	polite   = lazy(`(?i)^(?:(?:please|could you|can you|would you)[,\s]+)+`)
	thinking = lazy(`(?i)^think(?:\s+(?:hard|first|about|and|then))*\b[\s,:.]*`)
)

// lazy compiles a pattern when it is first used.
func lazy(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(pattern) })
}

// maxCommand is how long a message can be and still be a command, in bytes.
const maxCommand = 4000

// choose finds the rule that fits the newest message. Of several paragraphs the
// whole, then the last and the first are tried, because a client may put a file
// or a summary around what was typed.
func (t *turn) choose() {
	paragraphs := strings.Split(t.said, "\n\n")
	for _, text := range []string{t.said, paragraphs[len(paragraphs)-1], paragraphs[0]} {
		if len(text) > maxCommand {
			continue
		}
		text = text[len(polite().FindString(text)):]
		rest := text[len(thinking().FindString(text)):]
		t.think = t.think || rest != text
		for i, r := range rules() {
			if m := r.pattern.FindStringSubmatch(strings.TrimSpace(rest)); m != nil {
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

// folder is the name of a folder, the workspace's root for "".
func folder(s string) string {
	if s == "" {
		return "."
	}
	return name(s)
}

// number reads digits: at most a million, and 0 where they are no number.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return min(n, 1_000_000)
}

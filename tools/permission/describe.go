package permission

import (
	"path"
	"slices"
	"strings"
)

// A rule in words: what it lets run, and why to think twice.

type description struct {
	means, warning string
	wide           bool
}

// ownCode is the warning about what runs the code of the project.
const ownCode = "runs this project's own code"

func (r rule) describe() description {
	switch {
	case !r.hasPattern && r.tool == "run_command":
		return description{"every command", "wide: any program with any arguments", true}
	case !r.hasPattern:
		return description{"every call of " + r.tool, "wide: all that " + r.tool + " can do", true}
	case r.tool == "run_command":
		return r.describeCommand()
	case r.tool == "http_request":
		return r.describeRequest()
	}
	return r.describeFiles()
}

func (r rule) describeCommand() description {
	switch {
	case r.idle():
		return description{means: "nothing", warning: idleReason}
	case wildcard(r.pattern):
		return description{
			"commands of the form " + r.pattern,
			"wide: any arguments, also those that run other programs, write files or reach other hosts", true,
		}
	}
	d := description{means: "exactly this command"}
	if runsOwnCode(readScript(r.literal())) {
		d.warning = ownCode
	}
	return d
}

// runners are programs that run or build what the project says.
var runners = []string{"make", "gmake", "ninja", "cmake", "just", "task", "rake", "gradle", "gradlew", "mvn", "mvnw", "ant", "npm", "pnpm", "yarn",
	"bun", "npx", "deno", "node", "nodejs", "cargo", "pytest", "tox", "nox", "python", "python2", "python3", "ruby", "bundle", "perl", "php",
	"composer", "dotnet", "swift", "bazel", "sbt", "mix", "stack", "cabal", "zig", "meson", "pre-commit", "poetry", "uv", "hatch", "jest", "vitest"}

// runsOwnCode reports whether a command of a script is known to run the code of
// the project it is run in.
func runsOwnCode(s *script) bool {
	return slices.ContainsFunc(s.nested, func(call []word) bool {
		program, second := path.Base(call[0].text), ""
		if len(call) > 1 {
			second = call[1].text
		}
		switch {
		case program == "go":
			return second == "test" || second == "run" || second == "generate" || second == "tool"
		case strings.Contains(call[0].text, "/") && !strings.HasPrefix(call[0].text, "/"), slices.Contains(shells, program):
			return true
		}
		return slices.Contains(runners, strings.TrimRight(program, "0123456789.")) || slices.Contains(runners, program)
	})
}

func (r rule) describeRequest() description {
	u, err := parseURLPattern(r.pattern)
	if err != nil {
		return description{means: "nothing"}
	}
	verb := "requests of any method"
	switch u.method {
	case "GET":
		verb = "reading requests (GET, HEAD, OPTIONS)"
	case "":
	default:
		verb = u.method + " requests, whatever they send,"
	}
	d := description{means: verb + " to " + u.scheme + "://" + u.host}
	if u.path != "/*" && u.path != "*" {
		d.means = verb + " to " + u.scheme + "://" + u.host + u.path
	}
	switch {
	case wildcard(u.host):
		d.wide, d.warning = true, "wide: many hosts"
	case u.method != "GET" && wildcard(u.path):
		d.wide, d.warning = true, "wide: sends and changes anything there"
	case wildcard(u.path):
		d.warning = "any address of this host"
	}
	return d
}

func (r rule) describeFiles() description {
	verb := map[string]string{editRule: "edits of ", "create_file": "creating ", "modify_file": "changes of "}[r.tool]
	if verb == "" {
		verb = r.tool + " of "
	}
	pattern := strings.TrimPrefix(r.pattern, "./")
	dir, whole := strings.CutSuffix(pattern, "/**")
	const except = ", but no files that hold secrets or configure programs"
	switch {
	case pattern == "**" || pattern == "**/*":
		return description{verb + "every file of this workspace" + except, "wide: the whole workspace", true}
	case whole && !strings.ContainsAny(dir, "*?[{"):
		return description{means: verb + "every file in " + unescape(dir, "") + " and below" + except}
	case strings.ContainsAny(unescapedGlob(pattern), "*?[{"):
		wide := strings.HasPrefix(pattern, "*") || !strings.Contains(r.pattern, "/")
		d := description{means: verb + "files that match " + r.pattern + except, wide: wide}
		if wide {
			d.warning = "wide: files in any folder"
		}
		return d
	case !strings.Contains(r.pattern, "/") && pattern != ".":
		return description{means: verb + "any file named " + unescape(pattern, ""), warning: "in every folder"}
	}
	return description{means: verb + unescape(pattern, "")}
}

// unescapedGlob is a pattern without what a backslash makes literal.
func unescapedGlob(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		if pattern[i] == '\\' {
			i++
			continue
		}
		b.WriteByte(pattern[i])
	}
	return b.String()
}

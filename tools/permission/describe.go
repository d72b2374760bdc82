package permission

import "strings"

// A rule in words: what it lets run, and why to think twice.

type description struct {
	means, warning string
	wide           bool
}

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
	if wildcard(r.pattern) {
		return description{
			"commands of the form " + r.pattern,
			"wide: any arguments, also those that run other programs, write files or reach other hosts", true,
		}
	}
	return description{means: "exactly this command"}
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
	const except = ", but no files that hold secrets or configure programs"
	switch top := strings.Contains(r.pattern, "/"); {
	case strings.ContainsAny(r.pattern, "*?[{") && (!top || strings.HasPrefix(r.pattern, "*")):
		return description{verb + "files that match " + r.pattern + except, "wide: files in any folder", true}
	case strings.ContainsAny(r.pattern, "*?[{"):
		return description{means: verb + "files that match " + r.pattern + except}
	case !top && r.pattern != ".":
		return description{means: verb + "any file named " + unescape(r.pattern, ""), warning: "in every folder"}
	}
	return description{means: verb + unescape(strings.TrimPrefix(r.pattern, "./"), "")}
}

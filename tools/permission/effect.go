package permission

import (
	"cmp"
	"path"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tools/workspace"
)

// Access is the kind of access that a call needs.
type Access int

const (
	AccessNone    Access = iota // nothing outside the program
	AccessRead                  // reads files of the workspace
	AccessEdit                  // changes files of the workspace
	AccessCommand               // runs a command
	AccessRequest               // sends an HTTP request
	AccessNetwork               // connects a command to a host
	AccessServer                // calls a tool of a server, which may do anything
)

// Effect is what a call would do, as the policy checks it and the user sees it. It is
// made from the arguments before the call runs.
type Effect struct {
	Tool    string
	access  Access
	paths   []string    // of file tools: the path as given, and its target if links lead elsewhere
	byName  bool        // of file tools: an allow rule covers the file only if it names it without a wildcard
	script  *script     // of commands
	Request *Request    // of requests
	host    hostPattern // of requests and connections
	server  string      // of tools of servers: the name of the server in rules, mcp__NAME

	Title       string        // subject of the call, in one line
	Diff        func() string // of edits
	Fingerprint string        // changes if the effect does: the paths, and for an edit hashes of both contents
	Question    string        // put to the user; the answer is the result of the call
	Options     []string      // suggested answers
}

// ReadOnly reports whether the call changes nothing.
func (t Effect) ReadOnly() bool {
	switch t.access {
	case AccessEdit, AccessCommand, AccessServer, AccessNetwork:
		return false
	case AccessRequest:
		return t.Request.ReadOnly()
	}
	return true
}

// OfFile describes a call on a file, which need not exist.
func OfFile(tool string, a Access, p workspace.Path) Effect {
	t := Effect{Tool: tool, access: a, paths: []string{p.Name}, byName: p.Own, Title: p.Name}
	if p.Rel != p.Name {
		t.paths = append(t.paths, p.Rel)
		t.Title += " -> " + p.Rel
	}
	t.byName = t.byName || a == AccessEdit && (p.Program || !plain.ShownExactly(t.Title))
	t.Fingerprint = strings.Join(t.paths, "\n")
	return t
}

// OfCommand describes a shell command.
func OfCommand(command string) Effect {
	return Effect{Tool: "run_command", access: AccessCommand, script: readScript(command), Title: command}
}

// Command returns the command that a call runs, "" for other calls.
func (t Effect) Command() string {
	if t.script == nil {
		return ""
	}
	return t.script.text
}

// OfRequest describes an HTTP request; nil gives the empty effect.
func OfRequest(req *Request) Effect {
	if req == nil {
		return Effect{}
	}
	host := hostPattern{req.URL.Hostname(), cmp.Or(req.URL.Port(), map[string]string{"http": "80", "https": "443"}[req.URL.Scheme])}
	return Effect{
		Tool: "http_request", access: AccessRequest, Request: req, host: host, Title: req.Method + " " + req.URL.Redacted(),
	}
}

// OfServer describes a call of a server's tool. What a server says about its tools frees no call.
func OfServer(server, tool, arguments string) Effect {
	return Effect{Tool: tool, access: AccessServer, server: conversation.ServerPrefix + server, Title: arguments, Fingerprint: tool + arguments}
}

// guarded reports whether the call reads or changes a guarded file; see sensitive.go.
func (t Effect) guarded() bool { return len(t.sensitive()) > 0 }

// sensitive lists the lower-case parts of the call's paths that make its files guarded (".env").
func (t Effect) sensitive() []string {
	if t.access != AccessRead && t.access != AccessEdit {
		return nil
	}
	var parts []string
	for _, rel := range t.paths {
		rel = folded(rel)
		parts = append(parts, secretIn(rel)...)
		if t.access == AccessEdit {
			parts = append(parts, steeringIn(rel)...)
		}
		if t.byName {
			parts = append(parts, path.Base(rel))
		}
	}
	return parts
}

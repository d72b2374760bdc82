package permission

import (
	"path"
	"strings"

	"plimsoll/conversation/plain"
	"plimsoll/tools/workspace"
)

// Access is the sort of thing a call does.
type Access int

const (
	AccessNone    Access = iota // nothing outside the program
	AccessRead                  // reads files of the workspace
	AccessEdit                  // changes files of the workspace
	AccessCommand               // runs a command
	AccessRequest               // sends a request
)

// Effect is what a call would do, in the terms that the policy and the user judge
// by. It is made from the arguments before the call runs.
type Effect struct {
	Tool    string
	access  Access
	paths   []string // of file tools: the path, and where its links lead
	byName  bool     // of file tools: only a rule that names the file covers it
	script  *script  // of commands
	Request *Request // of requests

	Title       string        // subject of the call, for one line
	Diff        func() string // of edits
	Fingerprint string        // what the call was judged by: the paths, and of an edit both contents
	Question    string        // the call asks the user this, and the answer is its result
	Options     []string      // answers offered
}

// ReadOnly reports whether the call changes nothing.
func (t Effect) ReadOnly() bool {
	switch t.access {
	case AccessEdit, AccessCommand:
		return false
	case AccessRequest:
		return t.Request.ReadOnly()
	}
	return true
}

// OfFile describes a call on a file, existing or not.
func OfFile(tool string, a Access, p workspace.Place) Effect {
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

// Command is the command that a call runs, "" none.
func (t Effect) Command() string {
	if t.script == nil {
		return ""
	}
	return t.script.text
}

// OfRequest describes a request; of nil, the empty effect.
func OfRequest(req *Request) Effect {
	if req == nil {
		return Effect{}
	}
	return Effect{
		Tool: "http_request", access: AccessRequest, Request: req, Title: req.Method + " " + req.URL.Redacted(),
	}
}

// guarded reports whether the call reaches a guarded file.
func (t Effect) guarded() bool { return len(t.sensitive()) > 0 }

// sensitive lists the parts of the call's paths, in lower case, that make it
// guarded.
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

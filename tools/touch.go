package tools

import (
	"context"
	"net/url"
	"strings"

	"plimsoll/tools/params"
)

// A touch is what a call would do, in the terms that permissions and the user
// judge by. It is made from the arguments before the call runs.

// access is the sort of thing a call does.
type access int

const (
	accessNone    access = iota // nothing outside the program
	accessRead                  // reads files of the workspace
	accessEdit                  // changes files of the workspace
	accessCommand               // runs a command
	accessRequest               // sends a request
)

type touch struct {
	tool    string
	access  access
	paths   []string    // of file tools: the path, and where its links lead
	own     bool        // of file tools: a file of this program's own
	script  *script     // of commands
	request *webRequest // of requests

	title    string        // subject of the call, for one line
	diff     func() string // of edits
	mark     string        // what the call was judged by: the paths, and of an edit both contents
	question string        // the call asks the user this, and the answer is its result
	options  []string      // answers offered
}

// webRequest is where a request goes, and what it takes along.
type webRequest struct {
	method  string
	url     *url.URL
	headers map[string]string
	body    string
}

// readOnly reports whether the call changes nothing.
func (t touch) readOnly() bool {
	switch t.access {
	case accessEdit, accessCommand:
		return false
	case accessRequest:
		return t.request.readOnly()
	}
	return true
}

func (r *webRequest) readOnly() bool {
	return r.method == "GET" || r.method == "HEAD" || r.method == "OPTIONS"
}

// touchFile describes a call on a file, existing or not.
func (b *Box) touchFile(tool string, a access, name string) (touch, error) {
	p, err := b.files.locate(name)
	if err != nil {
		return touch{}, err
	}
	return touchPlace(tool, a, p), nil
}

func touchPlace(tool string, a access, p place) touch {
	t := touch{tool: tool, access: a, paths: []string{p.name}, own: p.own, title: p.name}
	if p.rel != p.name {
		t.paths = append(t.paths, p.rel)
		t.title += " -> " + p.rel
	}
	t.mark = strings.Join(t.paths, "\n")
	return t
}

// touchFolder describes a call on the folder of a path argument.
func (b *Box) touchFolder(tool string) func(context.Context, params.Values) (touch, error) {
	return func(_ context.Context, args params.Values) (touch, error) {
		p, err := b.folder(args)
		if err != nil {
			return touch{}, err
		}
		t := touchPlace(tool, accessRead, p)
		if pattern := args.Text("pattern"); pattern != "" {
			t.title = pattern
		}
		return t, nil
	}
}

package tools

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"
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

// guarded reports whether the call reads a file that commonly holds secrets, or
// changes one through which commands or permissions could be smuggled in.
func (t touch) guarded() bool {
	switch t.access {
	case accessRead:
		return slices.ContainsFunc(t.paths, secretFile)
	case accessEdit:
		return slices.ContainsFunc(t.paths, func(p string) bool { return secretFile(p) || steeringFile(p) })
	}
	return false
}

// secretNames are patterns of file names that commonly hold secrets;
// notSecretNames take some of them back.
var (
	secretNames = []string{
		".env", ".env.*", "*.env", ".envrc", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.pem", "*.key", "*.p12", "*.pfx",
		"*.jks", "*.keystore", "*.kdbx", "*.ppk", ".npmrc", ".pypirc", ".netrc", "_netrc", ".pgpass", ".htpasswd", ".my.cnf",
		"credentials", "credentials.*", ".credentials*", ".git-credentials", "secrets.y*ml", "secrets.json", "secrets.toml",
		"*.tfvars", "*.tfstate",
	}
	notSecretNames = []string{".env.example", ".env.sample", ".env.template", ".env.dist", "*.example", "*.sample", "*.template"}
	secretFolders  = []string{".ssh", ".gnupg", ".aws", ".kube", ".docker"}
)

// secretFile reports whether a file of this path commonly holds secrets.
func secretFile(rel string) bool {
	parts := strings.Split(strings.ToLower(rel), "/")
	name := parts[len(parts)-1]
	for _, folder := range parts[:len(parts)-1] {
		if slices.Contains(secretFolders, folder) {
			return true
		}
	}
	matches := func(pattern string) bool { ok, err := path.Match(pattern, name); return ok && err == nil }
	if slices.ContainsFunc(notSecretNames, matches) {
		return false
	}
	return slices.ContainsFunc(secretNames, matches) || strings.HasSuffix(strings.ToLower(rel), ".git/config")
}

// steeringNames are files that run commands or loosen permissions later: the
// program's own configuration, start-up files of shells, configuration of git.
var steeringNames = []string{
	".plimsoll.yaml", ".plimsoll.yml", ".gitconfig", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases",
	".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", "config.fish",
}

// steeringFile reports whether an edit of this path could run commands or
// loosen permissions later.
func steeringFile(rel string) bool {
	parts := strings.Split(strings.ToLower(rel), "/")
	name := parts[len(parts)-1]
	return slices.Contains(parts, ".git") || slices.Contains(steeringNames, name) ||
		name == "config.yaml" && slices.Contains(parts, "plimsoll")
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
	t := touch{tool: tool, access: a, paths: []string{p.name}, title: p.name}
	if p.rel != p.name {
		t.paths = append(t.paths, p.rel)
		t.title += " -> " + p.rel
	}
	t.mark = strings.Join(t.paths, "\n")
	return t
}

// touchFolder describes a call on the folder of a path argument.
func (b *Box) touchFolder(tool string) func(context.Context, arguments) (touch, error) {
	return func(_ context.Context, args arguments) (touch, error) {
		p, err := b.folder(args)
		if err != nil {
			return touch{}, err
		}
		t := touchPlace(tool, accessRead, p)
		if pattern := args.text("pattern"); pattern != "" {
			t.title = pattern
		}
		return t, nil
	}
}

// Package skill finds and reads skills: folders with a SKILL.md, whose front matter names and describes it and whose text tells
// a model how to do a kind of task (the open standard of agentskills.io). Guarantees:
//
//   - The numbers of folders and files and all sizes are bounded, and links lead nowhere outside.
//   - The first skill of a name counts. The user's own come first, so that no workspace can replace one.
//   - A skill of a workspace that names allowed tools or brings scripts is offered only after the user's yes to its content, and
//     is not loaded when that content has changed since.
package skill

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"plimsoll/config"
	"plimsoll/conversation"
	"plimsoll/conversation/numbers"
	"plimsoll/conversation/plain"
	"plimsoll/tools/workspace"
)

// FileName is the file that makes a folder a skill.
const FileName = "SKILL.md"

// The limits of a skill.
const (
	MaxSize        = 64 << 10 // bytes of SKILL.md
	maxDescription = 1024     // characters
	maxFiles       = 500      // beside SKILL.md; a skill with more counts as one with scripts
	maxScripts     = 1 << 20  // bytes of all scripts
	shownScript    = 16 << 10 // bytes of a script that are part of Content; a longer one is there by its hash
)

// Skill is a skill that was read.
type Skill struct {
	Name         string
	Description  string
	AllowedTools []string // shown; they grant nothing
	License      string
	Dir          string   // absolute, with links resolved
	Source       string   // where it was found, for the user
	Text         string   // below the front matter
	Hash         string   // SHA-256 of SKILL.md, in hex
	Files        []string // the other files, relative to Dir, with slashes; not more than maxFiles
	// Content is what the user says yes to: SKILL.md and the scripts. It is "" if no yes is needed.
	Content string
	// Problem is why the skill is not offered, "" if it is.
	Problem string

	ofWorkspace bool
}

// Path is the path of SKILL.md.
func (s Skill) Path() string { return filepath.Join(s.Dir, FileName) }

// Size is the size of the text.
func (s Skill) Size() conversation.Size { return conversation.Measure(s.Text) }

// read reads the skill in a folder. Of a workspace's skill it also reads the scripts. The name of the folder stands in for a
// missing name.
func read(dir string, ofWorkspace bool) (Skill, error) {
	s := Skill{Name: filepath.Base(dir), Dir: dir, ofWorkspace: ofWorkspace}
	files, err := workspace.Open(dir)
	if err != nil {
		return s, err
	}
	defer func() { _ = files.Close() }() // opened for reading
	s.Dir = files.Dir
	text, err := readText(files)
	if err != nil {
		return s, err
	}
	s.Hash = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
	fields, body, err := config.FrontMatter(text)
	if err != nil {
		return s, err
	}
	s.Text = strings.TrimSpace(conversation.Clean(body))
	s.License = line(fields.Text("license"), 200)
	for _, t := range fields.List("allowed-tools") {
		s.AllowedTools = append(s.AllowedTools, line(t, 100))
	}
	s.Name = cmp.Or(fields.Text("name"), s.Name)
	if !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`).MatchString(s.Name) {
		s.Name = line(s.Name, 65)
		return s, fmt.Errorf("%q is no name of a skill: letters, digits, - and _, at most 64", s.Name)
	}
	if s.Description = line(fields.Text("description"), maxDescription); s.Description == "" {
		return s, errors.New("it has no description")
	}
	scripts, err := s.findFiles(files)
	if err == nil && ofWorkspace && len(scripts)+len(s.AllowedTools) > 0 {
		s.Content, err = content(files, text, scripts)
	}
	return s, err
}

func readText(files *workspace.Files) (string, error) {
	p, err := files.Locate(FileName)
	if err != nil {
		return "", err
	}
	if path.Base(p.Rel) != FileName { // a link could show a file that holds secrets
		return "", errors.New(FileName + " is a link to a file of another name")
	}
	if st, err := files.Stat(p); err == nil && st.Size() > MaxSize {
		return "", fmt.Errorf("%s is larger than %s", FileName, numbers.Bytes(MaxSize))
	}
	return files.Content(p)
}

func line(text string, chars int) string { return conversation.OneLine(plain.Line(text), chars) }

// findFiles lists the other files of the skill, and returns those that a command could run; "" stands for files that are too many.
func (s *Skill) findFiles(files *workspace.Files) (scripts []string, err error) {
	err = files.Walk(context.Background(), workspace.Path{Rel: ".", Name: "."}, true, func(e workspace.Entry) error {
		switch {
		case e.IsDir() && e.Name() == ".git":
			return fs.SkipDir
		case e.IsDir() || e.Rel == FileName:
			return nil
		case len(s.Files) == maxFiles:
			scripts = append(scripts, "")
			return workspace.ErrStop
		}
		st, err := e.Info()
		isLink := e.Type()&fs.ModeSymlink != 0
		if err != nil || !st.Mode().IsRegular() && !isLink {
			return nil
		}
		s.Files = append(s.Files, e.Rel)
		if strings.HasPrefix(e.Rel, "scripts/") || slices.Contains(scriptExtensions, strings.ToLower(path.Ext(e.Rel))) || isLink || st.Mode()&0o111 != 0 {
			scripts = append(scripts, e.Rel)
		}
		return nil
	})
	return scripts, err
}

var scriptExtensions = []string{".sh", ".bash", ".zsh", ".fish", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua", ".ps1", ".bat", ".cmd", ".exe"}

// content returns SKILL.md followed by the scripts.
func content(files *workspace.Files, text string, scripts []string) (string, error) {
	var b strings.Builder
	b.WriteString(text)
	room := int64(maxScripts)
	for _, rel := range scripts {
		if rel == "" {
			fmt.Fprintf(&b, "\n--- and more than %d files\n", maxFiles)
			continue
		}
		p := workspace.Path{Rel: rel, Name: rel}
		st, err := files.Regular(p)
		if err != nil {
			return "", err
		}
		if room -= st.Size(); room < 0 {
			return "", fmt.Errorf("its scripts are larger than %s", numbers.Bytes(maxScripts))
		}
		code, err := files.Content(p)
		if err != nil {
			return "", err
		}
		if len(code) > shownScript || workspace.NotText([]byte(code)) != "" {
			code = fmt.Sprintf("%s, SHA-256 %x", numbers.Bytes(st.Size()), sha256.Sum256([]byte(code)))
		}
		fmt.Fprintf(&b, "\n--- %s\n%s\n", rel, code)
	}
	return b.String(), nil
}

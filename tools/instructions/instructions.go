// Package instructions finds and reads files with instructions for assistants: the user's own, that of a workspace, those of
// its folders, and what they import. Guarantees:
//
//   - What is read at once has at most [Most] bytes; what is cut or left out says so.
//   - A file imports from its own folder tree only. A file of a workspace imports nothing from outside, and no secrets.
//   - An import is a line of its own, "@" and a path relative to the file, outside of fenced code. Imports import nothing.
package instructions

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tools/permission"
	"plimsoll/tools/workspace"
)

// Most is how much of all instructions that are read at once is used, in bytes.
const Most = 32 << 10

const maxImports = 20 // of one file

// Names are the names of files with instructions; in each folder the first that has text counts.
func Names() []string { return []string{"AGENTS.md", "PLIMSOLL.md", "CLAUDE.md"} }

// File is a file with instructions.
type File struct {
	Path   string // absolute
	Name   string // for the user and the model: relative to the workspace, or as Places.Show has it
	Folder string // the folder that it is for, with slashes; "." is the top
	From   string // whose it is: "yours", "project", or "by " and the name of the file that imports it
	Text   string
	Hash   string // SHA-256 of what was read, in hex
	Note   string // tells the user what of it is not used, "" if all is
}

// Title introduces the text in the system prompt.
func (f File) Title() string {
	whose := map[string]string{"yours": "The user's own instructions", "project": "The project's own instructions"}[f.From]
	return cmp.Or(whose, "Imported "+f.From) + ", from " + f.Name + ":\n\n"
}

// Places says where the instructions of a conversation are.
type Places struct {
	User      string              // folder of the user's own AGENTS.md, "" for none
	Workspace string              // absolute
	Own       []string            // the program's own files and folders, which are not imported
	Show      func(string) string // shortens a path for the user
}

// Start reads the files that a conversation starts with: the user's own and its imports, then those of the workspace.
func Start(p Places) []File {
	r := &reader{room: Most, show: p.Show}
	if file, err := filepath.EvalSymlinks(filepath.Join(p.User, Names()[0])); err == nil && p.User != "" {
		r.in(filepath.Dir(file), nil, filepath.Base(file))
	}
	r.show = nil
	r.in(p.Workspace, p.Own, Names()...)
	return r.found
}

// OfFolder reads the file of a folder of the workspace, given with slashes, and its imports.
func OfFolder(files *workspace.Files, folder string) []File {
	r := &reader{room: Most, files: files}
	r.folder(folder, Names())
	return r.found
}

// Above lists the folders on the way from the top of a workspace to a file, without the top. It ends before a folder with the
// text of other projects, such as node_modules.
func Above(rel string) (folders []string) {
	folder := ""
	for part := range strings.SplitSeq(path.Dir(rel), "/") {
		if slices.Contains([]string{".", ".git", "node_modules", "vendor", "venv", ".venv", "site-packages"}, part) {
			break
		}
		folder = path.Join(folder, part)
		folders = append(folders, folder)
	}
	return folders
}

// reader reads files until there is no room left.
type reader struct {
	files *workspace.Files
	show  func(string) string // of the user's own files; nil for those of a workspace
	room  int                 // bytes
	found []File
}

func (r *reader) in(dir string, own []string, names ...string) {
	files, err := workspace.Open(dir)
	if err != nil {
		return
	}
	defer func() { _ = files.Close() }() // opened for reading
	files.SetOwn(own)
	r.files = files
	r.folder(".", names)
}

// folder reads the first file of a folder that has text, and its imports.
func (r *reader) folder(folder string, names []string) {
	for _, name := range names {
		if r.add(path.Join(folder, name), File{Folder: folder}) == nil {
			by := r.found[len(r.found)-1]
			for _, target := range targets(by.Text) {
				r.importInto(by, folder, target)
			}
			return
		}
	}
}

// add reads a file and adds it, with what is known of it. The error says why it is not used.
func (r *reader) add(name string, f File) error {
	p, err := r.files.Locate(name)
	if err != nil {
		return err
	}
	if rel, err := filepath.Rel(f.Folder, p.Rel); err != nil || !filepath.IsLocal(rel) || p.Own || permission.SecretFile(p.Rel) {
		return errors.New("it is outside of the folder, or may hold secrets")
	}
	f.Path, f.Name = filepath.Join(r.files.Dir, p.Rel), p.Name
	if r.show != nil {
		f.Name, f.From = r.show(f.Path), cmp.Or(f.From, "yours")
	}
	file, _, err := r.files.Open(p)
	if err != nil {
		return err
	}
	data, err := io.ReadAll(io.LimitReader(file, Most+1))
	_ = file.Close() // opened for reading
	text := strings.TrimSpace(conversation.Clean(string(data)))
	if err != nil || text == "" || workspace.NotText(data) != "" {
		return errors.New("it has no text")
	}
	f.Name, f.From, f.Hash, f.Text = plain.Line(f.Name), cmp.Or(f.From, "project"), fmt.Sprintf("%x", sha256.Sum256(data)), text
	if len(text) > r.room {
		f.Text = strings.ToValidUTF8(text[:r.room], "")
		f.Note = fmt.Sprintf("%s is cut: instructions are used up to %d KiB in all", f.Name, Most>>10)
	}
	r.room -= len(f.Text)
	r.found = append(r.found, f)
	return nil
}

// importInto adds what a file imports, with a note if it cannot be used.
func (r *reader) importInto(by File, folder, target string) {
	name := target
	if !filepath.IsAbs(target) && !strings.HasPrefix(target, "~/") {
		name = path.Join(folder, target)
	}
	f := File{Name: plain.Line(target), Folder: folder, From: "by " + by.Name}
	if err := r.add(name, f); err != nil {
		f.Note = plain.Line(fmt.Sprintf("%s is not imported: %v", target, err))
		r.found = append(r.found, f)
	}
}

// targets lists the paths of the import lines of a text.
func targets(text string) (out []string) {
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, isImport := strings.CutPrefix(line, "@")
		switch {
		case fence != "" && strings.HasPrefix(line, fence):
			fence = ""
		case fence == "" && (strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")):
			fence = line[:3]
		case fence == "" && isImport && !strings.ContainsAny(name, " \t@") && strings.ContainsAny(name, "./") && !slices.Contains(out, name):
			out = append(out, name)
		}
	}
	return out[:min(len(out), maxImports)]
}

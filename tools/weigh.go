package tools

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll/tools/harmless"
)

// weigh looks at the commands of a plain script once: whether their arguments are
// known to be harmless. It reads the workspace, for globs and links.

// maxExpanded bounds how many files a glob may stand for.
const maxExpanded = 1000

// weigh fills in what rules need to know of the commands of a script.
func (f *files) weigh(s *script) {
	if !s.plain {
		return
	}
	dir, inside := ".", false
	changed := false // by a command of which it is not known what it does
	for i := range s.calls {
		call := &s.calls[i]
		if at, ok := f.enter(call, i, dir); ok && len(s.calls) > 1 {
			dir, inside, call.enters = at, true, true
			continue
		}
		call.inside = inside
		call.harmless = f.isHarmless(call.words, dir, inside, changed)
		if inside { // in case that the script could not go there, or went in a pipe
			call.harmless = call.harmless && f.isHarmless(call.words, ".", inside, changed)
		}
		changed = changed || !call.harmless
	}
}

// enter is the folder of the workspace that a script goes to: cd FOLDER, before
// anything else.
func (f *files) enter(call *simple, i int, dir string) (string, bool) {
	if i > 0 || call.piped || len(call.words) != 2 || call.words[0].text != "cd" || !call.words[1].sure {
		return dir, false
	}
	name := call.words[1].text
	if name == "" || strings.HasPrefix(name, "-") || strings.HasPrefix(name, "~") {
		return dir, false
	}
	p, err := f.locate(name)
	if err != nil || f.directory(p) != nil {
		return dir, false
	}
	return p.rel, true
}

// isHarmless judges a command in a folder. In a script that changed files before, what a name stands for then is not
// known: it could be a link by now. To git it would stay a link, and the project's own code can go anywhere itself.
func (f *files) isHarmless(words []word, dir string, inside, changed bool) bool {
	args, err := f.expand(words, dir)
	if err != nil {
		return false
	}
	entry := harmless.Find(args)
	if entry == nil || entry.TopOnly && (inside || f.bareRepository()) {
		return false
	}
	unknown := changed && !entry.TopOnly && !entry.OwnCode
	if unknown && slices.ContainsFunc(words, func(w word) bool { return !w.sure }) {
		return false
	}
	return entry.Check(args, func(name string) error {
		if unknown && path.Clean(name) != "." && name != os.DevNull {
			return errors.New(name + " may be something else by then")
		}
		return f.readable(name, dir)
	}) == nil
}

// bareRepository reports whether git may take the workspace itself for a repository: its files are then in sight, among
// them a configuration that names programs to run.
func (f *files) bareRepository() bool {
	_, err := f.root.Lstat("HEAD")
	return !errors.Is(err, fs.ErrNotExist)
}

// expand is the words of a command as the program gets them.
func (f *files) expand(words []word, dir string) ([]string, error) {
	var out []string
	for _, w := range words {
		if w.sure {
			out = append(out, w.text)
			continue
		}
		found, err := f.glob(w.text, dir)
		if err != nil {
			return nil, err
		}
		out = append(append(out, w.text), found...) // it is itself if it matches nothing
	}
	return out, nil
}

// glob is the files that a word with * or ? could stand for: as many or more than the shell finds. It follows links as
// the shell does, so that what lies behind one is found, and refused.
func (f *files) glob(pattern, dir string) ([]string, error) {
	if strings.ContainsAny(pattern, `[]{}~\`) || strings.HasPrefix(pattern, "/") || slices.Contains(strings.Split(pattern, "/"), "..") {
		return nil, errors.New("a pattern that only the shell can read")
	}
	wider := strings.ReplaceAll(pattern, "?", "*") // to the shell, ? may be a byte of a character
	found, err := fs.Glob(os.DirFS(filepath.Join(f.dir, dir)), path.Clean(wider))
	if err != nil || len(found) > maxExpanded {
		return nil, errors.New("too many files")
	}
	for _, name := range found {
		if _, err := f.locate(path.Join(dir, name)); err != nil {
			return nil, err
		}
		if strings.HasPrefix(name, "-") { // which option it is depends on the order in which the shell sorts
			return nil, errors.New("a file with the name of an option")
		}
	}
	return found, nil
}

// readable says why a command that runs in a folder of the workspace may not read
// a file without being asked about: it lies outside, or commonly holds secrets.
func (f *files) readable(name, dir string) error {
	if name == os.DevNull {
		return nil
	}
	if strings.HasPrefix(name, "~") {
		return errors.New("a name that begins with ~")
	}
	below := false
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." && below { // behind a link .. leads elsewhere than it reads
			return errors.New("a name with .. in it")
		}
		below = below || part != ".." && part != "." && part != ""
	}
	if !path.IsAbs(name) {
		name = path.Join(dir, name)
	}
	p, err := f.locate(name)
	if err != nil {
		return err
	}
	if secretFile(p.name) || secretFile(p.rel) {
		return errors.New(p.name + " commonly holds secrets")
	}
	return nil
}

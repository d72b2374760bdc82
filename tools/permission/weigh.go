package permission

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"plimsoll/tools/harmless"
	"plimsoll/tools/workspace"
)

// A weigher looks at the commands of a plain script once: whether their arguments are
// known to be harmless. It reads the workspace, for globs and links.
type weigher struct{ files *workspace.Files }

// maxExpanded bounds how many files a glob may stand for.
const maxExpanded = 1000

// weigh fills in what rules need to know of the commands of a script.
func (w weigher) weigh(s *script) {
	if !s.plain {
		return
	}
	dir, inside := ".", false
	changed := false // by a command of which it is not known what it does
	for i := range s.calls {
		call := &s.calls[i]
		if at, ok := w.enter(call, i, dir); ok && len(s.calls) > 1 {
			dir, inside, call.enters = at, true, true
			continue
		}
		call.inside = inside
		call.harmless = w.isHarmless(call.words, dir, inside, changed)
		if inside { // in case that the script could not go there, or went in a pipe
			call.harmless = call.harmless && w.isHarmless(call.words, ".", inside, changed)
		}
		changed = changed || !call.harmless
	}
}

// enter is the folder of the workspace that a script goes to: cd FOLDER, before
// anything else.
func (w weigher) enter(call *simple, i int, dir string) (string, bool) {
	if i > 0 || call.piped || len(call.words) != 2 || call.words[0].text != "cd" || !call.words[1].sure {
		return dir, false
	}
	name := call.words[1].text
	if name == "" || strings.HasPrefix(name, "-") || strings.HasPrefix(name, "~") {
		return dir, false
	}
	p, err := w.files.Locate(name)
	if err != nil || w.files.Directory(p) != nil {
		return dir, false
	}
	return p.Rel, true
}

// isHarmless judges a command in a folder. In a script that changed files before, what a name stands for then is not
// known: it could now be a link. To git it would stay a link, and the project's own code can go anywhere itself.
func (w weigher) isHarmless(words []word, dir string, inside, changed bool) bool {
	args, err := w.expand(words, dir)
	if err != nil {
		return false
	}
	entry := harmless.Find(args)
	if entry == nil || entry.TopOnly && (inside || w.bareRepository()) {
		return false
	}
	unknown := changed && !entry.TopOnly && !entry.OwnCode
	if unknown && slices.ContainsFunc(words, func(one word) bool { return !one.sure }) {
		return false
	}
	return entry.Check(args, func(name string) error {
		if unknown && path.Clean(name) != "." && name != os.DevNull {
			return errors.New(name + " may be something else by then")
		}
		return w.readable(name, dir)
	}) == nil
}

// bareRepository reports whether git may take the workspace itself for a repository: its files are then in sight, among
// them a configuration that names programs to run.
func (w weigher) bareRepository() bool {
	return w.files.Exists("HEAD")
}

// expand is the words of a command as the program gets them.
func (w weigher) expand(words []word, dir string) ([]string, error) {
	var out []string
	for _, one := range words {
		if one.sure {
			out = append(out, one.text)
			continue
		}
		found, err := w.glob(one.text, dir)
		if err != nil {
			return nil, err
		}
		out = append(append(out, one.text), found...) // it is itself if it matches nothing
	}
	return out, nil
}

// glob is the files that a word with * or ? could stand for: as many or more than the shell finds. It follows links as
// the shell does, so that what lies behind one is found, and refused.
func (w weigher) glob(pattern, dir string) ([]string, error) {
	if strings.ContainsAny(pattern, `[]{}~\`) || strings.HasPrefix(pattern, "/") || slices.Contains(strings.Split(pattern, "/"), "..") {
		return nil, errors.New("a pattern that only the shell can read")
	}
	wider := strings.ReplaceAll(pattern, "?", "*") // to the shell, ? may be a byte of a character
	found, err := fs.Glob(os.DirFS(filepath.Join(w.files.Dir, dir)), path.Clean(wider))
	if err != nil || len(found) > maxExpanded {
		return nil, errors.New("too many files")
	}
	for _, name := range found {
		if _, err := w.files.Locate(path.Join(dir, name)); err != nil {
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
func (w weigher) readable(name, dir string) error {
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
	p, err := w.files.Locate(name)
	if err != nil {
		return err
	}
	if SecretFile(p.Name) || SecretFile(p.Rel) {
		return errors.New(p.Name + " commonly holds secrets")
	}
	return nil
}

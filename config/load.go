// Loading. Rules:
//
//   - Layers in order: defaults, the user's file, the workspace's file, overrides. A later one wins key by key.
//   - The user's file is --config, else PLIMSOLL_CONFIG, else config.yaml in the configuration folder. Only the last may
//     be missing, and is where there is no home.
//   - Then the preset fills the keys of compaction that no layer set.
//   - Every layer is read even when an earlier one has problems, so that all of them are reported at once.

package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// WorkspaceFile is the name of a workspace's own configuration, at its top.
const WorkspaceFile = ".plimsoll.yaml"

// Layer is where a value comes from.
type Layer string

// The layers, weakest first.
const (
	LayerDefault   Layer = "default"
	LayerUser      Layer = "user"
	LayerWorkspace Layer = "workspace"
	LayerOverride  Layer = "--cfg"
)

// LoadOptions say what to load. The zero value, with an Env, loads the user's file over the defaults.
type LoadOptions struct {
	Env       Env    // the environment; nil counts as empty
	File      string // --config; "" = PLIMSOLL_CONFIG or the default place
	Workspace string // top of the workspace whose .plimsoll.yaml counts; "" = none
	// Trust says whether the user has allowed a workspace's file, by the hash of its content, to decide what it may not
	// decide without that; nil: never.
	Trust func(hash string) bool
	Set   []string // --cfg KEY=VALUE overrides, in order

	// Preset gives the values of a preset by its name, false if it knows none; nil: presets fill nothing. Of what it
	// returns the preset's name and the profiles do not matter.
	Preset func(name string) (Compaction, bool)
}

// Loaded is a configuration with where it came from.
type Loaded struct {
	Config  Config
	Sources []Source          // the layers looked at, weakest first
	Refused []Refused         // keys of the workspace file that were not applied
	Trusted []Refused         // those that were applied because the user trusts the file
	Hash    string            // of the workspace file's content, "" without one
	Origins map[string]Origin // by dotted key ([Path]): where each explicitly set value was set last
}

// Source is one layer of a load.
type Source struct {
	Layer Layer
	Path  string // file, or the override; "" for the defaults
	Found bool   // false for a file that does not exist
}

// Origin is the place of an explicitly set value.
type Origin struct {
	Layer Layer
	File  string
	Line  int // 1-based; meaningless for an override

	text *source
}

// Explicit tells whether a key was set by the user, or, for a section, anything below it. A preset leaves such keys
// alone.
func (l Loaded) Explicit(key string) bool {
	if _, ok := l.Origins[key]; ok {
		return true
	}
	for set := range l.Origins {
		if strings.HasPrefix(set, key+".") {
			return true
		}
	}
	return false
}

// Problem is what somebody who knows more than this package found wrong with a value, such as a name that does not exist.
// It points at the place where the key, or else the nearest section above it, was set last.
func (l Loaded) Problem(key, message, hint string) *Problem {
	for at := key; at != ""; {
		if o, ok := l.Origins[at]; ok {
			return o.text.problem(o.Line, 0, key, message, hint)
		}
		at = at[:max(0, strings.LastIndexByte(at, '.'))]
	}
	return &Problem{File: "configuration", Key: key, Message: message, Hint: hint}
}

// Load reads and checks all layers. When something is wrong the error is [Problems], and the result still tells the
// sources; its Config must not be used.
func Load(o LoadOptions) (Loaded, error) {
	l := &loading{Loaded: Loaded{
		Config:  Default(),
		Sources: []Source{{Layer: LayerDefault, Found: true}},
		Origins: map[string]Origin{},
	}}
	path, named, err := File(o.Env, o.File)
	if err != nil {
		path, named = "", false // without a home there is no file of the user's
	}
	l.file(LayerUser, path, named, func(d *decoder, root *node) { d.document(root, &l.Config) })
	if o.Workspace != "" {
		ws := filepath.Join(o.Workspace, WorkspaceFile)
		if !sameFile(path, ws) {
			l.file(LayerWorkspace, ws, false, func(d *decoder, root *node) { l.workspace(d, root, o.Trust) })
		}
	}
	for _, text := range o.Set {
		l.Sources = append(l.Sources, Source{Layer: LayerOverride, Path: printable(hideSecrets(text)), Found: true})
		src, root, problems := parseOverride(text)
		l.apply(LayerOverride, src, root, problems, func(d *decoder, root *node) { d.document(root, &l.Config) })
	}
	l.finish(o.Preset)
	return l.Loaded, l.problems.err()
}

// Parse reads one document over the defaults, as the user's file would be, without what a preset fills. The name stands
// in problems.
func Parse(name string, data []byte) (Config, error) {
	l := &loading{Loaded: Loaded{Config: Default(), Origins: map[string]Origin{}}}
	src, root, problems := parseDocument(name, data)
	l.apply(LayerUser, src, root, problems, func(d *decoder, root *node) { d.document(root, &l.Config) })
	l.finish(nil)
	return l.Config, l.problems.err()
}

// loading is a load under way.
type loading struct {
	Loaded
	problems Problems
}

// finish fills in the preset and applies the rules between keys.
func (l *loading) finish(preset func(name string) (Compaction, bool)) {
	if len(l.problems) == 0 {
		complete := l.preset(preset)
		l.problems = checkRelations(l.Config, l.Origins, complete)
	}
}

// file reads one file and lays it over what is there.
func (l *loading) file(layer Layer, path string, named bool, lay func(*decoder, *node)) {
	data, found, problem := readFile(path, named)
	l.Sources = append(l.Sources, Source{Layer: layer, Path: path, Found: found})
	switch {
	case problem != nil:
		l.problems = append(l.problems, problem)
	case found:
		if layer == LayerWorkspace {
			sum := sha256.Sum256(data)
			l.Hash = hex.EncodeToString(sum[:])
		}
		src, root, problems := parseDocument(path, data)
		l.apply(layer, src, root, problems, lay)
	}
}

// apply lays a parsed document over what is there, unless it could not be parsed.
func (l *loading) apply(layer Layer, src *source, root *node, problems Problems, lay func(*decoder, *node)) {
	if len(problems) > 0 {
		l.problems = append(l.problems, problems...)
		return
	}
	d := &decoder{src: src, layer: layer, origins: l.Origins}
	lay(d, root)
	l.problems = append(l.problems, d.problems...)
}

// workspace lays the workspace's file over what is there. All of it is checked; what it may not decide is kept back.
func (l *loading) workspace(d *decoder, root *node, trust func(hash string) bool) {
	scratch, everything := Default(), &decoder{src: d.src, origins: map[string]Origin{}}
	everything.document(root, &scratch)
	if d.problems = everything.problems; len(d.problems) > 0 || root == nil {
		return
	}
	g := guard{current: l.Config, file: d.src.name, trusted: trust != nil && trust(l.Hash)}
	kept := g.root(root)
	d.document(kept, &l.Config)
	if g.trusted {
		l.Trusted = g.refused
	} else {
		l.Refused = g.refused
	}
}

// readFile reads a file of bounded size. A named file must exist and may be a pipe; others must be plain files, so that
// a workspace cannot make the program wait for one.
func readFile(path string, named bool) (data []byte, found bool, problem *Problem) {
	fail := func(message, hint string) ([]byte, bool, *Problem) {
		return nil, false, &Problem{File: path, Message: message, Hint: hint}
	}
	if path == "" {
		return nil, false, nil
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && named:
		return fail("there is no such file", "check the name, or write one with every key explained: plimsoll config init")
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err != nil:
		return fail(reason(err), "make it readable, or name another file with --config")
	case st.IsDir():
		return fail("is a folder", "name the file in it")
	case !st.Mode().IsRegular() && !named:
		return fail("is not a plain file", "")
	}
	f, err := os.Open(path)
	if err != nil {
		return fail(reason(err), "make it readable, or name another file with --config")
	}
	defer f.Close() // only read from: nothing can be lost
	data, err = io.ReadAll(io.LimitReader(f, MaxFileSize+1))
	if err != nil {
		return fail(reason(err), "")
	}
	return data, true, nil
}

// reason is what the system says, without the path that the problem names already.
func reason(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return fmt.Sprintf("cannot be read: %v", err)
}

func sameFile(a, b string) bool {
	sa, errA := os.Stat(a)
	sb, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(sa, sb)
}

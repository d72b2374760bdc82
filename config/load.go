// Loading. Rules:
//
//   - Layers in order: defaults, the user's file, the program's own, the workspace's file, the conversation's settings, overrides. A later one
//     wins key by key.
//   - The user's file is --config, else PLIMSOLL_CONFIG, else config.yaml in the configuration folder. Only the last may
//     be missing, and is where there is no home.
//   - Then the preset fills the keys of compaction that no layer set.
//   - Every layer is read even when an earlier one has problems, so that all of them are reported at once.

package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// WorkspaceFile is the name of a workspace's own configuration, at its top.
const WorkspaceFile = ".plimsoll.yaml"

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
	l.file(LayerUser, path, named, nil)
	if o.own == nil {
		l.file(LayerSettings, OwnFile(path), false, nil)
	} else {
		l.document(LayerSettings, OwnFile(path), o.own, nil)
	}
	if ws := filepath.Join(o.Workspace, WorkspaceFile); o.Workspace != "" && !sameFile(path, ws) {
		l.file(LayerWorkspace, ws, false, o.Trust)
	}
	l.overrides(LayerConversation, o.Recorded)
	l.overrides(LayerOverride, o.Set)
	l.overrides(LayerConversation, o.Changed)
	l.finish()
	return l.Loaded, l.problems.err()
}

// Parse reads one document over the defaults, as the user's file would be. The name stands in
// problems.
func Parse(name string, data []byte) (Config, error) {
	l := &loading{Loaded: Loaded{Config: Default(), Origins: map[string]Origin{}}}
	l.document(LayerUser, name, data, nil)
	l.finish()
	return l.Config, l.problems.err()
}

// overrides lays KEY=VALUE settings over what is there.
func (l *loading) overrides(layer Layer, set []string) {
	for _, text := range set {
		l.Sources = append(l.Sources, Source{Layer: layer, Path: printable(shownOverride(text)), Found: true})
		src, leaves, problems := parseOverride(layer, text)
		l.apply(layer, src, leaves, problems, nil)
	}
}

// finish fills in the preset and applies the rules between keys.
func (l *loading) finish() {
	if len(l.problems) == 0 {
		l.preset()
		bare := &loading{Loaded: Loaded{Config: Default()}}
		bare.Config.Compaction.Preset = l.Config.Compaction.Preset
		bare.preset()
		bare.Config.Compaction.Preset = Default().Compaction.Preset
		l.unset = bare.Config
		l.problems = checkRelations(l.Config, l.Origins)
	}
}

// file reads one file and lays it over what is there.
func (l *loading) file(layer Layer, path string, named bool, trust func(hash string) bool) {
	data, found, problem := readFile(path, named)
	l.Sources = append(l.Sources, Source{Layer: layer, Path: path, Found: found})
	switch {
	case problem != nil:
		l.problems = append(l.problems, problem)
	case found:
		l.document(layer, path, data, trust)
	}
}

// document lays one document over what is there.
func (l *loading) document(layer Layer, path string, data []byte, trust func(hash string) bool) {
	if layer == LayerWorkspace {
		sum := sha256.Sum256(data)
		l.Hash = hex.EncodeToString(sum[:])
	}
	src, leaves, problems := parseDocument(path, data)
	l.apply(layer, src, leaves, problems, trust)
}

// apply lays a parsed document over what is there, unless it could not be parsed.
func (l *loading) apply(layer Layer, src *source, leaves []leaf, problems Problems, trust func(hash string) bool) {
	if len(problems) == 0 {
		d := &decoder{src: src, layer: layer, origins: l.Origins}
		if layer == LayerWorkspace {
			l.workspace(d, leaves, trust)
		} else {
			d.lay(leaves, &l.Config)
		}
		problems = d.problems
	}
	l.problems = append(l.problems, problems...)
}

// workspace lays the workspace's file over what is there. All of it is checked; what it may not decide is kept back.
// Unknown keys are reported and ignored: the user who cloned the folder did not write them.
func (l *loading) workspace(d *decoder, leaves []leaf, trust func(hash string) bool) {
	scratch, all := Default(), &decoder{src: d.src, origins: Origins{}, passes: true}
	known := all.lay(leaves, &scratch)
	l.Unknown = all.unknown
	if d.problems = all.problems; len(d.problems) > 0 {
		return
	}
	g := guard{current: l.Config, file: d.src.name, trusted: trust != nil && trust(l.Hash)}
	d.lay(g.sort(known), &l.Config)
	l.Unknown = append(l.Unknown, g.never...)
	if g.trusted {
		l.Trusted = g.refused
	} else {
		l.Refused = g.refused
	}
}

// readFile reads a file of bounded size. A named file must exist and may be a pipe; others must be plain files, so that
// a workspace cannot make the program wait for one.
func readFile(path string, named bool) (data []byte, found bool, problem *Problem) {
	if path == "" {
		return nil, false, nil
	}
	fail := func(message, hint string) ([]byte, bool, *Problem) {
		return nil, false, &Problem{File: path, Message: message, Hint: hint}
	}
	st, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && named:
		return fail("there is no such file", "check the name, or write one with every key explained: plimsoll config init")
	case errors.Is(err, fs.ErrNotExist):
		return nil, false, nil
	case err == nil && st.IsDir():
		return fail("is a folder", "name the file in it")
	case err == nil && !st.Mode().IsRegular() && !named:
		return fail("is not a plain file", "")
	}
	f, err := os.Open(path)
	if err != nil {
		return fail("cannot be read: "+err.Error(), "make it readable, or name another file with --config")
	}
	defer f.Close() // only read from: nothing can be lost
	if data, err = io.ReadAll(io.LimitReader(f, MaxFileSize+1)); err != nil {
		return fail("cannot be read: "+err.Error(), "")
	}
	return data, true, nil
}

func sameFile(a, b string) bool {
	sa, errA := os.Stat(a)
	sb, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(sa, sb)
}

// Loading reads all layers. Rules:
//
//   - The layers in order: defaults, the user's file, the settings file, the workspace file, settings recorded in the
//     conversation, --cfg, settings changed in the conversation. A later one wins, key by key.
//   - The user's file is --config, else PLIMSOLL_CONFIG, else config.yaml in the configuration folder. Only the last may
//     be missing. Without a home folder there is no user's file.
//   - Then the preset sets the keys of compaction that no layer has set, whichever layer names the preset. A table whose
//     keys the user chooses is set as a whole.
//   - Every layer is read even if an earlier one has problems, so that all of them are reported at once.

package config

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"plimsoll/compact/preset"
	"plimsoll/conversation"
)

// WorkspaceFile is the name of the configuration file in the top folder of a workspace.
const WorkspaceFile = ".plimsoll.yaml"

// Load reads and checks all layers. If any has a problem the error is [Problems]; then only Sources of the result is
// valid, and Config must not be used.
func Load(o LoadOptions) (Loaded, error) {
	l := &loader{Loaded: Loaded{
		Config:  Default(),
		Sources: []Source{{Layer: LayerDefault, Found: true}},
		Origins: map[string]Origin{},
	}}
	path, named, err := UserFile(o.Env, o.File)
	if err != nil {
		path, named = "", false // without a home folder there is no user's file
	}
	l.applyFile(LayerUser, path, named, nil)
	if o.settingsData == nil {
		l.applyFile(LayerSettings, SettingsFile(path), false, nil)
	} else {
		l.applyDocument(LayerSettings, SettingsFile(path), o.settingsData, nil)
	}
	if ws := filepath.Join(o.Workspace, WorkspaceFile); o.Workspace != "" && !sameFile(path, ws) {
		l.applyFile(LayerWorkspace, ws, false, o.Trust)
	}
	l.applyOverrides(LayerConversation, o.Recorded)
	l.applyOverrides(LayerOverride, o.Overrides)
	l.applyOverrides(LayerConversation, o.Changed)
	l.finish()
	return l.Loaded, l.problems.asError()
}

func (l *loader) applyOverrides(layer Layer, set []string) {
	for _, text := range set {
		l.Sources = append(l.Sources, Source{Layer: layer, Path: printable(maskedOverride(text)), Found: true})
		src, leaves, problems := parseOverride(layer, text)
		before := len(l.problems)
		if l.apply(layer, src, leaves, problems, nil); len(l.problems) > before {
			l.Sources[len(l.Sources)-1].Path = "" // what belongs to no known key may be a secret
		}
	}
}

// finish applies the preset and checks the rules between keys.
func (l *loader) finish() {
	if len(l.problems) == 0 {
		l.applyPreset()
		unset := &loader{Loaded: Loaded{Config: Default()}}
		unset.Config.Compaction.Preset = l.Config.Compaction.Preset
		unset.applyPreset()
		unset.Config.Compaction.Preset = Default().Compaction.Preset
		l.unsetConfig = unset.Config
		l.problems = checkRelations(l.Config, l.Origins)
	}
}

// applyFile reads one file and applies it. named means that it must exist.
func (l *loader) applyFile(layer Layer, path string, named bool, trust func(hash string) bool) {
	data, found, problem := readFile(path, named)
	l.Sources = append(l.Sources, Source{Layer: layer, Path: path, Found: found})
	switch {
	case problem != nil:
		l.problems = append(l.problems, problem)
	case found:
		l.applyDocument(layer, path, data, trust)
	}
}

func (l *loader) applyDocument(layer Layer, path string, data []byte, trust func(hash string) bool) {
	if layer == LayerWorkspace {
		l.Hash = conversation.ContentHash(string(data))
	}
	src, leaves, problems := parseDocument(path, data)
	l.apply(layer, src, leaves, problems, trust)
}

// apply applies the values of a document, unless it could not be parsed.
func (l *loader) apply(layer Layer, src *source, leaves []leaf, problems Problems, trust func(hash string) bool) {
	if len(problems) == 0 {
		d := &decoder{src: src, layer: layer, origins: l.Origins}
		if layer == LayerWorkspace {
			l.applyWorkspace(d, leaves, trust)
		} else {
			d.apply(leaves, &l.Config)
		}
		problems = d.problems
	}
	l.problems = append(l.problems, problems...)
}

// applyWorkspace applies the values of the workspace file that its guard permits. All values are checked first.
// Unknown keys are reported and ignored: the user who cloned the repository did not write them.
func (l *loader) applyWorkspace(d *decoder, leaves []leaf, trust func(hash string) bool) {
	scratch, all := Default(), &decoder{src: d.src, origins: Origins{}, allowsUnknown: true}
	known := all.apply(leaves, &scratch)
	l.Unknown = all.unknown
	if d.problems = all.problems; len(d.problems) > 0 {
		return
	}
	g := guard{current: l.Config, file: d.src.name, trusted: trust != nil && trust(l.Hash)}
	d.apply(g.filter(known), &l.Config)
	l.Unknown = append(l.Unknown, g.forbidden...)
	if g.trusted {
		l.Trusted = g.refused
	} else {
		l.Refused = g.refused
	}
}

// readFile reads a file of bounded size. A file that the user named must exist and may be a pipe. Others must be regular
// files, so that a workspace cannot make the program wait for a pipe.
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

// applyPreset sets all keys that no layer has set to the values of the chosen preset.
func (l *loader) applyPreset() {
	name := l.Config.Compaction.Preset
	if name == preset.OneClaw { // it cuts results at a fixed length and does not store the rest
		l.setUnset(&l.Config.ToolResults, ToolResults{MaxChars: minAutoChars, Ceiling: l.Config.ToolResults.Ceiling}, "tool_results")
	}
	l.setUnset(&l.Config.Compaction.Values, preset.RulesOf(name).Values, "compaction")
}

// setUnset copies from one section to another the fields that were not set explicitly.
func (l *loader) setUnset(to, from any, section string) {
	l.setUnsetFields(reflect.ValueOf(to).Elem(), reflect.ValueOf(from), []string{section})
}

func (l *loader) setUnsetFields(to, from reflect.Value, path []string) {
	for i := range to.NumField() {
		at := appendKey(path, to.Type().Field(i).Tag.Get("yaml"))
		switch {
		case to.Field(i).Kind() == reflect.Struct:
			l.setUnsetFields(to.Field(i), from.Field(i), at)
		case !l.Explicit(Path(at...)):
			to.Field(i).Set(from.Field(i))
		}
	}
}

// What is changed on the screen is kept in a file of the program's own, beside the user's and laid over it. Rules:
//
//   - The user's file is never written. What stands in the program's own is written whole, sorted by key.
//   - A value that holds without a line has none: the line goes when the user's file, the preset or the default says the same.
//   - What would be written is read as strictly as at the start.

package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml"
)

// OwnFile is where the program keeps what is changed on the screen, for a configuration file of the user's.
func OwnFile(path string) string {
	if path == "" {
		return ""
	}
	extension := filepath.Ext(path)
	return strings.TrimSuffix(path, extension) + ".settings" + extension
}

// ownHead begins the program's own file.
const ownHead = "# Written by /settings. It is laid over %s; delete a line to have what that file says.\n"

// Keep writes values of some keys to the program's own file, whole or not at all. The error is [Problems] where the user's
// file or the result has mistakes.
func Keep(o LoadOptions, set map[string]string) (path string, err error) {
	path, data, err := kept(o, set)
	if err != nil {
		return path, err
	}
	if err := ReplaceFile(path, data); err != nil {
		return path, fmt.Errorf("the settings cannot be kept: %w", err)
	}
	return path, nil
}

// ReplaceFile writes a file that only the user may read, whole or not at all.
func ReplaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // of mode 0600
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error that counts is err
	}
	return err
}

// kept is the program's own file as it is with other values of some keys.
func kept(o LoadOptions, set map[string]string) (path string, data []byte, err error) {
	user, _, err := File(o.Env, o.File)
	if err != nil {
		return "", nil, err
	}
	path = OwnFile(user)
	before, _, problem := readFile(path, false)
	if problem != nil {
		return path, nil, Problems{problem}
	}
	_, leaves, problems := parseDocument(path, before)
	for _, key := range sortedKeys(set) {
		_, more, wrong := parseOverride(LayerSettings, key+"="+set[key])
		leaves, problems = append(leaves, more...), append(problems, wrong...)
	}
	if len(problems) > 0 {
		return path, nil, problems
	}
	var values any = map[string]any{}
	for _, l := range leaves {
		values = put(values, l.path, l.value)
	}
	o = LoadOptions{Env: o.Env, File: o.File, own: ownText(user, values)}
	with, err := Load(o)
	if err != nil {
		return path, nil, err
	}
	o.own = ownText(user, nil)
	without, err := Load(o)
	if err != nil {
		return path, nil, err
	}
	below := without.values()
	for key, s := range with.values() {
		if _, asked := set[key]; asked && (s.Value == below[key].Value && without.Explicit(key) || s.Value == s.Unset && !without.Explicit(key)) {
			remove(values.(map[string]any), strings.Split(key, "."))
		}
	}
	return path, ownText(user, values), nil
}

// ownText is the program's own file.
func ownText(user string, values any) []byte {
	text := fmt.Appendf(nil, ownHead, filepath.Base(user))
	if table, ok := values.(map[string]any); ok && len(table) > 0 {
		lines, _ := yaml.Marshal(values) // they come from YAML
		text = append(text, lines...)
	}
	return text
}

// values are the settings by key.
func (l Loaded) values() map[string]Setting {
	out := map[string]Setting{}
	for _, s := range l.Settings() {
		out[s.Key] = s
	}
	return out
}

// remove takes a key out of a table, and the tables that are empty then.
func remove(table map[string]any, path []string) {
	if below, ok := table[path[0]].(map[string]any); ok && len(path) > 1 {
		if remove(below, path[1:]); len(below) > 0 {
			return
		}
	}
	delete(table, path[0])
}

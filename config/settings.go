// Settings changed on the screen are saved in a file of the program, next to the user's file and stronger. Rules:
//
//   - The user's file is never written. The settings file is rewritten as a whole, sorted by key.
//   - It has no line for a value that would be the same without it, from the user's file, the preset or the default.
//   - The new content is checked like a file at the start of the program, before it is written.

package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"golang.org/x/sys/unix"
)

// SettingsFile returns the path of the settings file that belongs to the user's configuration file at path.
func SettingsFile(path string) string {
	if path == "" {
		return ""
	}
	extension := filepath.Ext(path)
	return strings.TrimSuffix(path, extension) + ".settings" + extension
}

// settingsHeader is the first line of the settings file.
const settingsHeader = "# Written by /settings. It is laid over %s; delete a line to have what that file says.\n"

// SaveSettings saves the values of some keys, by dotted key, in the settings file, and returns its path. The write is atomic. The
// error is [Problems] if the user's file or the new content is invalid.
func SaveSettings(o LoadOptions, set map[string]string) (path string, err error) {
	user, path, leaves, err := readSettings(o)
	if err != nil {
		return path, err
	}
	var problems Problems
	for _, key := range sortedKeys(set) {
		_, more, wrong := parseOverride(LayerSettings, key+"="+set[key])
		leaves, problems = append(leaves, more...), append(problems, wrong...)
	}
	if len(problems) > 0 {
		return path, problems
	}
	values := tableOf(leaves)
	o = LoadOptions{Env: o.Env, File: o.File, settingsData: settingsText(user, values)}
	withLines, err := Load(o)
	if err != nil {
		return path, err
	}
	o.settingsData = settingsText(user, nil)
	withoutLines, err := Load(o)
	if err != nil {
		return path, err
	}
	inherited := withoutLines.values()
	for key, s := range withLines.values() {
		without := s.UnsetValue
		if withoutLines.Explicit(key) {
			without = inherited[key].Value
		}
		if _, asked := set[key]; asked && s.Value == without {
			remove(values, strings.Split(key, "."))
		}
	}
	if err := ReplaceFile(path, settingsText(user, values)); err != nil {
		return path, fmt.Errorf("the settings cannot be kept: %w", err)
	}
	return path, nil
}

// RemoveSettings deletes a key, with all below it, from the settings file. It returns the path of the file and whether it had
// the key.
func RemoveSettings(o LoadOptions, key ...string) (path string, removed bool, err error) {
	user, path, leaves, err := readSettings(o)
	if err != nil {
		return path, false, err
	}
	kept := slices.DeleteFunc(slices.Clone(leaves), func(l leaf) bool {
		keys := l.keys()
		return len(keys) >= len(key) && slices.Equal(keys[:len(key)], key)
	})
	if len(kept) == len(leaves) {
		return path, false, nil
	}
	if err := ReplaceFile(path, settingsText(user, tableOf(kept))); err != nil {
		return path, false, fmt.Errorf("the settings cannot be kept: %w", err)
	}
	return path, true, nil
}

// ReplaceFile replaces a file atomically. Only the user may read the new file.
func ReplaceFile(path string, data []byte) error {
	return ReplaceFileWith(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReplaceFileWith is ReplaceFile with what write writes.
func ReplaceFileWith(path string, write func(io.Writer) error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*") // of mode 0600
	if err != nil {
		return err
	}
	if err = errors.Join(write(f), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name()) // the error that counts is err
	}
	return err
}

// LockFile makes a lock file with its folder and locks it, as how says to flock.
func LockFile(path string, how int) (release func(), err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		if err = unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() {
		_ = unix.Flock(int(f.Fd()), unix.LOCK_UN) // a child between fork and exec still has the descriptor
		_ = f.Close()                             // nothing was written
	}, nil
}

// readSettings reads the settings file at path, which belongs to the user's file.
func readSettings(o LoadOptions) (user, path string, leaves []leaf, err error) {
	if user, _, err = UserFile(o.Env, o.File); err != nil {
		return "", "", nil, err
	}
	path = SettingsFile(user)
	data, _, problem := readFile(path, false)
	if problem != nil {
		return user, path, nil, Problems{problem}
	}
	_, leaves, problems := parseDocument(path, data)
	return user, path, leaves, problems.asError()
}

func settingsText(user string, values map[string]any) []byte {
	text := fmt.Appendf(nil, settingsHeader, filepath.Base(user))
	if len(values) > 0 {
		lines, _ := yaml.Marshal(values) // they come from YAML
		text = append(text, lines...)
	}
	return text
}

func (l Loaded) values() map[string]Setting {
	out := map[string]Setting{}
	for _, s := range l.Settings() {
		out[s.Key] = s
	}
	return out
}

// remove deletes a key from a table, and tables that become empty.
func remove(table map[string]any, path []string) {
	if below, ok := table[path[0]].(map[string]any); ok && len(path) > 1 {
		if remove(below, path[1:]); len(below) > 0 {
			return
		}
	}
	delete(table, path[0])
}

// Keeping an answer of "always". Rules:
//
//   - Only the user's file changes, and in it only permissions.allow: comments, order and every other byte stay.
//   - The new text is loaded strictly and compared before it replaces the old one, in one rename. A file with problems,
//     or one written so that no safe place is found, is left alone, and the error says what to add by hand.
//   - A file that somebody else changed meanwhile is read again, up to the moment of the rename. Of two programs that
//     keep an answer in the same instant one may lose its rule, and asks again.

package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrByHand says that a file cannot be changed without risk to what else it holds. The text of the error says what to
// write where.
var ErrByHand = errors.New("cannot be changed safely")

// errChanged says that the file is not what was read.
var errChanged = errors.New("changed meanwhile")

// maxAttempts bounds how often a file that others write to at the same time is read again.
const maxAttempts = 10

// Allow adds rules to permissions.allow of the user's configuration file, which is made, readable by the user only, when
// there is none. Rules that stand there already are not repeated. A file with problems stays as it is: the error is
// [Problems]; so does one that cannot be changed safely: the error is [ErrByHand].
func Allow(path string, rules []string) error {
	for _, rule := range rules {
		if strings.TrimSpace(rule) == "" || !utf8.ValidString(rule) {
			return fmt.Errorf("keep the rule %s: it is empty or not valid UTF-8", quote(rule))
		}
	}
	if len(rules) == 0 {
		return nil
	}
	target, err := followLinks(path)
	if err != nil {
		return fmt.Errorf("keep the rule: %w", err)
	}
	for range maxAttempts {
		if err = allowOnce(target, rules); !errors.Is(err, errChanged) {
			return err
		}
	}
	return fmt.Errorf("keep the rule in %s: %w", path, err)
}

// followLinks gives the file behind symbolic links, so that a link to it survives the rename.
func followLinks(path string) (string, error) {
	target, err := filepath.EvalSymlinks(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		target, err = filepath.EvalSymlinks(path) // it appeared meanwhile, or the link leads nowhere
	}
	return target, err
}

// allowOnce reads, changes, checks and replaces the file once.
func allowOnce(path string, rules []string) error {
	old, found, problem := readFile(path, false)
	if problem != nil {
		return Problems{problem}
	}
	changed, err := withRules(path, old, found, rules)
	if err != nil || bytes.Equal(changed, old) {
		return err
	}
	if err := replaceFile(path, old, found, changed); err != nil {
		return fmt.Errorf("keep the rule in %s: %w", path, err)
	}
	return nil
}

// withRules gives the text of the file with those rules that it does not hold yet.
func withRules(path string, old []byte, found bool, rules []string) ([]byte, error) {
	before := Default()
	if found {
		var err error
		if before, err = Parse(path, old); err != nil {
			return nil, err
		}
	}
	want := slices.Clone(before.Permissions.Allow)
	var fresh []string
	for _, rule := range rules {
		if !slices.Contains(want, rule) {
			want, fresh = append(want, rule), append(fresh, rule)
		}
	}
	if len(fresh) == 0 {
		return old, nil
	}
	for _, text := range insertions(path, old, fresh) {
		after, err := Parse(path, text)
		if err == nil && sameButAllow(before, after) && sameSet(want, after.Permissions.Allow) {
			return text, nil
		}
	}
	return nil, fmt.Errorf("%s %w as it is written: add to permissions.allow in it: %s", path, ErrByHand, strings.Join(quoteAll(fresh), ", "))
}

func sameButAllow(a, b Config) bool {
	a.Permissions.Allow, b.Permissions.Allow = nil, nil
	return reflect.DeepEqual(a, b)
}

func sameSet(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// quoteAll writes rules as double-quoted YAML: the escapes that strconv uses for valid UTF-8 are YAML's too.
func quoteAll(rules []string) []string {
	out := make([]string, len(rules))
	for i, rule := range rules {
		out[i] = strconv.Quote(rule)
	}
	return out
}

// replaceFile puts the new text in place of the old in one rename, if the old is still what it was.
func replaceFile(path string, old []byte, found bool, text []byte) error {
	mode := fs.FileMode(0o600)
	if st, err := os.Stat(path); err == nil {
		mode = st.Mode().Perm()
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	f, err := os.CreateTemp(dir, ".config-*.tmp")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = swap(path, f.Name(), old, found)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// swap moves the new file over the old one, unless somebody wrote to it since it was read. A file that did not exist is
// linked, which fails when it exists by now.
func swap(path, fresh string, old []byte, found bool) error {
	if !found {
		if err := os.Link(fresh, path); errors.Is(err, fs.ErrExist) {
			return errChanged
		} else if err == nil {
			return os.Remove(fresh)
		}
		// No links on this file system: the rename below does it.
	}
	now, stillFound, problem := readFile(path, false)
	switch {
	case problem != nil:
		return problem
	case stillFound != found || !bytes.Equal(now, old):
		return errChanged
	}
	return os.Rename(fresh, path)
}

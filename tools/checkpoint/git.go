package checkpoint

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"plimsoll/conversation"
	"plimsoll/tools/workspace"
)

// Commands change files as they like. In a git work tree the keeper finds out which: a file that git calls clean has the content
// of the commit, and the keeper stores the contents of the others before each command. Rules:
//
//   - Nothing in the repository is changed, not even its index.
//   - A repository whose own configuration would make git run programs is left alone.
//   - Whatever takes too long, or is too much, is recorded as unknown.

const (
	gitTimeout   = 3 * time.Second
	maxGitFiles  = 2000                   // that git calls changed
	maxGitBytes  = 64 << 20               // of their contents, together
	settledAfter = 100 * time.Millisecond // a later change has another time, also on coarse clocks
)

// errUnknown reports that it cannot be known what a command changes.
var errUnknown = errors.New("unknown")

// fileState is a file as it was seen.
type fileState struct {
	hash string // of its content; "" if there is none
	mode fs.FileMode
	size int64
	time time.Time // of its last change; zero if another could have the same
}

// tree is the state of a git work tree before a command.
type tree struct {
	k       *Keeper
	head    string
	changed map[string]fileState // files that differ from head, by path
	ignored []string             // files, and folders with a slash at the end
}

// wasIgnored reports whether git ignored a file, whose content is then not known.
func (t *tree) wasIgnored(name string) bool {
	return slices.ContainsFunc(t.ignored, func(i string) bool {
		return i == name || strings.HasSuffix(i, "/") && strings.HasPrefix(name, i)
	})
}

// BeforeCommand stores the contents of files that differ from the commit. The returned function records what the command
// changed, and is called after it. A nil Keeper records nothing.
func (k *Keeper) BeforeCommand(ctx context.Context, files *workspace.Files) (after func(context.Context) []conversation.Body) {
	if k == nil {
		return func(context.Context) []conversation.Body { return nil }
	}
	before, err := k.look(ctx, files)
	return func(ctx context.Context) []conversation.Body {
		record := conversation.Checkpoint{By: conversation.ToolRunCommand, Unknown: err != nil}
		if err == nil {
			if record.Files, err = before.differences(context.WithoutCancel(ctx), files); err != nil {
				record.Unknown = true
			}
		}
		if len(record.Files) == 0 && !record.Unknown {
			return nil
		}
		return []conversation.Body{record}
	}
}

// Unknown records that a command may change files later. A nil Keeper records nothing.
func (k *Keeper) Unknown() []conversation.Body {
	if k == nil {
		return nil
	}
	return []conversation.Body{conversation.Checkpoint{By: conversation.ToolRunCommand, Unknown: true}}
}

// git runs git in the workspace, so that it neither writes nor starts programs.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	c := exec.CommandContext(ctx, "git", append([]string{"-c", "core.fsmonitor=false", "-c", "core.hooksPath=" + os.DevNull, "-C", dir}, args...)...)
	c.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none", "GIT_TERMINAL_PROMPT=0"}
	out, err := c.Output()
	return string(out), err
}

// look reads the state of the work tree. The error says that it cannot be known.
func (k *Keeper) look(ctx context.Context, files *workspace.Files) (*tree, error) {
	inTree := false
	for dir := files.Dir; !inTree; dir = filepath.Dir(dir) {
		_, err := os.Lstat(filepath.Join(dir, ".git"))
		if inTree = err == nil; !inTree && dir == filepath.Dir(dir) {
			return nil, errUnknown
		}
	}
	keys, err := git(ctx, files.Dir, "config", "--show-scope", "--get-regexp",
		`^(filter\..*\.(clean|smudge|process)|extensions\.partialclone|remote\..*\.promisor)$`)
	var none *exec.ExitError // exit code 1: no such key
	if err != nil && (!errors.As(err, &none) || none.ExitCode() != 1) {
		return nil, errUnknown
	}
	for key := range strings.Lines(keys) { // those of the user's own files are the user's
		if strings.HasPrefix(key, "local\t") || strings.HasPrefix(key, "worktree\t") {
			return nil, errUnknown
		}
	}
	outs, err := together(ctx, files.Dir, [][]string{
		{"rev-parse", "--show-prefix", "HEAD"},
		{"ls-files", "-v", "-z"},
		{"ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"},
		{"status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--ignore-submodules=all", "--", "."},
	})
	if err != nil {
		return nil, errUnknown
	}
	prefix, head, _ := strings.Cut(outs[0], "\n")
	t := &tree{k: k, head: strings.TrimSpace(head), changed: map[string]fileState{}, ignored: fields(outs[2])}
	for _, line := range fields(outs[1]) {
		if !strings.ContainsAny(line[:1], "HMR") { // git does not look at the file
			return nil, errUnknown
		}
	}
	var names []string // that differ from the commit, or are untracked and not ignored
	for _, line := range fields(outs[3]) {
		if len(line) > 3 {
			names = append(names, strings.TrimPrefix(line[3:], prefix))
		}
	}
	if len(names) > maxGitFiles {
		return nil, errUnknown
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	total, seen := int64(0), map[string]fileState{}
	for _, name := range names {
		s, content, err := stateOf(files, name, k.seen[name])
		if err != nil || total+s.size > maxGitBytes {
			return nil, errUnknown
		}
		total += s.size
		if content != nil {
			if _, err := k.Store.Put(*content); err != nil {
				return nil, err
			}
		}
		t.changed[name], seen[name] = s, s
	}
	k.seen = seen
	return t, nil
}

// together runs several commands of git at the same time, and returns their outputs.
func together(ctx context.Context, dir string, commands [][]string) ([]string, error) {
	outs, errs := make([]string, len(commands)), make([]error, len(commands))
	var all sync.WaitGroup
	for i, args := range commands {
		all.Go(func() { outs[i], errs[i] = git(ctx, dir, args...) })
	}
	all.Wait()
	return outs, errors.Join(errs...)
}

// fields splits the output of a command with -z.
func fields(out string) []string {
	return strings.FieldsFunc(out, func(c rune) bool { return c == 0 })
}

// stateOf reads a file. content is nil if the file is as it was seen before, or does not exist.
func stateOf(files *workspace.Files, name string, before fileState) (s fileState, content *string, err error) {
	p, err := files.Locate("./" + name)
	if err != nil {
		return s, nil, err
	}
	if p.Rel != name { // reached through a link
		return s, nil, errUnknown
	}
	st, err := files.Lstat(p.Rel)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil, nil
	}
	if err != nil || !st.Mode().IsRegular() {
		return s, nil, errUnknown
	}
	s = fileState{mode: st.Mode().Perm(), size: st.Size()}
	if time.Since(st.ModTime()) > settledAfter {
		s.time = st.ModTime()
	}
	if before.hash != "" && before.size == s.size && !s.time.IsZero() && before.time.Equal(s.time) {
		s.hash = before.hash
		return s, nil, nil
	}
	text, err := files.Content(p)
	if err != nil {
		return s, nil, err
	}
	s.hash = conversation.ContentHash(text)
	return s, &text, nil
}

// differences compares the files with what they were before the command.
func (t *tree) differences(ctx context.Context, files *workspace.Files) ([]conversation.FileVersion, error) {
	now, err := t.k.look(ctx, files)
	if err != nil {
		return nil, err
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(t.changed)), maps.Keys(now.changed))
	if now.head != t.head {
		out, err := git(ctx, files.Dir, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--ignore-submodules=all", "--relative", t.head, now.head)
		if err != nil {
			return nil, errUnknown
		}
		names = append(names, fields(out)...)
	}
	slices.Sort(names)
	if names = slices.Compact(names); len(names) > maxGitFiles {
		return nil, errUnknown
	}
	var all []conversation.FileVersion
	for _, name := range names {
		before, wasChanged := t.changed[name]
		after, isChanged := now.changed[name]
		if wasChanged && isChanged && before.hash == after.hash {
			continue
		}
		v := conversation.FileVersion{Path: name, From: before.hash, Mode: uint32(before.mode), To: after.hash}
		if !wasChanged {
			if v.From, v.Mode, err = t.committed(ctx, files.Dir, name); err != nil {
				return nil, err
			}
			if v.From == "" && t.wasIgnored(name) {
				return nil, errUnknown
			}
		}
		if !isChanged {
			s, _, err := stateOf(files, name, fileState{})
			if err != nil {
				return nil, errUnknown
			}
			v.To = s.hash
		}
		if v.From != v.To {
			all = append(all, v)
		}
	}
	return all, nil
}

// committed keeps the content that a file has in the commit, and returns its hash; "" if the commit has no such file.
func (t *tree) committed(ctx context.Context, dir, name string) (hash string, mode uint32, err error) {
	listed, err := git(ctx, dir, "ls-tree", "-z", t.head, "--", name)
	if err != nil {
		return "", 0, errUnknown
	}
	switch kind, _, _ := strings.Cut(listed, " "); kind {
	case "":
		return "", 0, nil
	case "100644":
		mode = 0o644
	case "100755":
		mode = 0o755
	default: // a link or a submodule
		return "", 0, errUnknown
	}
	content, err := git(ctx, dir, "cat-file", "--filters", t.head+":./"+name)
	if err != nil || len(content) > maxContent {
		return "", 0, errUnknown
	}
	hash, err = t.k.Store.Put(content)
	return hash, mode, err
}

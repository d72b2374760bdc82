package checkpoint_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"plimsoll/conversation"
	"plimsoll/tools/checkpoint"
)

// git runs git in the workspace, for its user.
func (r *rig) git(args ...string) {
	r.t.Helper()
	c := exec.Command("git", append([]string{"-c", "user.name=n", "-c", "user.email=e@example.com", "-c", "commit.gpgsign=false", "-C", r.dir}, args...)...)
	c.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	if out, err := c.CombinedOutput(); err != nil {
		r.t.Fatal(args, err, string(out))
	}
}

// command does what a command does, between the two looks at the files.
func (r *rig) command(k *checkpoint.Keeper, do func()) []conversation.Body {
	r.t.Helper()
	after := k.BeforeCommand(context.Background(), r.files)
	do()
	bodies := after(context.Background())
	for _, b := range bodies {
		r.must(r.record(context.Background(), b))
	}
	return bodies
}

func newRepository(t *testing.T) (*rig, *checkpoint.Keeper) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	r := newRig(t)
	r.git("init", "-q", "-b", "main")
	r.write("clean.txt", "clean")
	r.write("dirty.txt", "committed")
	r.write("gone.txt", "gone")
	r.write(".gitignore", "*.o\n")
	r.git("add", "-A")
	r.git("commit", "-qm", "first")
	r.write("dirty.txt", "by the user")
	r.write("own.txt", "untracked")
	r.say("0")
	return r, &checkpoint.Keeper{Store: r.store, Record: r.record}
}

// withoutGit is what the workspace has, without the repository.
func (r *rig) withoutGit() map[string]string {
	all := r.content()
	for name := range all {
		if filepath.Dir(name) == ".git" || len(name) > 5 && name[:5] == ".git/" {
			delete(all, name)
		}
	}
	return all
}

func TestWhatCommandsChangedInAWorkTreeIsBroughtBack(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]func(*rig){
		"edits": func(r *rig) {
			for _, name := range []string{"clean.txt", "dirty.txt", "own.txt", "d/new.txt", "x.o"} {
				r.write(name, "by the command")
			}
			r.must(os.Remove(filepath.Join(r.dir, "gone.txt")))
		},
		"a commit": func(r *rig) {
			r.write("clean.txt", "by the command")
			r.git("rm", "-q", "gone.txt")
			r.git("commit", "-qam", "second")
		},
		"another branch": func(r *rig) {
			r.git("stash", "-q", "-u")
			r.git("checkout", "-q", "-b", "other")
			r.write("clean.txt", "of the branch")
			r.git("commit", "-qam", "other")
		},
		"nothing": func(*rig) {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, k := newRepository(t)
			before := r.withoutGit()
			bodies := r.command(k, func() { command(r) })
			if name == "nothing" && len(bodies) > 0 {
				t.Errorf("a command that changed nothing is recorded: %v", bodies)
			}
			if out := r.rewind(0, false); len(out.Left) > 0 {
				t.Error(out.Text())
			}
			after := r.withoutGit()
			delete(after, "x.o") // ignored
			if d := cmp.Diff(before, after); d != "" {
				t.Error(d)
			}
			if conversation.UnknownSince(r.log.Events(), 0) {
				t.Error("it is not known")
			}
		})
	}
}

func TestChangesOfCommandsAreUnknownElsewhere(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*rig){
		"no work tree": func(r *rig) { r.must(os.RemoveAll(filepath.Join(r.dir, ".git"))) },
		"no commit": func(r *rig) {
			r.must(os.RemoveAll(filepath.Join(r.dir, ".git")))
			r.git("init", "-q")
		},
		"a filter": func(r *rig) {
			r.git("config", "filter.x.clean", "touch "+filepath.Join(r.dir, "ran"))
			r.write(".gitattributes", "* filter=x\n")
		},
		"a file that git does not look at": func(r *rig) {
			r.git("update-index", "--skip-worktree", "clean.txt")
			r.write("clean.txt", "by the user")
		},
		"a partial clone": func(r *rig) { r.git("config", "remote.origin.promisor", "true") },
		"a link":          func(r *rig) { r.must(os.Symlink("dirty.txt", filepath.Join(r.dir, "link"))) },
		"another repository in it": func(r *rig) {
			r.must(os.Mkdir(filepath.Join(r.dir, "inner"), 0o700))
			r.git("init", "-q", "inner")
			r.write("inner/file", "x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, k := newRepository(t)
			prepare(r)
			r.command(k, func() { r.write("clean.txt", "by the command") })
			if !conversation.UnknownSince(r.log.Events(), 0) {
				t.Error("it is not said to be unknown")
			}
			if _, err := os.Stat(filepath.Join(r.dir, "ran")); err == nil {
				t.Error("a filter of the repository ran")
			}
		})
	}
}

// Filters of the user's own configuration, such as those of git-lfs, are the user's.
func TestFiltersOfTheUserAreNoReasonNotToKnow(t *testing.T) {
	r, k := newRepository(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	r.must(os.WriteFile(filepath.Join(home, ".gitconfig"), []byte("[filter \"lfs\"]\n\tclean = cat\n\tsmudge = cat\n"), 0o600))
	r.command(k, func() { r.write("clean.txt", "by the command") })
	if r.rewind(0, false); conversation.UnknownSince(r.log.Events(), 0) || r.content()["clean.txt"] != "clean" {
		t.Errorf("clean.txt has %q", r.content()["clean.txt"])
	}
}

// What git ignored before a command, and what is a link after it, is not brought back: its content before is not known.
func TestCommandsCannotMakeARewindRemoveWhatWasNotKept(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]func(*rig){
		"ignored no more": func(r *rig) { r.write(".gitignore", "") },
		"a new link":      func(r *rig) { r.must(os.Symlink("dirty.txt", filepath.Join(r.dir, "link"))) },
		"a link in its place": func(r *rig) {
			r.must(os.Remove(filepath.Join(r.dir, "gone.txt")))
			r.must(os.Symlink("dirty.txt", filepath.Join(r.dir, "gone.txt")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, k := newRepository(t)
			r.write("secret.o", "by the user")
			r.command(k, func() { command(r) })
			after := r.withoutGit()
			r.rewind(0, true)
			if d := cmp.Diff(after, r.withoutGit()); d != "" {
				t.Error(d)
			}
			if !conversation.UnknownSince(r.log.Events(), 0) {
				t.Error("it is not said to be unknown")
			}
		})
	}
}

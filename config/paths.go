// Paths of folders and files. Rules:
//
//   - The folders are plimsoll/ in the XDG folders; a relative XDG value is ignored, as the XDG specification requires.
//   - --data, else PLIMSOLL_DATA, moves conversations, log, grants, keys and transcripts into one folder, but not the
//     configuration. The environment is a parameter, so that tests can run in parallel.

package config

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
)

// Env looks up an environment variable, as [os.LookupEnv] does. A nil Env is an empty environment.
type Env func(name string) (value string, set bool)

func (e Env) get(name string) string {
	if e == nil {
		return ""
	}
	value, _ := e(name)
	return value
}

// Paths are the folders Plimsoll uses, absolute. They need not exist.
type Paths struct {
	Config string // configuration, "" without a home folder
	Data   string // conversations, blobs, transcripts
	State  string // the log, the grants, the keys
}

// Grants is the file of the permission rules that the user granted in approval dialogs, "" without a state folder.
func (p Paths) Grants() string { return within(p.State, "grants.json") }

// Keys is the file of the stored API keys, "" without a state folder.
func (p Paths) Keys() string { return within(p.State, "keys.json") }

// Themes is the folder of the user's theme files, "" without a home folder.
func (p Paths) Themes() string { return within(p.Config, "themes") }

// within is a path in a folder, "" without a folder.
func within(dir, name string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, name)
}

// Draft is the file of the unsent input of a conversation.
func (p Paths) Draft(id string) string { return filepath.Join(p.Data, "drafts", id+".json") }

// Log is the log file.
func (p Paths) Log() string { return filepath.Join(p.State, "plimsoll.log") }

// Checkpoints is the folder of what files had before tools changed them.
func (p Paths) Checkpoints() string { return filepath.Join(p.Data, "checkpoints") }

// Transcripts is the folder of transcripts of the preset jcli.
func (p Paths) Transcripts() string { return filepath.Join(p.Data, "transcripts") }

// FindPaths returns the folders for an environment; data is the value of --data, "" without it.
func FindPaths(env Env, data string) (Paths, error) {
	data = cmp.Or(data, env.get("PLIMSOLL_DATA"))
	config, err := xdg(env, "XDG_CONFIG_HOME", ".config")
	if data != "" {
		// The error is ignored here: UserFile returns it if it needs the home folder.
		abs, err := filepath.Abs(data)
		if err != nil {
			return Paths{}, fmt.Errorf("find the data folder %s: %w", data, err)
		}
		return Paths{Config: config, Data: abs, State: abs}, nil
	}
	share, shareErr := xdg(env, "XDG_DATA_HOME", filepath.Join(".local", "share"))
	state, stateErr := xdg(env, "XDG_STATE_HOME", filepath.Join(".local", "state"))
	if err := cmp.Or(err, shareErr, stateErr); err != nil {
		return Paths{}, err
	}
	return Paths{Config: config, Data: share, State: state}, nil
}

// UserFile returns the path of the user's configuration file: flag (--config), else PLIMSOLL_CONFIG, else the default path.
// named means that the user chose the path, so the file must exist.
func UserFile(env Env, flag string) (path string, named bool, err error) {
	if flag != "" {
		return flag, true, nil
	}
	if path := env.get("PLIMSOLL_CONFIG"); path != "" {
		return path, true, nil
	}
	dir, err := xdg(env, "XDG_CONFIG_HOME", ".config")
	return filepath.Join(dir, "config.yaml"), false, err
}

func xdg(env Env, name, fallback string) (string, error) {
	if dir := env.get(name); filepath.IsAbs(dir) {
		return filepath.Join(dir, "plimsoll"), nil
	}
	for _, home := range []string{env.get("HOME"), env.get("USERPROFILE")} {
		if filepath.IsAbs(home) {
			return filepath.Join(home, fallback, "plimsoll"), nil
		}
	}
	return "", fmt.Errorf("neither %s nor HOME is an absolute folder", name)
}

// FindWorkspace returns the top folder of the workspace that contains dir, absolute and without symbolic links: dir or its
// nearest parent with .git (a folder, or a file in worktrees and submodules), else dir itself.
func FindWorkspace(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find the workspace of %s: %w", dir, err)
	}
	if abs, err = filepath.EvalSymlinks(abs); err != nil {
		return "", fmt.Errorf("find the workspace of %s: %w", dir, err)
	}
	if st, err := os.Stat(abs); err != nil || !st.IsDir() {
		return "", fmt.Errorf("find the workspace of %s: not a folder", dir)
	}
	for at := abs; ; at = filepath.Dir(at) {
		// A .git that cannot be read belongs to another user, and is ignored.
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return abs, nil
		}
	}
}

// Where things are. Rules:
//
//   - XDG folders, each with plimsoll/ in it; a relative XDG value does not count, as the XDG specification says.
//   - --data, else PLIMSOLL_DATA, moves conversations, log, grants and transcripts into one folder. The configuration stays.
//   - The environment is handed in, so that tests run side by side.

package config

import (
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
	Config string // configuration, "" if there is no home
	Data   string // conversations, blobs, transcripts
	State  string // the log, the grants, the keys
}

// Grants is the file of the rules that the user granted by an answer, "" without a folder.
func (p Paths) Grants() string {
	if p.State == "" {
		return ""
	}
	return filepath.Join(p.State, "grants.json")
}

// Keys is the file of the stored keys, "" without a folder.
func (p Paths) Keys() string {
	if p.State == "" {
		return ""
	}
	return filepath.Join(p.State, "keys.json")
}

// Draft is the file of what is being written in a conversation.
func (p Paths) Draft(id string) string { return filepath.Join(p.Data, "drafts", id+".json") }

// Log is the log file.
func (p Paths) Log() string { return filepath.Join(p.State, "plimsoll.log") }

// Transcripts is the folder of J-CLI transcripts (JCL).
func (p Paths) Transcripts() string { return filepath.Join(p.Data, "transcripts") }

// FindPaths gives the folders for an environment; data is the value of --data, "" for none.
func FindPaths(env Env, data string) (Paths, error) {
	if data == "" {
		data = env.get("PLIMSOLL_DATA")
	}
	config, err := xdg(env, "XDG_CONFIG_HOME", ".config")
	if data != "" {
		// Without a home the configuration folder stays unknown: File says so where nothing else names the file.
		abs, err := filepath.Abs(data)
		if err != nil {
			return Paths{}, fmt.Errorf("find the data folder %s: %w", data, err)
		}
		return Paths{Config: config, Data: abs, State: abs}, nil
	}
	if err != nil {
		return Paths{}, err
	}
	share, err := xdg(env, "XDG_DATA_HOME", filepath.Join(".local", "share"))
	if err != nil {
		return Paths{}, err
	}
	state, err := xdg(env, "XDG_STATE_HOME", filepath.Join(".local", "state"))
	if err != nil {
		return Paths{}, err
	}
	return Paths{Config: config, Data: share, State: state}, nil
}

// File gives the user's configuration file: flag (--config), else PLIMSOLL_CONFIG, else the default place. named tells
// that the user named it, so that it has to exist.
func File(env Env, flag string) (path string, named bool, err error) {
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

// Workspace gives the top of the workspace a folder belongs to, absolute and without symbolic links: the nearest folder
// upwards that holds .git (a folder, or a file in worktrees and submodules), else the folder itself.
func Workspace(dir string) (string, error) {
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
		// A .git that cannot be read is not ours: the search goes on.
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return abs, nil
		}
	}
}

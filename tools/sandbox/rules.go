package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// The files of a profile. Rules:
//
//   - What is not listed is closed. A path that lies below a writable one is not resolved on its own: a command could have put
//     a link there.
//   - A folder that holds something hidden is opened entry by entry, without it.

// rules lists existing files and folders, absolute, without links.
type rules struct {
	read   []string // to read and execute
	write  []string // also to write
	hidden []string // never, though below one of those
	fixed  []string // to read only, though below write; some may not exist
}

// systemPaths are read by every command.
var systemPaths = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc", "/opt", "/nix", "/gnu", "/snap", "/sys", "/proc",
	"/var/lib", "/var/cache", "/run/systemd/resolve", "/run/current-system", "/run/opengl-driver", "/home/linuxbrew"}

// systemSecrets matter where commands run as root.
var systemSecrets = []string{"/etc/shadow*", "/etc/gshadow*", "/etc/sudoers*", "/etc/ssh/*_key", "/etc/ssl/private", "/etc/krb5.keytab", "/etc/wireguard",
	"/etc/NetworkManager/system-connections", "/etc/kubernetes", "/etc/rancher", "/var/lib/docker", "/var/lib/containers",
	"/var/lib/kubelet", "/var/lib/private", "/var/lib/systemd/coredump"}

// toolchains are folders and files of the home folder that programs of development read. None holds keys, but for homeSecrets.
var toolchains = []string{".gitconfig", ".config/git", ".gitignore", ".local/bin", ".local/lib", ".local/pipx", ".local/share/mise", ".local/share/uv",
	".local/share/pnpm", ".local/share/fnm", ".local/share/virtualenvs", ".local/share/coursier", ".local/share/zig", ".local/share/nvm",
	".config/go", ".config/mise", ".config/pip", ".config/uv", ".config/matplotlib", "go", "sdk", ".cargo", ".rustup", ".nvm", ".npm", ".volta",
	".fnm", ".bun", ".deno", ".yarn", ".pyenv", ".rbenv", ".rvm", ".gem", ".bundle", ".asdf", ".sdkman", ".m2", ".gradle", ".ivy2", ".sbt", ".nuget",
	".dotnet", ".pub-cache", ".ghcup", ".cabal", ".stack", ".opam", ".elan", ".juliaup", ".julia", ".mix", ".hex", ".conan2", ".ccache", ".cache",
	".miniconda3", "miniconda3", "anaconda3", ".nix-profile", ".swiftpm", ".terraform.d/plugin-cache", ".android/sdk", "Android/Sdk", "Library/Caches"}

// homeSecrets are places of keys, of private life, and of sockets by which others act. Those below a toolchain or a cache need
// the rule; the others matter where the home folder is read, or is the workspace.
var homeSecrets = []string{".ssh", ".gnupg", ".aws", ".azure", ".config/gcloud", ".kube", ".docker", ".netrc", ".npmrc", ".pypirc", ".git-credentials",
	".config/git/credentials", ".config/gh", ".config/glab-cli", ".config/hub", ".config/op", ".config/sops", ".config/age", ".password-store",
	".local/share/keyrings", ".local/share/kwalletd", ".pki", ".vault-token", ".terraform.d/credentials.tfrc.json", ".terraformrc",
	".cargo/credentials", ".cargo/credentials.toml", ".gem/credentials", ".bundle/config", ".m2/settings.xml", ".m2/settings-security.xml",
	".gradle/gradle.properties", ".gradle/init.d", ".nuget/NuGet/NuGet.Config", ".config/pip/pip.conf", ".pip/pip.conf", ".sbt/credentials", ".ivy2/.credentials",
	".hex/hex.config", ".pub-cache/credentials.json", ".stack/config.yaml", ".cabal/config", ".mozilla", ".thunderbird", ".config/google-chrome",
	".config/chromium", ".config/BraveSoftware", ".config/microsoft-edge", ".config/Signal", ".config/Slack", ".cache/mozilla", ".cache/thunderbird",
	".cache/google-chrome", ".cache/chromium", ".cache/BraveSoftware", ".cache/microsoft-edge", ".cache/huggingface/token", ".cache/huggingface/stored_tokens",
	".cache/keyring-*", ".bash_history", ".zsh_history", ".python_history", ".node_repl_history", ".psql_history", ".lesshst", ".viminfo",
	".claude", ".claude.json", ".codex", ".config/opencode", ".local/share/opencode", ".local/share/crush", ".pi", ".gemini", ".config/rclone", ".s3cfg", ".boto",
	".Xauthority", ".ICEauthority", ".1password", ".colima", ".lima", ".orbstack", ".rd", "Library/Keychains", "Library/Cookies", "Library/Messages", "Library/Mail", "Library/Application Support"}

// starters are files of a workspace that others run, or that say what they run, without anybody naming them.
var starters = []string{".envrc", ".vscode", ".idea", ".devcontainer", ".husky", ".claude", ".codex", ".cursor", ".gemini", ".mcp.json", ".gitmodules",
	".plimsoll", ".plimsoll.yaml", ".plimsoll.local.yaml", ".lefthook.yml", "lefthook.yml", ".pre-commit-config.yaml"}

// homeStarters are those of a home folder that is the workspace.
var homeStarters = []string{".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".inputrc",
	".gitconfig", ".config", ".local/bin", ".local/share/applications", ".local/share/systemd", ".vimrc", ".vim", ".emacs.d",
	".tmux.conf", ".cargo", ".rustup", ".pyenv", ".nvm", ".volta", ".asdf", "bin", "Library/LaunchAgents"}

// cacheStarters are programs that lie in a cache: they are read only.
var cacheStarters = []string{".cache/pre-commit", ".cache/plimsoll", ".cache/nix", ".cache/fish", ".cache/p10k-*", ".cache/gitstatus", ".cache/zsh*"}

// fills names the program that makes a cache, by the last name of the cache's path.
var fills = map[string]string{".cache": "sh", ".npm": "npm", ".yarn": "yarn", "store": "pnpm", "pkg": "go", "go-build": "go",
	"registry": "cargo", "git": "cargo", "repository": "mvn", "packages": "dotnet", "ccache": "ccache", "pip": "pip3", "uv": "uv"}

// makeCaches makes caches in place of the programs that would make them, which cannot write the folder above. What cannot be made
// is passed over.
func (c Config) makeCaches() {
	for _, path := range c.Write {
		program, known := fills[filepath.Base(path)]
		wanted := strings.HasSuffix(path, "/") || known && slices.ContainsFunc(c.Path, func(dir string) bool {
			_, err := os.Stat(filepath.Join(dir, program))
			return err == nil
		})
		if _, err := os.Stat(c.Home); wanted && (err == nil || !strings.HasPrefix(path, "~")) {
			for _, dir := range c.expand([]string{path}) {
				_ = os.MkdirAll(dir, 0o700)
			}
		}
	}
}

// rulesFor lists the files of a mode; temp is writable.
func (c Config) rulesFor(mode Mode, temp string) rules {
	var r rules
	for _, h := range c.expand(slices.Concat(systemSecrets, inHome(homeSecrets), c.Secrets, c.Own)) {
		if real, err := filepath.EvalSymlinks(h); err == nil {
			r.hidden = appendNew(r.hidden, real)
		}
	}
	workspace := c.Workspace
	if workspace == "/" || workspace == "/home" || workspace == "/Users" {
		workspace = "" // a folder with the homes of people is no workspace
	}
	var git []string
	wanted := []string{temp}
	if mode != ReadOnly {
		git = gitFolders(workspace)
		wanted = append(slices.Concat([]string{temp, workspace}, git), c.expand(c.Write)...)
	}
	for _, path := range wanted {
		nested := slices.ContainsFunc(wanted, func(w string) bool { return w != path && w != "" && below(path, w) })
		if real, err := filepath.EvalSymlinks(path); path != "" && !nested && err == nil && !r.hides(real) {
			r.write = appendNew(r.write, real)
		}
	}
	for _, path := range slices.Concat(systemPaths, c.expand(inHome(toolchains)), c.expand(c.Read), c.programs(), []string{workspace}) {
		nested := slices.ContainsFunc(wanted, func(w string) bool { return w != "" && below(path, w) })
		if real, err := filepath.EvalSymlinks(path); path != "" && !nested && err == nil && !r.hides(real) {
			r.read = appendNew(r.read, real)
		}
	}
	r.fixed = append(c.expand(append(slices.Clone(starters), inHome(cacheStarters)...)), gitStarters(append(git, filepath.Join(workspace, ".git")))...)
	if name := filepath.Join(workspace, ".git"); len(git) > 0 {
		r.fixed = append(r.fixed, name) // a file that names the repository
	}
	if workspace == c.Home {
		r.fixed = append(r.fixed, c.expand(inHome(homeStarters))...)
	}
	return r
}

// programs are the folders of programs, with what lies beside a folder called bin.
func (c Config) programs() []string {
	var out []string
	for _, dir := range c.Path {
		if !filepath.IsAbs(dir) || dir == "/" || below(c.Home, dir) {
			continue
		}
		if above := filepath.Dir(dir); filepath.Base(dir) == "bin" && above != "/" && !below(c.Home, above) && filepath.Base(above) != ".local" {
			dir = above
		}
		out = append(out, dir)
	}
	return out
}

func inHome(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = "~/" + n
	}
	return out
}

// expand returns absolute paths, and those that a pattern names.
func (c Config) expand(paths []string) []string {
	var out []string
	for _, p := range paths {
		if rest, ok := strings.CutPrefix(p, "~/"); ok || p == "~" {
			if c.Home == "" {
				continue
			}
			p = filepath.Join(c.Home, strings.TrimPrefix(rest, "~"))
		}
		if !filepath.IsAbs(p) {
			p = filepath.Join(c.Workspace, p)
		}
		if strings.ContainsAny(p, "*?") {
			found, _ := filepath.Glob(p) // a wrong pattern names nothing
			out = append(out, found...)
			continue
		}
		out = append(out, filepath.Clean(p))
	}
	return out
}

// hides reports whether a path is hidden, or below what is.
func (r rules) hides(path string) bool {
	return slices.ContainsFunc(r.hidden, func(h string) bool { return below(path, h) })
}

// below reports whether path is folder or lies in it.
func below(path, folder string) bool {
	return path == folder || folder == "/" || folder != "" && strings.HasPrefix(path, folder+"/")
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// without returns root, or where it holds one of closed its entries without those. Links and sockets are left out.
func without(root string, closed []string) []string {
	holds := false
	for _, c := range closed {
		if below(root, c) {
			return nil
		}
		holds = holds || below(c, root)
	}
	if !holds {
		return []string{root}
	}
	entries, _ := os.ReadDir(root) // what cannot be read cannot be opened either
	var out []string
	for _, e := range entries {
		if e.Type()&(os.ModeSymlink|os.ModeSocket) == 0 {
			out = append(out, without(filepath.Join(root, e.Name()), closed)...)
		}
	}
	return out
}

// gitFolders are the folders outside a workspace that git writes for it: that of the repository to which a worktree belongs. A
// command can write the file that names it, so only a repository that names the workspace in return counts.
func gitFolders(workspace string) []string {
	name, ok := readLine(filepath.Join(workspace, ".git"), "gitdir: ")
	if !ok || workspace == "" {
		return nil
	}
	own := absolute(name, workspace)
	back, _ := readLine(filepath.Join(own, "gitdir"), "")
	common, ok := readLine(filepath.Join(own, "commondir"), "")
	if !ok || back != filepath.Join(workspace, ".git") {
		return nil
	}
	common = absolute(common, own)
	if _, err := os.Stat(filepath.Join(common, "objects")); err != nil || filepath.Base(filepath.Dir(own)) != "worktrees" || !below(own, common) {
		return nil
	}
	return []string{common}
}

// gitStarters are what git runs, or reads to know what to run, in the folders of repositories.
func gitStarters(folders []string) []string {
	var out []string
	for _, g := range folders {
		for _, name := range []string{"hooks", "config", "config.worktree", "commondir", "info/attributes", "worktrees/*/commondir", "worktrees/*/gitdir",
			"worktrees/*/config.worktree", "modules/*/hooks", "modules/*/config", "modules/*/*/hooks", "modules/*/*/config"} {
			if strings.Contains(name, "*") {
				found, _ := filepath.Glob(filepath.Join(g, name)) // the pattern is right
				out = append(out, found...)
				continue
			}
			out = append(out, filepath.Join(g, name))
		}
	}
	return out
}

func absolute(path, dir string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// readLine reads a file of one short line, and returns what follows prefix.
func readLine(path, prefix string) (string, bool) {
	if st, err := os.Lstat(path); err != nil || !st.Mode().IsRegular() || st.Size() > 4096 {
		return "", false
	}
	data, err := os.ReadFile(path)
	rest, ok := strings.CutPrefix(strings.TrimSpace(string(data)), prefix)
	return rest, err == nil && ok
}

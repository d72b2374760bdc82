package permission

import (
	"path"
	"slices"
	"strings"
)

// Some files are guarded: no mode and no rule for a whole folder covers them.
// Those that commonly hold secrets are guarded against reading and changing;
// those that make other programs run something, or that tell a model what to do,
// against changing. A build file such as Makefile is code of the project like any
// other: it runs when somebody runs it.

// folded is a name in one case, also where a letter is another one's only in upper case, as the long s of AGENTſ.md: to
// some file systems these are one name.
func folded(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// secretNames are patterns of file names that commonly hold secrets;
// notSecretNames take some of them back.
var (
	secretNames = []string{
		".env", ".env.*", "*.env", ".envrc", "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "*.pem", "*.key", "*.p12", "*.pfx",
		"*.jks", "*.keystore", "*.kdbx", "*.ppk", ".npmrc", ".pypirc", ".netrc", "_netrc", ".pgpass", ".htpasswd", ".my.cnf",
		"credentials", "credentials.*", ".credentials*", ".git-credentials", "secrets.y*ml", "secrets.json", "secrets.toml",
		"*.tfvars", "*.tfstate",
	}
	notSecretNames = []string{".env.example", ".env.sample", ".env.template", ".env.dist", "*.example", "*.sample", "*.template"}
	secretFolders  = []string{".git", ".ssh", ".gnupg", ".aws", ".kube", ".docker"}
)

// secretIn are the parts of a lower-case path that say that it commonly holds
// secrets.
func secretIn(rel string) []string {
	var out []string
	parts := strings.Split(rel, "/")
	name := parts[len(parts)-1]
	for _, part := range parts {
		if slices.Contains(secretFolders, part) {
			out = append(out, part)
		}
	}
	if matchesAny(secretNames, name) && !matchesAny(notSecretNames, name) || strings.HasPrefix(name, "config") && slices.Contains(parts, ".git") {
		out = append(out, name)
	}
	return out
}

// SecretFile reports whether a file of this path commonly holds secrets.
func SecretFile(rel string) bool { return len(secretIn(folded(rel))) > 0 }

// Files are steering if their name or a folder above begins with a dot (.git,
// .vscode, .config, .bashrc), except for what only leaves files out; if they give
// instructions to models; if programs start what is in them; or if a server runs
// them as soon as they are pushed.
var (
	plainDotNames = []string{
		".gitignore", ".dockerignore", ".npmignore", ".eslintignore", ".prettierignore", ".stylelintignore", ".helmignore",
		".ignore", ".rgignore", ".gitkeep", ".keep", ".nojekyll", ".env.example", ".env.sample", ".env.template", ".env.dist",
	}
	steeringNames = []string{
		"agents.md", "agents.*.md", "agent.md", "claude.md", "claude.*.md", "gemini.md", "plimsoll.md", "qwen.md", "crush.md", "codex.md",
		"warp.md", "opencode.md", "skill.md", "copilot-instructions.md", "*.instructions.md", "*.prompt.md",
		"config.fish", "profile.ps1", "*_profile.ps1", "_vimrc", "_gvimrc", "_exrc", "autorun.inf", "desktop.ini",
		"head", "opencode.json*", "crush.json", "mcp.json", "*.desktop", "*.code-workspace", "gradle-wrapper.properties", "maven-wrapper.properties", "sitecustomize.py", "usercustomize.py", "*.pth",
		"lefthook*", "mise*.toml", "flake.nix", "shell.nix", "devenv.*", "replit.nix", "devcontainer.json", "pyvenv.cfg", "rust-toolchain*",
		"conventions.md", "jules.md", "replit.md", "jenkinsfile", "azure-pipelines*.y*ml", "bitbucket-pipelines.yml", "cloudbuild*.y*ml", "appveyor.yml", "buildspec.yml",
		"netlify.toml", "vercel.json", "render.yaml", "codemagic.yaml", "bitrise.yml", "wrangler.*", "amplify.yml", "procfile", "heroku.yml",
	}
	// Folders of a virtual environment; where its marks are on the disk, its name does not matter.
	programFolders  = []string{"venv", "env", "virtualenv"}
	steeringFolders = []string{"autostart", "launchagents", "launchdaemons", "systemd", "cron.d", "cron.daily", "cron.hourly", "profile.d"}
)

// steeringIn are the parts of a lower-case path that say that a change of the
// file could make programs run something or loosen what a model may do.
func steeringIn(rel string) []string {
	var out []string
	parts := strings.Split(rel, "/")
	last := len(parts) - 1
	for i, part := range parts {
		dotted := strings.HasPrefix(part, ".") && strings.Trim(part, ".") != ""
		switch {
		case dotted && !(i == last && slices.Contains(plainDotNames, part)),
			i < last && slices.Contains(steeringFolders, part),
			0 < i && i < last && (part == "bin" || part == "scripts") && slices.Contains(programFolders, parts[i-1]),
			i == last && matchesAny(steeringNames, part),
			i == last && part == "config.yaml" && slices.Contains(parts, "plimsoll"):
			out = append(out, part)
		}
	}
	return out
}

// matchesAny reports whether one of the patterns matches a name.
func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { ok, err := path.Match(p, name); return ok && err == nil })
}

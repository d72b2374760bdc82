package permission

import (
	"path"
	"slices"
	"strings"
)

// Some files are guarded: the modes edits and auto and rules for a whole folder do not cover
// them. Files that commonly hold secrets are guarded against reading and changing.
// Files that make programs run something, or that give instructions to a model, are
// guarded against changing. A build file such as Makefile is not guarded: it is code
// of the project and runs only when the user starts it.

// folded returns a name in one case. Some file systems take letters for equal whose upper case is equal, such as s and
// the long s of AGENTſ.md.
func folded(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// secretNames are patterns of file names that commonly hold secrets;
// notSecretNames are exceptions.
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

// secretIn returns the parts of a lower-case path that mark a file which commonly
// holds secrets.
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

// SecretFile reports whether a file with this path commonly holds secrets.
func SecretFile(rel string) bool { return len(secretIn(folded(rel))) > 0 }

// Steering files are those whose name, or a folder above them, begins with a dot
// (.git, .vscode, .config, .bashrc), except for ignore files and the like; files
// that give instructions to models; files whose content programs start; and files
// that a server runs as soon as they are pushed.
var (
	plainDotNames = []string{
		".gitignore", ".dockerignore", ".npmignore", ".eslintignore", ".prettierignore", ".stylelintignore", ".helmignore",
		".ignore", ".rgignore", ".gitkeep", ".keep", ".nojekyll", ".env.example", ".env.sample", ".env.template", ".env.dist",
	}
	steeringNames = []string{
		"agents.md", "agents.*.md", "agent.md", "claude.md", "claude.*.md", "gemini.md", "plimsoll.md", "qwen.md", "crush.md",
		"codex.md", "warp.md", "opencode.md", "skill.md", "copilot-instructions.md", "*.instructions.md", "*.prompt.md",
		"config.fish", "profile.ps1", "*_profile.ps1", "_vimrc", "_gvimrc", "_exrc", "autorun.inf", "desktop.ini",
		"head", "opencode.json*", "crush.json", "mcp.json", "*.desktop", "*.code-workspace", "gradle-wrapper.properties", "maven-wrapper.properties", "sitecustomize.py", "usercustomize.py", "*.pth",
		"lefthook*", "mise*.toml", "flake.nix", "shell.nix", "devenv.*", "replit.nix", "devcontainer.json", "pyvenv.cfg", "rust-toolchain*",
		"conventions.md", "jules.md", "replit.md", "jenkinsfile", "azure-pipelines*.y*ml", "bitbucket-pipelines.yml", "cloudbuild*.y*ml", "appveyor.yml", "buildspec.yml",
		"netlify.toml", "vercel.json", "render.yaml", "codemagic.yaml", "bitrise.yml", "wrangler.*", "amplify.yml", "procfile", "heroku.yml",
	}
	// Usual names of virtual environments; workspace.Path.Program finds those with other names.
	programFolders  = []string{"venv", "env", "virtualenv"}
	steeringFolders = []string{"autostart", "launchagents", "launchdaemons", "systemd", "cron.d", "cron.daily", "cron.hourly", "profile.d"}
)

// steeringIn returns the parts of a lower-case path that mark a steering file: a
// change could make programs run something or loosen the permissions.
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

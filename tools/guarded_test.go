package tools_test

import (
	"os"
	"path"
	"strings"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tools"
	"plimsoll/tools/permission"
)

func editNeed(t *testing.T, b *tools.Box, name string) conversation.Need {
	t.Helper()
	return need(t, b, "create_file", map[string]any{"path": name, "content": "x", "overwrite": true})
}

func TestFilesThatConfigureProgramsAreAlwaysAskedAbout(t *testing.T) {
	t.Parallel()
	guarded := strings.Fields(`.git/hooks/x .config/git/config .vscode/tasks.json .config/autostart/x.desktop .cshrc AGENTS.md sub/agents.md CLAUDE.md
		Claude.local.md GEMINI.md .cursorrules .cursor/rules/x .github/copilot-instructions.md .github/workflows/ci.yml .idea/workspace.xml
		a/b/.envrc .husky/pre-commit .tmux.conf .bashrc .ZSHRC .GIT/config .Vscode/x autostart/x Autostart/x.desktop x.desktop a.code-workspace
		Jenkinsfile azure-pipelines.yml profile.ps1 .gitattributes .gitmodules .npmrc .cargo/config.toml .mvn/jvm.config plimsoll/config.yaml .plimsoll.yaml
		.pre-commit-config.yaml .editorconfig review.prompt.md HEAD sub/head opencode.json opencode.jsonc crush.json mcp.json AGENTſ.md
		venv/bin/pip a/ENV/bin/python venv/Scripts/pip.exe tools/py/bin/pip other/bin/x node_modules/.bin/tsc lefthook.yml lefthook-local.toml mise.toml
		flake.nix devcontainer.json netlify.toml vercel.json render.yaml codemagic.yaml bitrise.yml CONVENTIONS.md JULES.md replit.md Procfile pyvenv.cfg`)
	guarded = append(guarded, "x.sh\u00a0", "x.sh\r", "a\u3000b", "d\u2003/x")
	plain := strings.Fields(`a.go Makefile package.json docs/a.md .gitignore sub/.gitignore .env.example agents.go src/hooks/use.ts config.yaml my.agents.txt ... bin/x env/x venvs/bin/x other/x tools/py/x`)
	files := map[string]string{"tools/py/pyvenv.cfg": "", "other/bin/activate": ""}
	auto, _ := open(t, files, with(permission.Config{Mode: conversation.ModeEdits}))
	folders, _ := open(t, files, with(permission.Config{Allow: []string{"edit(**)", "create_file", "edit(*)", "modify_file(**)", "create_file(**/*)"}}))
	for _, b := range []*tools.Box{auto, folders} {
		for _, name := range guarded {
			if got := editNeed(t, b, name); got != asks {
				t.Errorf("%s: %s", name, got)
			}
		}
		for _, name := range plain {
			if got := editNeed(t, b, name); got != runs {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	named, _ := open(t, files, with(permission.Config{Allow: []string{"edit(.vscode/**)", "edit(**/AGENTS.md)", "edit(./.bashrc)"}}))
	for name, want := range map[string]conversation.Need{
		".vscode/tasks.json": runs, "a/AGENTS.md": runs, ".bashrc": runs,
		".vscode/.envrc": asks, ".vscode/AGENTS.md": asks, ".git/AGENTS.md": asks,
		"a/.bashrc": asks,
	} {
		if got := editNeed(t, named, name); got != want {
			t.Errorf("named in a rule, %s: %s, want %s", name, got, want)
		}
	}
}

func TestFilesOfTheProgramItselfAreAlwaysAskedAbout(t *testing.T) {
	t.Parallel()
	b, _ := open(t, map[string]string{"data/x": "", "conf/other.yaml": ""}, func(o *tools.Options) {
		if err := os.Symlink("conf", path.Join(o.Workspace, "link")); err != nil {
			t.Fatal(err)
		}
		o.Own = []string{path.Join(o.Workspace, "data"), path.Join(o.Workspace, "link/my.yaml")}
		o.Permissions = permission.Config{Mode: conversation.ModeEdits, Allow: []string{"edit(**)"}}
	})
	for name, want := range map[string]conversation.Need{
		"data/grants.json": asks, "data/x": asks, "conf/my.yaml": asks,
		"link/my.yaml": asks, "conf/other.yaml": runs, "database/x": runs,
	} {
		if got := editNeed(t, b, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

package tools

import (
	"os"
	"path"
	"strings"
	"testing"

	"plimsoll/conversation"
	"plimsoll/tools/permission"
)

// editNeed is what an edit of a file needs.
func editNeed(t *testing.T, b *Box, name string) conversation.Need {
	t.Helper()
	args, err := conversation.EncodeJSON(map[string]any{"path": name, "content": "x", "overwrite": true})
	if err != nil {
		t.Fatal(err)
	}
	return b.Review(t.Context(), conversation.ToolCall{ID: name, Name: "create_file", Arguments: string(args)}).Need
}

func newTestBox(t *testing.T, o Options) *Box {
	t.Helper()
	b, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

func TestFilesThatConfigureProgramsAreAlwaysAskedAbout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	guarded := strings.Fields(`.git/hooks/x .config/git/config .vscode/tasks.json .config/autostart/x.desktop .cshrc AGENTS.md sub/agents.md CLAUDE.md
		Claude.local.md GEMINI.md .cursorrules .cursor/rules/x .github/copilot-instructions.md .github/workflows/ci.yml .idea/workspace.xml
		a/b/.envrc .husky/pre-commit .tmux.conf .bashrc .ZSHRC .GIT/config .Vscode/x autostart/x Autostart/x.desktop x.desktop a.code-workspace
		Jenkinsfile azure-pipelines.yml profile.ps1 .gitattributes .gitmodules .npmrc .cargo/config.toml .mvn/jvm.config plimsoll/config.yaml .plimsoll.yaml
		.pre-commit-config.yaml .editorconfig review.prompt.md HEAD sub/head opencode.json opencode.jsonc crush.json mcp.json AGENTſ.md
		venv/bin/pip a/ENV/bin/python venv/Scripts/pip.exe tools/py/bin/pip other/bin/x node_modules/.bin/tsc lefthook.yml lefthook-local.toml mise.toml
		flake.nix devcontainer.json netlify.toml vercel.json render.yaml codemagic.yaml bitrise.yml CONVENTIONS.md JULES.md replit.md Procfile pyvenv.cfg`)
	guarded = append(guarded, "x.sh\u00a0", "x.sh\r", "a\u3000b", "d\u2003/x")
	plain := strings.Fields(`a.go Makefile package.json docs/a.md .gitignore sub/.gitignore .env.example agents.go src/hooks/use.ts config.yaml my.agents.txt ... bin/x env/x venvs/bin/x other/x tools/py/x`)
	for _, name := range []string{"tools/py/pyvenv.cfg", "other/bin/activate"} {
		if err := os.MkdirAll(path.Join(dir, path.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	auto := newTestBox(t, Options{Workspace: dir, Permissions: permission.Config{Mode: conversation.ModeAutoEdit}})
	folders := newTestBox(t, Options{Workspace: dir, Permissions: permission.Config{Allow: []string{"edit(**)", "create_file", "edit(*)", "modify_file(**)", "create_file(**/*)"}}})
	for _, b := range []*Box{auto, folders} {
		for _, name := range guarded {
			if got := editNeed(t, b, name); got != conversation.NeedApproval {
				t.Errorf("%s: %s", name, got)
			}
		}
		for _, name := range plain {
			if got := editNeed(t, b, name); got != conversation.NeedNothing {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
	named := newTestBox(t, Options{Workspace: dir, Permissions: permission.Config{Allow: []string{"edit(.vscode/**)", "edit(**/AGENTS.md)", "edit(./.bashrc)"}}})
	for name, want := range map[string]conversation.Need{
		".vscode/tasks.json": conversation.NeedNothing, "a/AGENTS.md": conversation.NeedNothing, ".bashrc": conversation.NeedNothing,
		".vscode/.envrc": conversation.NeedApproval, ".vscode/AGENTS.md": conversation.NeedApproval, ".git/AGENTS.md": conversation.NeedApproval,
		"a/.bashrc": conversation.NeedApproval,
	} {
		if got := editNeed(t, named, name); got != want {
			t.Errorf("named in a rule, %s: %s, want %s", name, got, want)
		}
	}
}

func TestFilesOfTheProgramItselfAreAlwaysAskedAbout(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, folder := range []string{"data", "conf"} {
		if err := os.Mkdir(path.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("conf", path.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	b := newTestBox(t, Options{Workspace: dir, Own: []string{path.Join(dir, "data"), path.Join(dir, "link/my.yaml")},
		Permissions: permission.Config{Mode: conversation.ModeAutoEdit, Allow: []string{"edit(**)"}}})
	for name, want := range map[string]conversation.Need{
		"data/grants.json": conversation.NeedApproval, "data/x": conversation.NeedApproval, "conf/my.yaml": conversation.NeedApproval,
		"link/my.yaml": conversation.NeedApproval, "conf/other.yaml": conversation.NeedNothing, "database/x": conversation.NeedNothing,
	} {
		if got := editNeed(t, b, name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

package tools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"plimsoll/conversation"
)

// A grant becomes rules: the narrowest that still cover what a user means by
// "calls like this one".

// Allow records that calls like this one need no further approval; see
// agent.Toolbox. Like means: of an edit every edit of the workspace, of a command
// the same program and subcommand, of a request the same host, of a guarded file
// that file, of anything else the tool.
func (b *Box) Allow(ctx context.Context, call conversation.ToolCall, g conversation.Grant) error {
	if g != conversation.GrantConversation && g != conversation.GrantAlways {
		return nil
	}
	t, err := b.touchOf(ctx, call)
	if err != nil {
		return fmt.Errorf("allow %s: %w", call.Name, err)
	}
	return b.permissions.grant(ctx, grantRules(t), g)
}

func (p *permissions) grant(ctx context.Context, rules []rule, g conversation.Grant) error {
	p.mu.Lock()
	var added []string
	for _, r := range rules {
		if g == conversation.GrantAlways || !slices.Contains(p.allow, r) {
			added = append(added, r.String())
		}
		if !slices.Contains(p.allow, r) {
			p.allow = append(p.allow, r)
		}
	}
	p.mu.Unlock()
	if g != conversation.GrantAlways || len(added) == 0 {
		return nil
	}
	if p.persist == nil {
		return errors.New("allowed for this conversation only: there is no configuration file to write to")
	}
	if err := p.persist(ctx, added); err != nil {
		return fmt.Errorf("allowed for this conversation only: %w", err)
	}
	return nil
}

// grantRules are the rules that cover calls like t.
func grantRules(t touch) []rule {
	with := func(pattern string) rule { return rule{t.tool, pattern, true} }
	switch {
	case t.guarded():
		rules := make([]rule, len(t.paths))
		for i, path := range t.paths {
			rules[i] = with(escapeGlob(path))
			if !strings.Contains(path, "/") {
				rules[i].pattern = "./" + rules[i].pattern
			}
		}
		return rules
	case t.access == accessEdit:
		return []rule{{tool: "create_file"}, {tool: "modify_file"}}
	case t.access == accessCommand:
		return commandRules(t.script)
	case t.access == accessRequest:
		pattern := t.request.url.Scheme + "://" + escapeStar(strings.ToLower(t.request.url.Host)) + "/*"
		if t.request.readOnly() {
			pattern = "GET " + pattern
		}
		return []rule{with(pattern)}
	}
	return []rule{{tool: t.tool}}
}

// commandRules cover each command of a script by its program and subcommand. A
// script that is not plain is covered by its exact text only, and so are programs
// whose arguments decide everything: what is run, destroyed or sent where.
func commandRules(s *script) []rule {
	exact := []rule{{"run_command", escapeStar(s.text), true}}
	if !s.plain {
		return exact
	}
	var rules []rule
	for _, call := range s.calls {
		program, second := call[0].text, ""
		if len(call) > 1 && call[1].sure && subcommand(call[1].text) {
			second = call[1].text
		}
		if program == "" || onlyExactly(program, second) || strings.ContainsAny(program, " \t\n") {
			return exact
		}
		pattern := escapeStar(program)
		if second != "" {
			pattern += " " + escapeStar(second)
		}
		rules = append(rules, rule{"run_command", pattern + " *", true})
	}
	return rules
}

var (
	// interpreters run whatever their arguments or files say.
	interpreters = []string{"python", "python2", "python3", "perl", "ruby", "node", "deno", "bun", "php", "lua", "awk", "gawk", "sed",
		"osascript", "powershell", "pwsh", "cmd", "ssh", "eval", "trap", "source", ".", "docker", "podman", "kubectl", "npx", "uvx", "make",
		"tar", "gdb", "vim", "vi", "ed", "emacs", "tmux", "screen", "sqlite3", "psql", "mysql"}
	// perilous programs destroy, change rights, or send data somewhere.
	perilous = []string{"rm", "rmdir", "unlink", "shred", "dd", "truncate", "mv", "cp", "ln", "install", "tee", "chmod", "chown", "chgrp",
		"kill", "pkill", "killall", "crontab", "at", "shutdown", "reboot",
		"curl", "wget", "nc", "ncat", "netcat", "socat", "telnet", "ftp", "sftp", "scp", "rsync", "mail", "sendmail"}
	// commanded programs do quite different things by their subcommand: with an
	// option before it (git -C x push) nothing is known of what they do.
	commanded = []string{"git", "go", "cargo", "npm", "pnpm", "yarn", "pip", "pip3", "uv", "poetry", "bundle", "gh", "hg", "svn", "jj",
		"apt", "apt-get", "dnf", "brew", "systemctl", "terraform", "helm", "aws", "gcloud", "az", "dotnet"}
	// running are subcommands that run, or make run, what is named behind them.
	running = []string{"go run", "go tool", "go generate", "cargo run", "npm exec", "pnpm exec", "pnpm dlx", "yarn exec", "yarn dlx",
		"uv run", "uv tool", "poetry run", "bundle exec", "git config", "git submodule", "git bisect", "git rebase", "gh api", "gh alias"}
)

// onlyExactly reports whether a grant for a call of program and subcommand says
// nothing about other calls of them.
func onlyExactly(program, second string) bool {
	base := program[strings.LastIndexByte(program, '/')+1:]
	for _, list := range [][]string{interpreters, perilous, shells, wrappers} {
		if slices.Contains(list, base) {
			return true
		}
	}
	return slices.Contains(commanded, base) && second == "" || slices.Contains(running, base+" "+second)
}

// subcommand reports whether a word reads like one: go test, git log, npm run.
func subcommand(text string) bool {
	for i, r := range text {
		letter := r >= 'a' && r <= 'z'
		if !letter && (i == 0 || (r < '0' || r > '9') && !strings.ContainsRune("-_:", r)) {
			return false
		}
	}
	return text != ""
}

var globEscapes = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`)

func escapeGlob(path string) string { return globEscapes.Replace(path) }

package cli

import (
	"flag"
	"fmt"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/docs/docstest"
)

// docs/commands.md is generated from the commands; -update writes it.

var update = flag.Bool("update", false, "write the generated documents")

const commandsPage = "../docs/commands.md"

func TestCommandsPageIsUpToDate(t *testing.T) {
	docstest.File(t, commandsPage, commandsMarkdown(), *update)
}

func commandsMarkdown() string {
	a := newApp(console.Env{Version: "test", Lookup: func(string) (string, bool) { return "", false }}, setup.Flags{})
	root := a.rootCommand()
	root.InitDefaultHelpFlag()
	root.InitDefaultVersionFlag()
	var b strings.Builder
	b.WriteString("# Commands\n\nUse Plimsoll from a shell and in scripts.\n\n```\nplimsoll ask \"what is in here?\"   one question, the reply on standard output\n" +
		"plimsoll list --json              conversations, for other programs\nplimsoll COMMAND --help           what this page says of a command\n```\n\n")
	b.WriteString("Exit codes: 0 done, 1 failed, 2 wrong use or a bad configuration, 130 interrupted.\n\n| command | what it does |\n| --- | --- |\n")
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			fmt.Fprintf(&b, "| [`%s`](#%s) | %s |\n", c.CommandPath(), strings.ReplaceAll(c.CommandPath(), " ", "-"), c.Short)
		}
	}
	writeCommand(&b, root)
	b.WriteString("\n## Flags of every command\n\n```\n" + root.PersistentFlags().FlagUsages() + "```\n")
	for _, c := range root.Commands() {
		writeTree(&b, c)
	}
	return b.String()
}

func writeTree(b *strings.Builder, c *cobra.Command) {
	if !c.IsAvailableCommand() || c.Name() == "help" {
		return
	}
	writeCommand(b, c)
	if c.Name() == "completion" {
		return // one section for all shells
	}
	for _, sub := range c.Commands() {
		writeTree(b, sub)
	}
}

func writeCommand(b *strings.Builder, c *cobra.Command) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n\n```\n%s\n```\n", c.CommandPath(), strings.TrimSpace(c.Long), c.UseLine())
	if c.Example != "" {
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", unindent(c.Example))
	}
	if flags := c.NonInheritedFlags(); c.HasParent() && flags.HasAvailableFlags() {
		fmt.Fprintf(b, "\n```\n%s```\n", flags.FlagUsages())
	} else if !c.HasParent() {
		fmt.Fprintf(b, "\n```\n%s```\n", c.LocalNonPersistentFlags().FlagUsages())
	}
	if c.Name() == "completion" {
		b.WriteString("\nShells: " + strings.Join(names(c.Commands()), ", ") + ".\n")
	}
}

func names(commands []*cobra.Command) []string {
	var out []string
	for _, c := range commands {
		out = append(out, c.Name())
	}
	return out
}

// unindent removes two blanks from the beginning of each line.
func unindent(s string) string {
	return strings.ReplaceAll(strings.TrimPrefix(s, "  "), "\n  ", "\n")
}

// Every command has a description and an example, and refuses unknown arguments.
func TestEveryCommandIsDocumented(t *testing.T) {
	t.Parallel()
	root := newApp(console.Env{Version: "test", Lookup: func(string) (string, bool) { return "", false }}, setup.Flags{}).rootCommand()
	var visit func(c *cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Name() == "help" || c.Name() == "completion" {
			return
		}
		if c.Short == "" || c.Long == "" || c.Example == "" {
			t.Errorf("%s lacks a short or long description or an example", c.CommandPath())
		}
		if c.Args == nil {
			t.Errorf("%s does not check its arguments", c.CommandPath())
		}
		for _, line := range strings.Split(c.Long+"\n"+c.Example, "\n") {
			if len([]rune(line)) > 90 {
				t.Errorf("%s: a line of its help is too long for a terminal: %q", c.CommandPath(), line)
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
}

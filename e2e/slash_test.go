package e2e_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"plimsoll/tui"
)

// Every slash command: typing a name shows its help, and running it has an effect on the screen. All run in one program, in an
// order in which each has something to act on.

// commandTest runs a command, checks its effect, and closes what it opened.
type commandTest struct {
	name string
	does func(t *terminal)
}

// opensView tests a command that opens a view or dialog, which esc closes.
func opensView(line string, shows ...string) commandTest {
	name, _, _ := strings.Cut(line, " ")
	return commandTest{name, func(t *terminal) {
		t.t.Helper()
		t.slashCommand("/" + line)
		t.awaitText(shows...)
		t.press("esc")
		t.awaitIdle()
		t.awaitWithout(shows[len(shows)-1])
	}}
}

func showsText(line string, shows ...string) commandTest {
	name, _, _ := strings.Cut(line, " ")
	return commandTest{name, func(t *terminal) {
		t.t.Helper()
		t.slashCommand("/" + line)
		t.awaitIdle(shows...)
	}}
}

func TestEverySlashCommandWorks(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	p.env["EDITOR"] = filepath.Join(p.root, "editor")
	if err := os.WriteFile(p.env["EDITOR"], []byte("#!/bin/sh\nprintf 'edited' >> \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s := newServer(t)
	s.scriptSummaries(summaryReply(openGate()))
	term, id := p.openRecording(s, wide)

	commandTests := []commandTest{
		opensView("help", "Files and commands"), opensView("context", "What fills it"), opensView("history", " History", "original"),
		opensView("settings", " Settings", "Often changed"), opensView("diff", " Diff", "No file was changed"),
		opensView("ledger", " Ledger", "No compactions yet"), opensView("search wind", " Search", "enter open"), opensView("rewind", "Go back to"), opensView("checkpoints", "Turns that changed files"),
		opensView("profile", "Profile", "esc close"), opensView("model", "Model", "esc close"), opensView("effort", "Effort: how much"),
		opensView("connect", "Connect", "esc close"), opensView("theme", "Theme", "esc close"), opensView("permissions", "esc close"),
		opensView("tools", "Tools", "read_file"), opensView("mcp", "MCP servers", "No MCP server yet"), opensView("skills", "Skills", "no skill was found"), opensView("tasks", "Tasks", "started no task"), opensView("agents", "Agents", "An agent is a Markdown file"), opensView("memory", "Instructions", "esc close"),
		opensView("jobs", "In the background", "esc close"),
		opensView("commands", "Your commands", "esc close"), opensView("todos", "Todos", "esc close"), opensView("status", "Status", "esc close"),
		opensView("cost", "Cost", "esc close"), opensView("expand t3", "In full", "esc close"), opensView("doctor", "Doctor", "esc close"),
		opensView("settings", "❯ Model", "Automatic compaction"),
		showsText("window", "/window 128k sets another number"),
		showsText("compact", "Compacted turns 1–"), showsText("undo-compact", "undone"), showsText("redo-compact", "redone"),
		showsText("summarize --from 1 --to 10", "▎ kept: "), showsText("pin 51", "pinned"), showsText("unpin 51", "unpinned"),
		showsText("rename Harbor log", "plimsoll   Harbor log"),
		{"review", func(t *terminal) {
			t.slashCommand("/review")
			t.awaitIdle("no summary is pending")
			t.awaitDraft("/review")
			t.clear()
		}},
		{"copy", func(t *terminal) {
			if got := t.awaitCopies(1, func() { t.slashCommand("/copy") })[0]; !strings.HasPrefix(got, "Day ") {
				t.t.Errorf("the reply is copied as %q", got)
			}
		}},
		{"export", func(t *terminal) {
			t.slashCommand("/export out.md")
			t.awaitIdle("· Export", "Written to")
			if got := p.readFile("out.md"); !strings.Contains(got, "Harbor log") {
				t.t.Errorf("exported is %.200q", got)
			}
		}},
		{"share", func(t *terminal) {
			t.slashCommand("/share out.html")
			t.awaitQuestion("leave out images", "enter write")
			t.press("down")
			t.awaitText("❯ leave out contents of files")
			t.press("space")
			t.awaitText("leave out contents of files    ‹ yes ›")
			t.press("enter")
			t.awaitIdle("· Share", "Read the page in a browser")
			if got := p.readFile("out.html"); !strings.Contains(got, "Harbor log</h1>") || !strings.Contains(got, "without contents of files") {
				t.t.Errorf("shared is %.2000q", got)
			}
		}},
		{"editor", func(t *terminal) {
			t.slashCommand("/editor")
			t.awaitDraft("edited")
			t.clear()
		}},
		{"undo", func(t *terminal) {
			t.slashCommand("/undo")
			t.awaitIdle(" undid 1 turn")
			t.wait("message in the composer", func(s screen) bool { return strings.HasPrefix(s.draft(), "What does the log") })
			t.clear()
		}},
		showsText("redo", "turns redone"),
		showsText("retry", "Nothing to send again"),
		showsText("fork", "Forked: you are in the copy"),
		{"delete", func(t *terminal) {
			t.slashCommand("/delete")
			t.awaitQuestion("Delete")
			t.press("esc")
			t.awaitWithout("Delete")
			t.awaitIdle("Harbor log")
		}},
		{"new", func(t *terminal) {
			t.slashCommand("/new")
			t.awaitIdle("Talking to")
		}},
		{"resume", func(t *terminal) {
			t.slashCommand("/resume " + id)
			t.awaitIdle("Harbor log", " undid ")
		}},
		{"quit", func(t *terminal) {
			t.slashCommand("/quit")
			if code := t.awaitExit(); code != 0 {
				t.t.Errorf("exit code %d", code)
			}
		}},
	}
	for _, c := range tui.Commands() {
		if !slices.ContainsFunc(commandTests, func(d commandTest) bool { return d.name == c.Name }) {
			t.Errorf("/%s has no test", c.Name)
		}
	}
	for _, d := range commandTests {
		d.does(term)
	}
}

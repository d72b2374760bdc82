package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An approval for more than one call grants exactly the rule that the screen shows.

func commandCall(id, text string) reply {
	return callReply(id, "run_command", object{"command": text})
}

func (t *terminal) answerWithRule(rule, answer string) {
	t.t.Helper()
	t.awaitQuestion("Allow this?", rule)
	t.typeText(answer)
}

func TestAnApprovalGrantsExactlyTheShownRule(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	create := func(id, path string) reply {
		return callReply(id, "create_file", object{"path": path, "content": "text\n", "overwrite": true})
	}
	s := newServer(t,
		commandCall("c1", "touch one"), textReply("Once."),
		commandCall("c2", "touch one"), textReply("For this run."),
		commandCall("c3", "touch one two"), textReply("Not that one."),
		create("c4", "docs/a.md"), textReply("Created."),
		create("c5", "docs/a.md"), textReply("Unasked."),
		create("c6", "docs/b.md"), textReply("Not that file."),
		commandCall("c7", "touch one"), textReply("In a new conversation, too."),
	)
	term := p.startChat(wide, s)
	for _, c := range []struct{ rule, answer, says string }{
		{"run_command(touch one)", "y", "Once."},
		{"run_command(touch one)", "r", "For this run."},
		{"run_command(touch one two)", "\x1b", "Not that one."},
		{"edit(docs/a.md)", "r", "Created."},
		{"", "", "Unasked."},
		{"edit(docs/b.md)", "\x1b", "Not that file."},
	} {
		term.sendMessage("go on")
		if c.rule != "" {
			term.answerWithRule(c.rule, c.answer)
		}
		term.awaitIdle(c.says)
	}
	term.slashCommand("/new")
	term.awaitWithout("Not that file.")
	term.sendMessage("e")
	term.awaitIdle("In a new conversation, too.")
	p.quit(term)
}

func TestAPermanentGrantIsStoredUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, nil)
	const made = "touch made"
	s := newServer(t, commandCall("c1", made), textReply("Always."), commandCall("c2", made), textReply("Unasked."),
		commandCall("c3", "touch other"), textReply("Not that one."), commandCall("c4", made), textReply("Asked again."))
	term := p.startChat(wide, s)
	term.sendMessage("a")
	term.answerWithRule("run_command("+made+")", "a")
	term.awaitIdle("Always.")
	p.quit(term)
	file := filepath.Join(p.data, "grants.json")
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
		t.Fatalf("the grants: %v, %v", st, err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "run_command("+made+")") || strings.Contains(string(text), "*") {
		t.Errorf("granted is %s (%v)", text, err)
	}

	term = p.startChat(wide, s)
	term.sendMessage("b")
	term.awaitIdle("Unasked.")
	term.sendMessage("another")
	term.answerWithRule("run_command(touch other)", "\x1b")
	term.awaitIdle("Not that one.")
	p.readFile("made")
	term.slashCommand("/permissions")
	term.awaitText("allow run_command("+made+")", "always")
	term.typeText("touch")
	term.awaitText("> touch")
	term.press("enter")
	term.awaitQuestion("run_command("+made+")", "revoke it")
	term.typeText("y")
	term.awaitText("revoked: run_command(" + made + ")")
	term.sendMessage("c")
	term.answerWithRule("run_command("+made+")", "\x1b")
	term.awaitIdle("Asked again.")
	p.quit(term)
}

func TestARuleIsEditedBeforeItIsGranted(t *testing.T) {
	t.Parallel()
	p := newSandbox(t, project)
	s := newServer(t,
		commandCall("c1", "touch one"), textReply("Touched."),
		commandCall("c2", "touch two"), textReply("Unasked, too."),
		commandCall("c3", "touch three && rm one"), textReply("Not that."),
	)
	term := p.startChat(wide, s)
	term.sendMessage("a")
	term.answerWithRule("run_command(touch one)", "w")
	term.awaitText("Edit the rule")
	term.press("backspace", "backspace", "backspace", "backspace")
	term.typeText("xyz)")
	term.awaitText("does not cover")
	term.press("backspace", "backspace", "backspace", "backspace")
	term.typeText("*)")
	term.awaitText("run_command(touch *)", "! wide")
	term.press("enter")
	term.answerWithRule("run_command(touch *)", "r")
	term.awaitIdle("Touched.")
	term.sendMessage("d")
	term.awaitIdle("Unasked, too.")
	term.sendMessage("e")
	term.answerWithRule("run_command(touch three && rm one)", "\x1b")
	term.awaitIdle("Not that.")
	p.quit(term)
}

package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// An approval for more than one call grants exactly the rule that the screen shows.

// command is a call of run_command.
func command(id, text string) reply {
	return calls(id, "run_command", object{"command": text})
}

// answerWithRule answers a question that shows the rule.
func (t *terminal) answerWithRule(rule, answer string) {
	t.t.Helper()
	t.asked("Allow this?", rule)
	t.typed(answer)
}

func TestAnApprovalHoldsForExactlyTheRuleThatIsShown(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	create := func(id, path string) reply {
		return calls(id, "create_file", object{"path": path, "content": "text\n", "overwrite": true})
	}
	s := newServer(t,
		command("c1", "touch one"), says("Once."),
		command("c2", "touch one"), says("For this run."),
		command("c3", "touch one two"), says("Not that one."),
		create("c4", "docs/a.md"), says("Created."),
		create("c5", "docs/a.md"), says("Unasked."),
		create("c6", "docs/b.md"), says("Not that file."),
		command("c7", "touch one"), says("In a new conversation, too."),
	)
	term := p.talking(wide, s)
	for _, c := range []struct{ rule, answer, says string }{
		{"run_command(touch one)", "y", "Once."},
		{"run_command(touch one)", "r", "For this run."},
		{"run_command(touch one two)", "\x1b", "Not that one."},
		{"edit(docs/a.md)", "r", "Created."},
		{"", "", "Unasked."},
		{"edit(docs/b.md)", "\x1b", "Not that file."},
	} {
		term.say("go on")
		if c.rule != "" {
			term.answerWithRule(c.rule, c.answer)
		}
		term.idle(c.says)
	}
	term.command("/new")
	term.awaitWithout("Not that file.")
	term.say("e")
	term.idle("In a new conversation, too.")
	p.quits(term)
}

func TestARuleGrantedForAlwaysHoldsInTheNextRunUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	const made = "touch made"
	s := newServer(t, command("c1", made), says("Always."), command("c2", made), says("Unasked."),
		command("c3", "touch other"), says("Not that one."), command("c4", made), says("Asked again."))
	term := p.talking(wide, s)
	term.say("a")
	term.answerWithRule("run_command("+made+")", "a")
	term.idle("Always.")
	p.quits(term)
	file := filepath.Join(p.data, "grants.json")
	if st, err := os.Stat(file); err != nil || st.Mode().Perm() != 0o600 {
		t.Fatalf("the grants: %v, %v", st, err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "run_command("+made+")") || strings.Contains(string(text), "*") {
		t.Errorf("granted is %s (%v)", text, err)
	}

	term = p.talking(wide, s)
	term.say("b")
	term.idle("Unasked.")
	term.say("another")
	term.answerWithRule("run_command(touch other)", "\x1b")
	term.idle("Not that one.")
	p.read("made")
	term.command("/permissions")
	term.see("allow run_command("+made+")", "always")
	term.typed("touch")
	term.see("> touch")
	term.key("enter")
	term.asked("run_command("+made+")", "revoke it")
	term.typed("y")
	term.see("revoked: run_command(" + made + ")")
	term.say("c")
	term.answerWithRule("run_command("+made+")", "\x1b")
	term.idle("Asked again.")
	p.quits(term)
}

func TestARuleIsEditedBeforeItIsGranted(t *testing.T) {
	t.Parallel()
	p := newPlace(t, project)
	s := newServer(t,
		command("c1", "touch one"), says("Touched."),
		command("c2", "touch two"), says("Unasked, too."),
		command("c3", "touch three && rm one"), says("Not that."),
	)
	term := p.talking(wide, s)
	term.say("a")
	term.answerWithRule("run_command(touch one)", "e")
	term.see("Edit the rule")
	term.key("backspace", "backspace", "backspace", "backspace")
	term.typed("xyz)")
	term.see("does not cover")
	term.key("backspace", "backspace", "backspace", "backspace")
	term.typed("*)")
	term.see("run_command(touch *)", "! wide")
	term.key("enter")
	term.answerWithRule("run_command(touch *)", "r")
	term.idle("Touched.")
	term.say("d")
	term.idle("Unasked, too.")
	term.say("e")
	term.answerWithRule("run_command(touch three && rm one)", "\x1b")
	term.idle("Not that.")
	p.quits(term)
}

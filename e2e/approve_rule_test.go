package e2e_test

import (
	"testing"
)

// An approval for longer than once grants the rule that stands on the screen,
// and nothing else.

// command is a call of run_command.
func command(id, text string) reply {
	return calls(id, "run_command", object{"command": text})
}

// granted answers a question that shows the rule.
func (t *terminal) granted(rule, answer string) {
	t.t.Helper()
	t.asked("Allow this?", rule)
	t.typed(answer)
}

func TestAnApprovalHoldsForExactlyTheRuleThatIsShown(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t,
		command("c1", "touch one"), says("Once."),
		command("c2", "touch one"), says("For this run."),
		command("c3", "touch one"), says("Unasked."),
		command("c4", "touch one two"), says("Not that one."),
		command("c5", "touch one"), says("In a new conversation, too."),
	)
	term := p.talking(wide, s)
	term.say("a")
	term.granted("run_command(touch one)", "y")
	term.idle("Once.")
	term.say("b")
	term.granted("run_command(touch one)", "r")
	term.idle("For this run.")
	term.say("c")
	term.idle("Unasked.")
	term.say("d")
	term.granted("run_command(touch one two)", "\x1b")
	term.idle("Not that one.")
	term.typed("/new")
	term.key("enter")
	term.idle("Talking to")
	term.say("e")
	term.idle("In a new conversation, too.")
	p.quits(term)
}

func TestARuleGrantedForAlwaysHoldsInTheNextRunUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	s := newServer(t, command("c1", "touch one"), says("Always."), command("c2", "touch one"), says("Unasked."),
		command("c3", "touch one"), says("Asked again."))
	term := p.talking(wide, s)
	term.say("a")
	term.granted("run_command(touch one)", "a")
	term.idle("Always.")
	p.quits(term)

	term = p.talking(wide, s)
	term.say("b")
	term.idle("Unasked.")
	term.typed("/permissions")
	term.key("enter")
	term.see("allow run_command(touch one)", "always · used")
	term.typed("touch")
	term.see("> touch")
	term.key("enter")
	term.asked("run_command(touch one)", "revoke it")
	term.typed("y")
	term.see("revoked: run_command(touch one)")
	term.say("c")
	term.granted("run_command(touch one)", "\x1b")
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
	term.granted("run_command(touch one)", "e")
	term.see("Edit the rule")
	term.key("backspace", "backspace", "backspace", "backspace")
	term.typed("xyz)")
	term.see("does not cover")
	term.key("backspace", "backspace", "backspace", "backspace")
	term.typed("*)")
	term.see("run_command(touch *)", "! wide")
	term.key("enter")
	term.granted("run_command(touch *)", "r")
	term.idle("Touched.")
	term.say("d")
	term.idle("Unasked, too.")
	term.say("e")
	term.granted("run_command(touch three && rm one)", "\x1b")
	term.idle("Not that.")
	p.quits(term)
}

func TestAnApprovalOfAnEditHoldsForThatFile(t *testing.T) {
	t.Parallel()
	p := newPlace(t, nil)
	create := func(id, path string) reply {
		return calls(id, "create_file", object{"path": path, "content": "text\n", "overwrite": true})
	}
	s := newServer(t, create("c1", "docs/a.md"), says("Created."), create("c2", "docs/a.md"), says("Unasked."), create("c3", "docs/b.md"), says("Not that one."))
	term := p.talking(wide, s)
	term.say("a")
	term.granted("edit(docs/a.md)", "r")
	term.idle("Created.")
	term.say("b")
	term.idle("Unasked.")
	term.say("c")
	term.granted("edit(docs/b.md)", "\x1b")
	term.idle("Not that one.")
	p.quits(term)
}

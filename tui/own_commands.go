package tui

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"plimsoll/conversation"
	"plimsoll/conversation/plain"
	"plimsoll/tui/composer"
	"plimsoll/tui/dialog"
	"plimsoll/tui/pane"
)

// Slash commands of the user's own make messages. Such a message takes its place among the others at once, and is passed on when
// it is made: its commands ran, its files were read, and what needs a yes has it. Otherwise its line returns to the composer.

// OwnCommand is a slash command of the user's own.
type OwnCommand struct {
	Name   string // without the slash
	Args   string // hint of its arguments, may be ""
	Help   string // one line, may be ""
	Origin string // who it comes from: user, workspace
	File   string // as shown
	Text   string // the whole file
}

// CommandApproval is the error of a command that waits for the user's yes. Nothing has run yet.
type CommandApproval struct {
	Title   string
	Command string // exactly what would run, or the file that would be sent
}

// Error names the command.
func (c *CommandApproval) Error() string { return c.Title + ": " + c.Command }

// ownCommandRun is a run of a command of the user's own, which makes a message.
type ownCommandRun struct {
	name, args string
	approved   []string
	message    string             // "" while it is made
	cancel     context.CancelFunc // nil before it is made
}

// stop ends the making of a message. c may be nil.
func (c *ownCommandRun) stop() {
	if c != nil && c.cancel != nil {
		c.cancel()
	}
}

// approveOwnCommand asks whether a command may run what it names.
type approveOwnCommand struct {
	msg      *outgoing
	approval CommandApproval
}

// loadOwnCommands lists the commands. What could not be read is shown by the list of /commands.
func (c *chat) loadOwnCommands() tea.Cmd {
	c.ownListedAt = c.env.Now()
	b := c.env.Backend
	return loadInto(c.env, "listing your commands", func(ctx context.Context) ([]OwnCommand, error) {
		list, _ := b.OwnCommands(ctx)
		return list, nil
	}, c.setOwnCommands)
}

// refreshOwnCommands lists the commands again if one is being typed and the list is stale.
func (c *chat) refreshOwnCommands() tea.Cmd {
	if !c.composer.Commanding() || c.env.Now().Sub(c.ownListedAt) < maxFilesAge {
		return nil
	}
	return c.loadOwnCommands()
}

func (c *chat) setOwnCommands(list []OwnCommand) {
	c.own = list
	specs := Commands()
	for _, o := range list {
		specs = append(specs, composer.CommandSpec{Name: o.Name, Args: plain.Line(o.Args), Needs: o.Args != "", Help: strings.TrimSuffix(o.Origin+" · "+o.Help, " · ")})
	}
	c.composer.SetCommands(specs)
}

func (c *chat) sendOwnCommand(command composer.Command) pane.Action {
	line := cmp.Or(command.Line, "/"+command.Name)
	return c.outbox.send(&outgoing{waitingMessage: newWaiting(line), line: typedLine{line, c.keyboard.textKeys},
		own: &ownCommandRun{name: command.Name, args: command.Args}})
}

func (c *chat) listOwnCommands() pane.Action {
	ctx, b := c.env.ctx, c.env.Backend
	return readAction(func(context.Context) (show, late func() pane.Action, err error) {
		list, passedOver := b.OwnCommands(ctx)
		late = func() pane.Action {
			c.setOwnCommands(list)
			return textSnackbar("your commands are listed: /commands shows them")
		}
		return func() pane.Action {
			c.setOwnCommands(list)
			return c.showOwnCommands(list, passedOver)
		}, late, nil
	})
}

func (c *chat) showOwnCommands(list []OwnCommand, passedOver error) pane.Action {
	var items []dialog.Item
	for _, o := range list {
		items = append(items, dialog.Item{ID: o.Name, Title: strings.TrimSpace("/" + o.Name + " " + plain.Line(o.Args)),
			Columns: []string{pane.About(c.session.load.estimateText(o.Text)), o.Origin, plain.Line(o.Help)}})
	}
	text := ""
	if passedOver != nil {
		text = "passed over:\n" + plain.Text(passedOver.Error())
	}
	return open(dialog.PickerOptions{Title: "Your commands", Items: items, Text: text,
		Empty: "there are none: a file .plimsoll/commands/NAME.md makes /NAME",
		Choose: func(name, _ string) pane.Action {
			i := slices.IndexFunc(list, func(o OwnCommand) bool { return o.Name == name })
			return openDialog{dialog.NewText("/"+name+" · "+list[i].File, list[i].Text)}
		}})
}

func (o *outbox) makeMessage(msg *outgoing) pane.Action {
	ctx, cancel := context.WithCancel(o.env.ctx)
	b, call := o.env.Backend, *msg.own
	msg.own.cancel = cancel
	return doAsync(func() (string, error) {
		defer cancel()
		return b.MakeMessage(ctx, call.name, call.args, call.approved)
	}, func(text string, err error) pane.Action { return o.messageMade(msg, text, err) })
}

// messageMade passes on the message of a command, or asks, or returns its line to the composer.
func (o *outbox) messageMade(msg *outgoing, text string, err error) pane.Action {
	if !slices.Contains(o.unsent, msg) {
		return nil // it was returned to the composer
	}
	msg.own.cancel = nil
	var asks *CommandApproval
	switch {
	case errors.As(err, &asks):
		return approveOwnCommand{msg, *asks}
	case errors.Is(err, context.Canceled):
		return o.returnOwnCommand(msg, textSnackbar("stopped: nothing was sent"))
	case err != nil:
		return o.returnOwnCommand(msg, requestFailed{err})
	}
	msg.own.message, msg.size, msg.ready = text, conversation.Measure(text), true
	return o.flush()
}

func (o *outbox) returnOwnCommand(msg *outgoing, why pane.Action) pane.Action {
	if !o.removeUnsent(msg) {
		return nil
	}
	o.returnToComposer(msg)
	return actionList{why, o.flush()}
}

// runningOwnCommand returns the command that makes a message now, or nil. When it is stopped, its line returns to the composer.
func (o *outbox) runningOwnCommand() *ownCommandRun {
	for _, msg := range o.unsent {
		if msg.own != nil && msg.own.cancel != nil {
			return msg.own
		}
	}
	return nil
}

// ownCommandQuestion is the question whether a command may run what it names, once or not.
func (o *outbox) ownCommandQuestion(a approveOwnCommand, d *dialogs) question {
	review := conversation.Review{Need: conversation.NeedApproval, Title: a.approval.Title, Command: a.approval.Command}
	q := question{callID: "/command"}
	q.dialog = dialog.NewApprove(review, nil, func(answer conversation.Answer) pane.Action {
		d.questions = slices.DeleteFunc(d.questions, func(other question) bool { return other.dialog == q.dialog })
		if answer.Grant == conversation.GrantNo {
			a.msg.line.textKeys = o.keyboard.textKeys // the keys since then went into the dialog
			return o.returnOwnCommand(a.msg, refusal("not sent: you said no"))
		}
		if !slices.Contains(o.unsent, a.msg) {
			return nil
		}
		a.msg.own.approved = append(a.msg.own.approved, a.approval.Command)
		return o.makeMessage(a.msg)
	})
	return q
}

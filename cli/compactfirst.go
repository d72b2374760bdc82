package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"plimsoll/agent"
	"plimsoll/cli/console"
	"plimsoll/compact"
	"plimsoll/conversation"
)

// `ask --compact` and `fork --compact`: the compaction comes before something
// else. A profile that does not exist is wrong use, and then nothing is done.
// Otherwise a compaction that comes to nothing is told of, and what comes behind
// it is done all the same: a script may always ask for it.

// compactFlag is the flag --compact[=PROFILE].
type compactFlag struct {
	given   bool
	profile string // "": the default one
}

// addTo gives a command the flag.
func (f *compactFlag) addTo(c *cobra.Command, usage string) {
	c.Flags().Var(f, "compact", usage)
	c.Flags().Lookup("compact").NoOptDefVal = byDefault
}

// byDefault stands for the default profile, which has whatever name the
// configuration gives it.
const byDefault = "?"

// String is the flag's value as the help shows it: none.
func (f *compactFlag) String() string { return "" }

// Type names the value in the help.
func (f *compactFlag) Type() string { return "PROFILE" }

// Set takes the value. The error is that of an empty one.
func (f *compactFlag) Set(value string) error {
	if value == "" {
		return errors.New("the profile is empty; write --compact=PROFILE, or --compact for the default one")
	}
	f.given, f.profile = true, value
	if value == byDefault {
		f.profile = ""
	}
	return nil
}

// first is a compaction that comes before something else. The zero value is
// none.
type first struct {
	console       *console.Console
	conversations *conversations
	agents        *agents

	state conversationState
	wish  compact.Wish
	pass  *compact.Pass // nil: there is nothing to do
	none  error         // why, nil if nothing was asked for
	done  *compaction   // what was made
}

// first works out what the flag asks for, before anything is done. The error is
// that of a profile that does not exist.
func (g *agents) first(s conversationState, flag compactFlag, trigger string) (*first, error) {
	f := &first{console: g.console, conversations: g.conversations, agents: g, state: s}
	if !flag.given {
		return f, nil
	}
	f.wish = compact.NewWish()
	f.wish.Profile, f.wish.Trigger = flag.profile, trigger
	pass, err := s.pass(f.wish)
	var use console.UsageError
	switch {
	case errors.As(err, &use):
		return nil, err
	case err != nil:
		f.none = err
	default:
		f.pass = &pass
	}
	return f, nil
}

// misread is what to say of a profile that stands behind --compact as a word of
// its own, and so begins the prompt.
func (f *first) misread(prompt string) []string {
	words := strings.Fields(prompt)
	if f.wish.Profile != "" || len(words) == 0 {
		return nil
	}
	if _, profile := f.state.rules.Profiles[words[0]]; !profile {
		return nil
	}
	return []string{words[0] + " is taken as the beginning of the prompt; a profile is written --compact=" + words[0]}
}

// stateOf is how a stored conversation stands, with the model it was held
// with.
func (v *conversations) stateOf(ctx context.Context, id string) (conversationState, error) {
	store, err := v.resources.Open()
	if err != nil {
		return conversationState{}, err
	}
	r, _, err := load(ctx, store, id)
	if err != nil {
		return conversationState{}, err
	}
	cfg, err := v.settings.ConfigFor(r.events)
	if err != nil {
		return conversationState{}, err
	}
	m, err := v.models.ModelOf(ctx, r.events)
	if err != nil {
		return conversationState{}, err
	}
	return v.stateWith(r, cfg, v.settings.BoundedBy(cfg, m)), nil
}

// needsModel reports whether a model has to write a summary.
func (f *first) needsModel() bool { return f.pass != nil && f.pass.Job != nil }

// overlays are what a compaction that needs no model appends, for a copy; nil
// otherwise.
func (f *first) overlays() []conversation.Body {
	if f.pass == nil || f.needsModel() {
		return nil
	}
	return f.pass.Bodies(f.state.next())
}

// made takes a compaction that was made, or why it was not, and tells it on
// standard error.
func (f *first) made(done compaction, err error) {
	if err != nil {
		f.console.Note("not compacted: %v", err)
		return
	}
	f.done = &done
	p := compact.Preview{Profile: done.Profile, Range: compact.Range{From: done.From, To: done.To}, Before: done.Before, After: done.After}
	f.console.Note("%s", compactionLine(agent.Compacted{Preview: p}))
}

// before makes the compaction of the stored conversation, unless a model is
// needed for it. The error is that of a conversation that cannot be written:
// nothing can be asked in it either.
func (f *first) before(ctx context.Context) error {
	switch {
	case f.none != nil:
		f.made(compaction{}, f.none)
	case f.pass != nil && !f.needsModel():
		done, err := f.conversations.commit(ctx, f.state, f.wish)
		if errors.Is(err, errNotWritable) {
			return err
		}
		f.made(done, err)
	}
	return nil
}

// within makes it in a running conversation, if a model is needed for it. The
// error is that of being interrupted.
func (f *first) within(ctx context.Context, r *running) error {
	if !f.needsModel() {
		return nil
	}
	done, err := f.agents.optimize(ctx, r, f.wish)
	if ctx.Err() != nil {
		return err
	}
	f.made(done, err)
	return nil
}

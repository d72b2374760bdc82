package cli

import (
	"context"
	"errors"
	"fmt"
	"time"

	"plimsoll/agent"
	"plimsoll/cli/console"
	"plimsoll/cli/setup"
	"plimsoll/compact"
	"plimsoll/config"
	"plimsoll/conversation"
)

// What a compaction by hand depends on is looked up once, for a conversation at
// rest. The wish is worked out on what was read; when it is committed, the
// conversation is opened for writing, read again and worked out again, so that
// nobody's words fall between the two.

// conversationState is a stored conversation as a compaction finds it.
type conversationState struct {
	*reading
	model agent.Model
	rules compact.Rules
	now   compact.Situation
	set   map[string]string // what --cfg sets, by key
}

// state is how a conversation stands, for a command that is about this one
// only.
func (v *conversations) state(ctx context.Context, r *reading) (conversationState, error) {
	if err := v.settings.Adopt(r.events); err != nil {
		return conversationState{}, err
	}
	m, err := v.models.ModelOf(ctx, r.events)
	if err != nil {
		return conversationState{}, err
	}
	return v.stateWith(r, v.settings.Cfg(), m), nil
}

// stateWith is how a conversation stands with a configuration and a model.
// Nobody knows whether the provider's cache still holds it.
func (v *conversations) stateWith(r *reading, cfg config.Config, m agent.Model) conversationState {
	rules := setup.RulesOf(cfg)
	return conversationState{reading: r, model: m, rules: rules, set: v.settings.Overrides(),
		now: compact.Situation{Meter: meterOf(rules, r, m), Now: time.Now(), Cold: true, Caps: m.Caps}}
}

// at is the same with the conversation as it was read anew.
func (s conversationState) at(r *reading) conversationState {
	s.reading = r
	s.now.Meter = s.now.Meter.WithView(r.view)
	return s
}

// next is the Seq of the first overlay that would be appended.
func (s conversationState) next() uint64 { return uint64(len(s.events) + len(s.pending()) + 1) }

// pending is what comes before anything that is appended: a reply that was
// arriving when the program ended, and what --cfg sets, if the log does not
// have it yet.
func (s conversationState) pending() []conversation.Body {
	var bodies []conversation.Body
	for _, e := range s.said[len(s.events):] {
		bodies = append(bodies, e.Body)
	}
	set, recorded := map[string]string{}, setup.RecordedSettings(s.events)
	for key, value := range s.set {
		if old, ok := recorded[key]; !ok || old != value {
			set[key] = value
		}
	}
	if len(set) > 0 {
		bodies = append(bodies, conversation.ConfigChanged{Set: set})
	}
	return bodies
}

// pass works a wish out.
func (s conversationState) pass(w compact.Wish) (compact.Pass, error) {
	pass, err := compact.NewPass(s.said, s.rules, s.now, w)
	if errors.Is(err, compact.ErrNoProfile) || errors.Is(err, compact.ErrBadWish) {
		err = console.AsUsage(err)
	}
	return pass, err
}

// commit makes a compaction that needs no model.
func (v *conversations) commit(ctx context.Context, s conversationState, w compact.Wish) (compaction, error) {
	var done compaction
	err := v.append(ctx, s, func(s conversationState) ([]conversation.Body, error) {
		pass, err := s.pass(w)
		if err != nil {
			return nil, err
		}
		if pass.Job != nil {
			return nil, fmt.Errorf("conversation %s was changed meanwhile: try again", s.id)
		}
		done = newCompaction(s, pass.Preview())
		seq := s.next()
		done.Epoch = &seq
		return pass.Bodies(seq), nil
	})
	return done, err
}

// errNotWritable says that a conversation could not be opened for writing:
// because it is open elsewhere, say.
var errNotWritable = errors.New("not open for writing")

// notWritable is an errNotWritable in the words of its cause.
type notWritable struct{ error }

func (e notWritable) Is(target error) bool { return target == errNotWritable }
func (e notWritable) Unwrap() error        { return e.error }

// append opens the conversation for writing and appends what work gives for it
// as it stands then, in one transaction, behind what is pending.
func (v *conversations) append(ctx context.Context, s conversationState, work func(conversationState) ([]conversation.Body, error)) (err error) {
	w, err := s.store.OpenWriter(ctx, s.id)
	if err != nil {
		return notWritable{err}
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	r, _, err := load(ctx, s.store, s.id)
	if err != nil {
		return err
	}
	s = s.at(r)
	bodies, err := work(s)
	if err != nil {
		return err
	}
	log, err := conversation.NewLog(r.events)
	if err != nil {
		return fmt.Errorf("reading conversation %s: %w", s.id, err)
	}
	return w.Append(ctx, log.Prepare(time.Now(), append(s.pending(), bodies...)...))
}

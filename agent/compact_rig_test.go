package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"plimsoll/agent/agenttest"
	"plimsoll/agent/core"
	"plimsoll/agent/llm"
	"plimsoll/agent/updates"
	"plimsoll/compact/edit"
	"plimsoll/compact/projection"
	"plimsoll/conversation"
)

// listing is a long result, another one for each n.
func listing(n int) string {
	var b strings.Builder
	for i := range 90 {
		fmt.Fprintf(&b, "%d: line %d of the listing that was asked for in turn %d\n", i, i, n)
	}
	return b.String()
}

// looked is the tool that gives a listing for {"n":N}.
func looked() agenttest.Tool {
	return agenttest.Reader("look", func(_ context.Context, c conversation.ToolCall, _ func(string)) conversation.Outcome {
		var args struct{ N int }
		if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
			return conversation.Outcome{Status: conversation.ResultError, Text: err.Error()}
		}
		return ok(listing(args.N))
	})
}

// compactTool is the tool by which a model asks for a compaction.
func compactTool() agenttest.Tool {
	return agenttest.Reader(conversation.ToolCompact, func(context.Context, conversation.ToolCall, func(string)) conversation.Outcome {
		return ok("Compression requested")
	})
}

// looks is a reply that calls look once.
func looks(n int) agenttest.Reply {
	return asks(agenttest.Call(0, fmt.Sprintf("c%d", n), "look", fmt.Sprintf(`{"n":%d}`, n)))
}

// talk is an idle rig in which turns were said, each with a long result.
func talk(t *testing.T, turns int, change func(*core.Options), script ...agenttest.Reply) *rig {
	t.Helper()
	var all []agenttest.Reply
	for i := range turns {
		all = append(all, looks(i), answers(fmt.Sprintf("that was listing %d", i)))
	}
	setup := withTools(looked(), compactTool())
	if change != nil {
		setup = both(setup, change)
	}
	r := start(t, setup, append(all, script...)...)
	for i := range turns {
		r.say(fmt.Sprintf("show me listing %d of the uploads", i))
	}
	return r
}

// diskFullWhile has every write fail while full is set.
func diskFullWhile(full *atomic.Bool) func(*core.Options) {
	return func(o *core.Options) {
		o.Log = &agenttest.Memory{Fail: func(string) error {
			if full.Load() {
				return errDisk
			}
			return nil
		}}
	}
}

// byProfile is a request for a compaction by hand with a profile.
func byProfile(profile string, keepLast int) edit.Request {
	w := edit.NewRequest()
	w.Profile, w.KeepLast = profile, keepLast
	return w
}

// compacts compacts and waits until nothing moves.
func (r *rig) compacts(w edit.Request) {
	r.Compact(w)
	r.wait()
}

// overlays are the overlays in the log.
func (r *rig) overlays() []conversation.Event {
	var out []conversation.Event
	for _, e := range r.memory.Events() {
		if e.Body.Kind().Overlay() {
			out = append(out, e)
		}
	}
	return out
}

// attempts are the compactions that came to nothing, as the log has them.
func (r *rig) attempts() []conversation.Attempt {
	var out []conversation.Attempt
	for _, e := range r.memory.Events() {
		if b, isAttempt := e.Body.(conversation.Attempt); isAttempt {
			out = append(out, b)
		}
	}
	return out
}

// refused are the failures of compactions that the user was told.
func (r *rig) refused() []*llm.Error {
	var out []*llm.Error
	for _, u := range agenttest.Of[updates.CompactionFailed](r.watch) {
		out = append(out, u.Err)
	}
	return out
}

// made are the compactions that the user was told.
func (r *rig) made() []updates.Compacted { return agenttest.Of[updates.Compacted](r.watch) }

// last is the newest request.
func (r *rig) last() llm.Request {
	all := r.provider.Requests()
	return all[len(all)-1]
}

// wire is what a message says to an endpoint, without where it came from.
type wire struct {
	Role, Text, CallID string
	Calls              []string
}

func onWire(messages []projection.Message) []wire {
	var out []wire
	for _, m := range messages {
		w := wire{Role: string(m.Role), Text: m.Text, CallID: m.CallID}
		for _, c := range m.Calls {
			w.Calls = append(w.Calls, c.ID+" "+c.Name+" "+c.Arguments)
		}
		out = append(out, w)
	}
	return out
}

// view is what the stored log shows the model.
func (r *rig) view() []wire { return onWire(projection.Project(r.memory.Events()).Messages) }

// idle checks that the conversation rests.
func (r *rig) idle() {
	r.t.Helper()
	if got := r.watch.Phases(); len(got) == 0 || got[len(got)-1] != updates.Idle {
		r.t.Errorf("the phases are %v, want idle at last", got)
	}
}

// account is a summary that counts for a few turns of talk.
const account = "### Goal\nThe user goes through the listings of the uploads, one in each turn (t0 and later).\n" +
	"### Done\nEach listing was fetched with look and shown; every one has ninety lines and none of them names a failure.\n" +
	"### Next step\nShow the next listing when the user asks for it, as before: \"show me listing\"."

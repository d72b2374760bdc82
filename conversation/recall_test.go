package conversation_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"plimsoll/conversation"
)

func TestParseRecallIDAcceptsVariantsThatModelsWrite(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"e41": "e41", "41": "e41", "E41": "e41", " `e41` ": "e41", "[e41]": "e41", "#41": "e41", "event 41": "e41", "e 41": "e41", "e041": "e41",
		"t3": "t3", "T0": "t0", "turn 3": "t3", "t3-7": "t3-7", "t3-t7": "t3-7", "turns 3 - 7": "t3-7", "t3..7": "t3-7", "t7-3": "t3-7", "t4-4": "t4",
		"e41-45": "e41-45", "41-45": "e41-45", "41-e45": "e41-45", "e9223372036854775807": "e9223372036854775807",
	} {
		id, ok := conversation.ParseRecallID(text)
		if !ok || id.String() != want {
			t.Errorf("%q: got %s, %v; want %s", text, id, ok, want)
		}
	}
	for _, text := range []string{"", "e", "t", "call_1", "e-4", "-4", "e4-", "e4-5-6", "t3-e7", "e3-t7", "3-t7", "x9", "e4x", "4.5", "e18446744073709551616", "abcdef01"} {
		if id, ok := conversation.ParseRecallID(text); ok {
			t.Errorf("%q: read as %s", text, id)
		}
	}
}

func TestParseRecallIDInvertsString(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Uint64Range(0, 1<<63-1)
		a, b := n.Draw(t, "a"), n.Draw(t, "b")
		want := conversation.RecallID{Turns: rapid.Bool().Draw(t, "turns"), First: min(a, b), Last: max(a, b)}
		got, ok := conversation.ParseRecallID(want.String())
		if !ok || got != want {
			t.Fatalf("%s: got %+v, %v", want, got, ok)
		}
		seq, one := got.Event()
		if one != (!want.Turns && a == b) || one && seq != a {
			t.Fatalf("%s: event %d, %v", want, seq, one)
		}
		conversation.ParseRecallID(rapid.String().Draw(t, "anything"))
		conversation.RecallTarget(rapid.String().Draw(t, "anything else"))
	})
}

func TestRecallTargetIsTheIDInTheArguments(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		`{"id":"e41"}`: "e41", `{"id":41}`: "e41", `{"query":"x","id":"[E41]","offset":3}`: "e41", `{"id":"t3-7"}`: "t3-7",
		`{}`: "", ``: "", `[]`: "", `null`: "", `{"id":null}`: "", `{"id":"call_9"}`: "", `{"ID":"e4"}`: "", `{"id":{"id":"e4"}}`: "", `{"id":["e4"]}`: "",
		`{"id":""}`: "", `{"id":4.5}`: "", `{"_invalid":"{\"id\":\"e4\""}`: "",
	} {
		got, ok := conversation.RecallTarget(arguments)
		if got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v; want %q", arguments, got, ok, want)
		}
	}
}

func TestOverlaysInForceAppliesReverts(t *testing.T) {
	t.Parallel()
	origin := func(epoch uint64) conversation.Origin { return conversation.Origin{Epoch: epoch} }
	first := []conversation.Body{
		conversation.Mask{Origin: origin(1)}, conversation.Summary{Origin: origin(1)}, conversation.UserMessage{}, conversation.Drop{Origin: origin(4)},
	}
	for name, c := range map[string]struct {
		more []conversation.Body
		want []int
	}{
		"no revert":                      {nil, []int{0, 1, 3}},
		"an epoch reverted":              {[]conversation.Body{conversation.Revert{Origin: origin(5), Epoch: 1}}, []int{3}},
		"one overlay reverted":           {[]conversation.Body{conversation.Revert{Origin: origin(5), Event: 2}}, []int{0, 3}},
		"a revert reverted by its event": {[]conversation.Body{conversation.Revert{Origin: origin(5), Epoch: 1}, conversation.Revert{Origin: origin(6), Event: 5}}, []int{0, 1, 3}},
		"a revert reverted by its epoch": {[]conversation.Body{conversation.Revert{Origin: origin(5), Epoch: 1}, conversation.Revert{Origin: origin(6), Epoch: 5}}, []int{0, 1, 3}},
		"reverted three times":           {[]conversation.Body{conversation.Revert{Origin: origin(5), Epoch: 1}, conversation.Revert{Origin: origin(6), Epoch: 5}, conversation.Revert{Origin: origin(7), Epoch: 6}}, []int{3}},
		"a revert without a target":      {[]conversation.Body{conversation.Revert{Origin: origin(5)}}, []int{0, 1, 3}},
		"an overlay after a revert":      {[]conversation.Body{conversation.Revert{Origin: origin(5), Epoch: 4}, conversation.Pin{Origin: origin(6)}}, []int{0, 1, 5}},
	} {
		var events []conversation.Event
		for i, b := range append(first[:len(first):len(first)], c.more...) {
			events = append(events, conversation.Event{Seq: uint64(i + 1), Body: b})
		}
		if diff := cmp.Diff(c.want, conversation.OverlaysInForce(events)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

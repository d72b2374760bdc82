package compact_test

import (
	"testing"

	"plimsoll/compact"
)

func TestTheOutlookIsToldInASentenceOrTwo(t *testing.T) {
	t.Parallel()
	grown := func(n int) *tale { return (&tale{}).stints(n) }
	for name, c := range map[string]struct {
		look looking
		log  *tale
		want string
	}{
		"below the line": {at(compact.MomentReply), grown(14), "In about 10,000 tokens (2 turns), at 80,000: 9 results become stubs, about 26,700 are left."},
		"at the line":    {at(compact.MomentReply), grown(16), "From the next word on: 11 results become stubs, about 27,100 are left."},
		"above it":       {at(compact.MomentReply), grown(17), "Next: 12 results become stubs, about 27,300 are left."},
		"a summary": {at(compact.MomentReply), (&tale{}).talks(14),
			"In about 10,000 tokens (2 turns), at 80,000: turns 0–7 become a summary, about 46,000 are left."},
		"too little so far": {at(compact.MomentReply), grown(2),
			"In about 70,000 tokens (14 turns), at 80,000; so far there is too little that could be shortened."},
		"off": {at(compact.MomentReply).with(func(k *looking) { k.rules.Enabled = false }), grown(17),
			"Automatic compaction is off; only a refusal by the server makes room."},
		"unknown": {at(compact.MomentReply).with(func(k *looking) { k.options.Window = compact.Window{} }), grown(17),
			"The window is unknown: stubs are made where they pay, and a refusal by the server makes room."},
		"taken back": {at(compact.MomentReply).with(func(k *looking) { k.check.Past.Undone = 71_000 }), grown(17),
			"You took a compaction back: it holds until 91,000. Then 12 results become stubs, about 27,300 are left."},
		"just compacted": {at(compact.MomentReply).with(func(k *looking) { k.check.Past.After = 70_000 }), grown(17),
			"After the last compaction it rests until 90,000. Then 12 results become stubs, about 27,300 are left."},
		"just compacted, near the hard line": {at(compact.MomentReply).with(func(k *looking) { k.check.Past.After = 79_000 }), grown(17),
			"After the last compaction it rests until 95,000. Then 12 results become stubs, about 27,300 are left."},
		"nobody is asked": {at(compact.MomentReply).with(func(k *looking) { k.check.Past.Failures = 3 }), grown(14),
			"In about 10,000 tokens (2 turns), at 80,000: 9 results become stubs, about 26,700 are left. " +
				"Nobody is asked for summaries any more after 3 failures; stubs still make room."},
		"turns are missing": {at(compact.MomentReply).with(func(k *looking) { k.rules.Auto.MinTurns = 18 }), grown(17),
			"Once 2 more turns began: 12 results become stubs, about 27,300 are left."},
		"turns are missing, and it does not fit": {at(compact.MomentRequest).with(func(k *looking) { k.rules.Auto.MinTurns = 100 }), grown(20),
			"Next: 15 results become stubs, about 27,900 are left."},
		"a pass came to nothing": {at(compact.MomentReply).with(func(k *looking) { k.check.Past.Tried = 84_000 }), grown(17),
			"After the last compaction it rests until 89,000. Then 12 results become stubs, about 27,300 are left."},
		"a source that asks nobody any more": {at(compact.MomentReply).with(func(k *looking) {
			k.rules, k.check.Past.Failures = compact.PresetRules(compact.PresetJCLI), 3
		}), grown(3), "Before every request old results are shortened; by now there is none. Nobody is asked for summaries any more after 3 failures."},
		"a profile that needs a model": {at(compact.MomentReply).with(func(k *looking) {
			k.rules, k.check.Past.Failures = compact.PresetRules(compact.PresetJPAuto), 2
			k.rules.Auto.Profile = compact.ProfileHeavy
		}), grown(17), "Nobody is asked for summaries any more after 2 failures."},
		"a profile that came to nothing": {at(compact.MomentReply).with(func(k *looking) {
			k.rules, k.check.Past.Tried = compact.PresetRules(compact.PresetJPAuto), 84_000
			k.rules.Auto.Profile = compact.ProfileHeavy
		}), grown(17), "After the last compaction it rests until 89,000. Then turns 0–13 become a summary, about 34,700 are left."},
		"a layer alone": {at(compact.MomentRequest).with(func(k *looking) {
			k.rules = compact.PresetRules(compact.PresetAdachsoft)
		}), grown(3), "Before every request old results are shortened: 2 results by the next."},
	} {
		if got := c.look.rules.Outlook(c.look.of(c.log.events())).Words(); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", name, got, c.want)
		}
	}
}

package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArgumentsAreAttachedToTheFlagsTheyBelongTo(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		// -r of the chat.
		{"-r", "-r"},
		{"-r 3kq7", "--resume=3kq7"},
		{"--resume 3kq7 --demo", "--resume=3kq7 --demo"},
		{"-r --demo", "-r --demo"},
		{"--demo -r 3kq7", "--demo --resume=3kq7"},
		{"--data -r -r 3kq7", "--data -r --resume=3kq7"},
		{"ask -r 3kq7 hello", "ask -r 3kq7 hello"},
		{"-- -r 3kq7", "-- -r 3kq7"},

		// --from takes a value that is a bound.
		{"compact --from", "compact --from"},
		{"compact --from 5h", "compact --from=5h"},
		{"compact --from=5h", "compact --from=5h"},
		{"compact --from 0", "compact --from=0"},
		{"compact --from 5", "compact --from=5"},
		{"compact --from -3", "compact --from=-3"},
		{"compact --from 36h", "compact --from=36h"},
		{"compact --from last", "compact --from=last"},
		{"compact --from --to 5", "compact --from --to 5"},
		{"compact --from 2 --to 5", "compact --from=2 --to 5"},
		{"compact --from -3 --to -1", "compact --from=-3 --to -1"},
		{"compact --to -3 --from", "compact --to -3 --from"},
		{"compact --from --dry-run 3kq7", "compact --from --dry-run 3kq7"},

		// An ID after it names the conversation.
		{"compact --from 3kq7", "compact --from 3kq7"},
		{"compact --from 3KQ7", "compact --from 3KQ7"},
		{"compact --from abcdefghij23", "compact --from abcdefghij23"},
		{"compact 3kq7 --from", "compact 3kq7 --from"},
		{"compact 3kq7 --from 2", "compact 3kq7 --from=2"},
		{"compact --from 2 3kq7", "compact --from=2 3kq7"},
		{"compact --from 2d", "compact --from=2d"}, // ambiguous, and so a bound

		// A value that is neither is refused as a bound.
		{"compact --from 5x", "compact --from=5x"},
		{"compact --from -0", "compact --from=-0"},
		{"compact --from 99999999999999999999", "compact --from=99999999999999999999"},
		{"compact --from -h", "compact --from -h"},

		// Other flags and values are not changed.
		{"compact --focus --from 5h", "compact --focus --from 5h"},
		{"compact --profile --from 5h", "compact --profile --from 5h"},
		{"compact --to --from 5h", "compact --to --from 5h"},
		{"compact --data --from 5h", "compact --data --from 5h"},
		{"compact -- --from 5h", "compact -- --from 5h"},
		{"--data compact compact --from 5h", "--data compact compact --from=5h"},
		{"--demo compact --from 5h", "--demo compact --from=5h"},
		{"--data=x compact --from 5h", "--data=x compact --from=5h"},
		{"ask compact --from 5h", "ask compact --from 5h"},
		{"help compact --from 5h", "help compact --from 5h"},
		{"compact --keep-last 3 --from 5", "compact --keep-last 3 --from=5"},
		{"compact --from 5 --from 6", "compact --from=5 --from=6"},
	} {
		args := strings.Fields(c.args)
		if diff := cmp.Diff(strings.Fields(c.want), attachFlagValues(args)); diff != "" {
			t.Errorf("%s (- is wanted, + is made of it):\n%s", c.args, diff)
		}
		if diff := cmp.Diff(strings.Fields(c.args), args); diff != "" {
			t.Errorf("%s: the caller's arguments were changed:\n%s", c.args, diff)
		}
	}
	if diff := cmp.Diff([]string{"compact", "--from="}, attachFlagValues([]string{"compact", "--from", ""})); diff != "" {
		t.Errorf("an empty value is refused as a bound, not ignored:\n%s", diff)
	}
}

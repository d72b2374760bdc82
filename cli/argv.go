package cli

import (
	"slices"
	"strings"

	"plimsoll/compact/edit"
	"plimsoll/conversation"
)

// The flag library takes a flag either with a value or without. Where both are
// meant (`plimsoll -r`, `compact --from`), the arguments are rewritten before it
// sees them: a value that belongs to such a flag is attached to it. Rules:
//
//   - the argument after -r of the chat is its value, unless it is a flag
//   - the argument after --from is its value if it is a bound; an ID is not, and
//     anything else is left to be refused as a bound
//   - nothing after -- is changed, nor the value of another flag

func attachFlagValues(args []string) []string {
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return args
		case slices.Contains(commonValues, arg):
			i++
		case (arg == "-r" || arg == "--resume") && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-"):
			return attachValue(args, i, "--resume")
		case !strings.HasPrefix(arg, "-"):
			if arg == "compact" {
				return attachFromValues(args, i+1)
			}
			return args // another command
		}
	}
	return args
}

func attachFromValues(args []string, i int) []string {
	for ; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--":
			return args
		case slices.Contains(commonValues, arg), slices.Contains(compactValues, arg):
			i++
		case arg == "--from" && i+1 < len(args) && isFromValue(args[i+1]):
			args = attachValue(args, i, "--from")
		}
	}
	return args
}

func attachValue(args []string, i int, name string) []string {
	out := append(slices.Clone(args[:i]), name+"="+args[i+1])
	return append(out, args[i+2:]...)
}

func isFromValue(arg string) bool {
	if _, err := edit.ParseBound(arg); err == nil {
		return true
	}
	if rest, dashed := strings.CutPrefix(arg, "-"); dashed {
		return rest != "" && '0' <= rest[0] && rest[0] <= '9'
	}
	return !looksLikeID(arg)
}

func looksLikeID(arg string) bool {
	n := len(arg)
	if n < conversation.MinIDPrefix || n > conversation.IDLength {
		return false
	}
	padded := strings.ToLower(arg) + strings.Repeat("a", conversation.IDLength-n)
	return conversation.ValidID(padded)
}

// The flags whose value is the next argument, unless it is attached: of every
// command, and of compact.
var (
	commonValues  = []string{"--config", "--data", "--model", "--base-url", "--window", "--cfg"}
	compactValues = []string{"--profile", "--to", "--keep-last", "--keep", "--focus"}
)

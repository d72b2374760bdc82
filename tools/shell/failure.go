package shell

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"plimsoll/conversation"
)

// Why a command failed, in one line of what it printed: for the screen, where the
// output is folded. The line is a guess, so it is never sent.

const (
	failureBytes = 64 << 10 // of the end of the output that are looked through
	failureChars = 400      // of the line that are kept
)

var looksWrong = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(error|fail(ed|ure)?|fatal|panic|exception|traceback|denied|refused|abort(ed)?|invalid|undefined|unknown|missing|cannot|can't|could not|couldn't|unable|not found|no such|timed out|expected)\b`)
})

// sumsUp are lines that name no reason: the sums of test runners.
var sumsUp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(FAIL(\s.*)?|exit status \d+|make(\[\d+\])?: .*|npm (ERR!|error)( (A complete log|code|errno|path|command|syscall|Lifecycle|workspace|location)\b.*)?|error: Recipe .*)$`)
})

// failureLine is the last line of a failed command's output that looks like an error,
// else the last one that says anything, "" of none.
func failureLine(output string) string {
	output = screenText(output[max(0, len(output)-failureBytes):])
	last, sum := "", ""
	for _, line := range slices.Backward(strings.Split(output, "\n")) {
		line = strings.TrimSpace(line)
		switch {
		case sumsUp().MatchString(line):
			sum = cmp.Or(sum, line)
		case looksWrong().MatchString(line):
			return conversation.OneLine(line, failureChars)
		default:
			last = cmp.Or(last, line)
		}
	}
	return conversation.OneLine(cmp.Or(last, sum), failureChars)
}

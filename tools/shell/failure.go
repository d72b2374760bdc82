package shell

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"plimsoll/conversation"
)

// This file picks the line of a command's output that says why it failed, for the
// screen, which folds the output. It is a guess and is never sent to the model.

const (
	failureBytes = 64 << 10 // bytes of the end of the output that are searched
	failureChars = 400      // characters kept of the line
)

var looksWrong = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(error|fail(ed|ure)?|fatal|panic|exception|traceback|denied|refused|abort(ed)?|invalid|undefined|unknown|missing|cannot|can't|could not|couldn't|unable|not found|no such|timed out|expected)\b`)
})

// sumsUp matches lines without a reason, such as the totals of test runners.
var sumsUp = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(FAIL(\s.*)?|exit status \d+|make(\[\d+\])?: .*|npm (ERR!|error)( (A complete log|code|errno|path|command|syscall|Lifecycle|workspace|location)\b.*)?|error: Recipe .*)$`)
})

// failureLine returns the last line of a failed command's output that looks like an error,
// or else the last line that is not empty; "" if there is no output.
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

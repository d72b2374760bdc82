package shell

import (
	"regexp"
	"strings"
	"sync"
)

// Why a command failed, in one line of what it printed: for the screen, where the
// output is folded. The line is a guess, so it is never sent.

const (
	failureBytes = 64 << 10 // of the end of the output that are looked through
	failureChars = 400      // of the line that are kept
)

var (
	// looksWrong is how most programs name what went wrong.
	looksWrong = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\b(error|fail(ed|ure)?|fatal|panic|exception|traceback|denied|refused|abort(ed)?|invalid|undefined|unknown|missing|cannot|can't|could not|couldn't|unable|not found|no such|timed out|expected)\b`)
	})
	// sumsUp is lines that name no reason: the sums of test runners, and that something
	// below failed.
	sumsUp = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^(FAIL(\s.*)?|exit status \d+|make(\[\d+\])?: .*|npm (ERR!|error)( (A complete log|code|errno|path|command|syscall|Lifecycle|workspace|location)\b.*)?|error: Recipe .*)$`)
	})
)

// failureLine is the last line of a failed command's output that looks like an error,
// else the last one that says anything, "" of none.
func failureLine(output string) string {
	output = screenText(output[max(0, len(output)-failureBytes):])
	last, sum := "", ""
	lines := strings.Split(output, "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		switch {
		case line == "":
			continue
		case sumsUp().MatchString(line):
			sum = firstOf(sum, line)
		case looksWrong().MatchString(line):
			return shortened(line)
		default:
			last = firstOf(last, line)
		}
	}
	return shortened(firstOf(last, sum))
}

// firstOf is the first of two texts that is not empty.
func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func shortened(line string) string {
	if runes := []rune(line); len(runes) > failureChars {
		return string(runes[:failureChars]) + "…"
	}
	return line
}

package console

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"plimsoll/compact/meter"
	"plimsoll/conversation/numbers"
)

// What comes in on a pipe is part of the prompt. A pipe that nobody closes would
// be waited for without a word, so after a while there is one. More than the
// window of the model can ever hold is refused as soon as that is known: it is
// not read to its end, which may never come, and not recorded.

// Asks reports as wrong use that there is nothing to ask: no prompt, and nobody
// who pipes one in.
func (c *Console) Asks(prompt string) error {
	if strings.TrimSpace(prompt) == "" && !c.piped() {
		return errNothingToAsk
	}
	return nil
}

var errNothingToAsk = WrongUse("no prompt: give one, or pipe it in")

// piped reports whether standard input is something to read.
func (c *Console) piped() bool { return c.Stdin != nil && !Terminal(c.Stdin) }

// WithInput appends what comes in on a pipe to the prompt, for a model of that
// window.
func (c *Console) WithInput(ctx context.Context, prompt, model string, w meter.Window) (string, error) {
	if !c.piped() {
		return prompt, nil
	}
	late := func() {}
	if prompt != "" {
		late = func() { c.Note("waiting for the end of standard input; press Ctrl+D, or run it with `< /dev/null`") }
	}
	limit := inputLimit(w)
	if n := sizeOf(c.Stdin); n > limit {
		return "", tooMuch(megabytes(n), model, w)
	}
	data, err := ReadAll(ctx, c.Stdin, limit, late)
	if errors.Is(err, errTooMuch) {
		return "", tooMuch("more than "+megabytes(limit), model, w)
	}
	if err != nil {
		return "", err
	}
	if text := strings.TrimRight(data, "\n"); strings.TrimSpace(text) != "" {
		if prompt != "" {
			prompt += "\n\n"
		}
		prompt += text
	}
	if strings.TrimSpace(prompt) == "" {
		return "", errNothingToAsk
	}
	return prompt, nil
}

// Limits of what may come in on a pipe, in bytes. Text has some four bytes to a token; twice that fits no window,
// whatever it says. The agent weighs what is below.
const (
	inputPerToken = 8
	leastInput    = 64 << 10
	unknownWindow = 8 << 20  // where nobody knows the window
	largestInput  = 12 << 20 // whatever the window: it is held in memory fifteen times
)

// inputPatience is when a pipe that does not end is worth a word.
const inputPatience = 2 * time.Second

// inputLimit is how many bytes may come in for a window.
func inputLimit(w meter.Window) int {
	if !w.Known() {
		return unknownWindow
	}
	return min(largestInput, max(leastInput, inputPerToken*w.Tokens))
}

// tooMuch says how much came in, what there is room for, and what helps.
func tooMuch(size, model string, w meter.Window) error {
	window := "an unknown window"
	if w.Known() {
		window = fmt.Sprintf("a window of %s tokens", numbers.Grouped(w.Tokens))
	}
	return WithHint(fmt.Errorf("%s came in on standard input, but at most %s are accepted for %s, which has %s; nothing was sent or stored",
		size, megabytes(inputLimit(w)), model, window),
		"cut it, name a file in the prompt instead, of which the model reads parts, or choose a model with a larger window")
}

// megabytes is a number of bytes in words.
func megabytes(bytes int) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// sizeOf is how many bytes a file has, 0 for a pipe, whose end is not known.
func sizeOf(input io.Reader) int {
	f, ok := input.(*os.File)
	if !ok {
		return 0
	}
	st, err := f.Stat()
	if err != nil || !st.Mode().IsRegular() {
		return 0
	}
	return int(st.Size())
}

// errTooMuch says that more came in than was allowed.
var errTooMuch = errors.New("too much came in")

// ReadAll reads at most limit bytes to the end of standard input, or until ctx
// ends: a pipe cannot be made to stop waiting, so what reads it then ends with
// the program. More is errTooMuch. If it takes long, late is called.
func ReadAll(ctx context.Context, input io.Reader, limit int, late func()) (string, error) {
	var data strings.Builder
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err = io.Copy(&data, io.LimitReader(input, int64(limit)+1))
	}()
	patience := time.NewTimer(inputPatience)
	defer patience.Stop()
	for waiting := true; waiting; {
		select {
		case <-done:
			waiting = false
		case <-patience.C:
			late()
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("reading standard input: %w", err)
	case data.Len() > limit:
		return "", errTooMuch
	}
	return data.String(), nil
}

// ReadLine reads one line of standard input, or until ctx ends: what waits for the line then ends with the program. The
// end of the input ends the line, too. On a terminal a hidden line is not shown while it is typed.
func (c *Console) ReadLine(ctx context.Context, hidden bool, most int64) (string, error) {
	read := func() (string, error) {
		text, err := bufio.NewReader(io.LimitReader(c.Stdin, most)).ReadString('\n')
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return text, err
	}
	if in, ok := c.Stdin.(*os.File); ok && hidden && Terminal(in) {
		state, err := term.GetState(int(in.Fd()))
		if err != nil {
			return "", err
		}
		// What the terminal shows is put back, also when the wait is ended.
		defer func() { _ = term.Restore(int(in.Fd()), state) }()
		defer fmt.Fprintln(c.Stderr)
		read = func() (string, error) {
			raw, err := term.ReadPassword(int(in.Fd()))
			return string(raw), err
		}
	}
	var text string
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		text, err = read()
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case <-done:
		return text, err
	}
}

// Agree asks on the terminal; only a y or yes is one.
func (c *Console) Agree(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(c.Stderr, "%s [y/N] ", ProgressLine(question))
	line, err := c.ReadLine(ctx, false, 1<<10)
	word := strings.ToLower(strings.TrimSpace(line))
	return word == "y" || word == "yes", err
}

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
	limit := inputLimit{model: model, window: w}
	if err := limit.refuses(sizeOf(c.Stdin)); err != nil {
		return "", err
	}
	data, err := ReadAll(ctx, c.Stdin, limit.bytes(), late)
	if errors.Is(err, errTooMuch) {
		return "", limit.refusal("more than " + megabytes(limit.bytes()))
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

// Limits of what may come in on a pipe, in bytes. Text has some four bytes to a
// token; twice that fits no window, whatever it says. The agent weighs what is
// below.
const (
	inputPerToken = 8
	usualPerToken = 4
	leastInput    = 64 << 10
	unknownWindow = 8 << 20  // where nobody knows the window
	largestInput  = 12 << 20 // whatever the window: it is held in memory fifteen times
)

// inputPatience is when a pipe that does not end is worth a word.
const inputPatience = 2 * time.Second

// inputLimit is how much may come in for a model.
type inputLimit struct {
	model  string
	window meter.Window
}

func (l inputLimit) bytes() int {
	if !l.window.Known() {
		return unknownWindow
	}
	return min(largestInput, max(leastInput, inputPerToken*l.window.Tokens))
}

// refuses is the refusal of so many bytes, nil if they may come in.
func (l inputLimit) refuses(bytes int) error {
	if bytes <= l.bytes() {
		return nil
	}
	return l.refusal(megabytes(bytes))
}

// refusal says how much came in, what there is room for, and what helps.
func (l inputLimit) refusal(size string) error {
	room := fmt.Sprintf("at most %s are accepted at once", megabytes(l.bytes()))
	switch {
	case !l.window.Known():
		room += " where the window is unknown, as for " + l.model
	case l.bytes() < largestInput:
		room = fmt.Sprintf("the window of %s has %s tokens, about %s of text", l.model, numbers.Grouped(l.window.Tokens),
			megabytes(usualPerToken*l.window.Tokens))
	}
	return WithHint(fmt.Errorf("%s came in on standard input, but %s; nothing was sent or stored", size, room),
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

// Agree asks on the terminal; only a y or yes is one. What waits for the answer
// ends with the program.
func (c *Console) Agree(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(c.Stderr, "%s [y/N] ", ProgressLine(question))
	answer := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(c.Stdin).ReadString('\n') // an end without a word is a no
		answer <- line
	}()
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case line := <-answer:
		word := strings.ToLower(strings.TrimSpace(line))
		return word == "y" || word == "yes", nil
	}
}

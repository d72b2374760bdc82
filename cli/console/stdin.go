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
	"plimsoll/conversation/plain"
)

// Piped input is appended to the prompt. If the pipe stays open for a while, a note says that the program waits for it. Input
// that is larger than the model's window is refused as soon as that is known, without reading it to the end, and is not
// stored.

// CheckPrompt returns a usage error if there is neither a prompt nor piped input.
func (c *Console) CheckPrompt(prompt string) error {
	if strings.TrimSpace(prompt) == "" && !c.isPiped() {
		return errNothingToAsk
	}
	return nil
}

var errNothingToAsk = WrongUse("no prompt: give one, or pipe it in")

func (c *Console) isPiped() bool { return c.Stdin != nil && !Terminal(c.Stdin) }

// AppendInput appends piped input to the prompt. w is the window of the model, which limits the input.
func (c *Console) AppendInput(ctx context.Context, prompt, model string, w meter.Window) (string, error) {
	if !c.isPiped() {
		return prompt, nil
	}
	onSlowInput := func() {}
	if prompt != "" {
		onSlowInput = func() { c.Note("waiting for the end of standard input; press Ctrl+D, or run it with `< /dev/null`") }
	}
	limit := inputLimit(w)
	if n := fileSize(c.Stdin); n > limit {
		return "", inputTooLargeError(megabytes(n), model, w)
	}
	data, err := ReadAll(ctx, c.Stdin, limit, onSlowInput)
	if errors.Is(err, errInputTooLarge) {
		return "", inputTooLargeError("more than "+megabytes(limit), model, w)
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

// Limits of piped input, in bytes. Text has about four bytes per token; input of twice that never fits the window. The agent
// checks smaller input by its estimated tokens.
const (
	inputPerToken         = 8
	minInput              = 64 << 10
	maxInputUnknownWindow = 8 << 20  // limit for an unknown window
	maxInput              = 12 << 20 // limit for any window: about fifteen copies are held in memory
)

// slowInputDelay is the time after which a note says that the program waits for piped input.
const slowInputDelay = 2 * time.Second

// inputLimit is the limit of piped input for a window, in bytes.
func inputLimit(w meter.Window) int {
	if !w.IsKnown() {
		return maxInputUnknownWindow
	}
	return min(maxInput, max(minInput, inputPerToken*w.Tokens))
}

// inputTooLargeError is the error of input above the limit, with the limit and a hint.
func inputTooLargeError(size, model string, w meter.Window) error {
	window := "an unknown window"
	if w.IsKnown() {
		window = fmt.Sprintf("a window of %s tokens", numbers.Grouped(w.Tokens))
	}
	return WithHint(fmt.Errorf("%s came in on standard input, but at most %s are accepted for %s, which has %s; nothing was sent or stored",
		size, megabytes(inputLimit(w)), model, window),
		"cut it, name a file in the prompt instead, of which the model reads parts, or choose a model with a larger window")
}

func megabytes(bytes int) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }

// fileSize is the size of a file in bytes, 0 for a pipe.
func fileSize(input io.Reader) int {
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

// errInputTooLarge reports input above the limit.
var errInputTooLarge = errors.New("too much came in")

// ReadAll reads input to its end, or until ctx ends; a read of a pipe cannot be cancelled, so its goroutine then ends with the
// program. Input of more than limit bytes is errInputTooLarge. After slowInputDelay onSlowInput is called.
func ReadAll(ctx context.Context, input io.Reader, limit int, onSlowInput func()) (string, error) {
	var data strings.Builder
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, err = io.Copy(&data, io.LimitReader(input, int64(limit)+1))
	}()
	slowInput := time.NewTimer(slowInputDelay)
	defer slowInput.Stop()
	for waiting := true; waiting; {
		select {
		case <-done:
			waiting = false
		case <-slowInput.C:
			onSlowInput()
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("reading standard input: %w", err)
	case data.Len() > limit:
		return "", errInputTooLarge
	}
	return data.String(), nil
}

// ReadLine reads one line of at most maxBytes bytes from standard input, or until ctx ends; the goroutine that reads then
// ends with the program. The end of input also ends the line. On a terminal a hidden line is not echoed.
func (c *Console) ReadLine(ctx context.Context, hidden bool, maxBytes int64) (string, error) {
	read := func() (string, error) {
		text, err := bufio.NewReader(io.LimitReader(c.Stdin, maxBytes)).ReadString('\n')
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
		// The echo is switched on again, also when ctx ends.
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

// Confirm asks a question on the terminal; only y and yes mean true.
func (c *Console) Confirm(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(c.Stderr, "%s [y/N] ", plain.Line(question))
	line, err := c.ReadLine(ctx, false, 1<<10)
	word := strings.ToLower(strings.TrimSpace(line))
	return word == "y" || word == "yes", err
}

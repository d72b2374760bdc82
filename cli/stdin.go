package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"
)

// What comes in on a pipe is part of the prompt. A pipe that nobody closes would
// be waited for without a word, so after a while there is one.

// withInput appends what comes in on a pipe to the prompt.
func (a *app) withInput(ctx context.Context, prompt string) (string, error) {
	if a.env.Stdin != nil && !terminal(a.env.Stdin) {
		late := func() {}
		if prompt != "" {
			late = func() { a.note("waiting for standard input to end; `< /dev/null` does without it") }
		}
		data, err := readAll(ctx, a.env.Stdin, late)
		if err != nil {
			return "", err
		}
		if text := strings.TrimRight(string(data), "\n"); strings.TrimSpace(text) != "" {
			if prompt != "" {
				prompt += "\n\n"
			}
			prompt += text
		}
	}
	if strings.TrimSpace(prompt) == "" {
		return "", wrongUse("there is nothing to ask: give a prompt, or pipe one in")
	}
	return prompt, nil
}

// maxInput is how many bytes may come in on a pipe.
const maxInput = 64 << 20

// inputPatience is when a pipe that does not end is worth a word.
const inputPatience = 2 * time.Second

// readAll reads standard input to its end, or until ctx ends: a pipe cannot be
// made to stop waiting, so what reads it then ends with the program. If it
// takes long, late is called.
func readAll(ctx context.Context, input io.Reader, late func()) ([]byte, error) {
	var data []byte
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		data, err = io.ReadAll(io.LimitReader(input, maxInput+1))
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
			return nil, ctx.Err()
		}
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("reading standard input: %w", err)
	case len(data) > maxInput:
		return nil, wrongUse("more than %d MiB came in on standard input; no model takes so much", maxInput>>20)
	}
	return data, nil
}

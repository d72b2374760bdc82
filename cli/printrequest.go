package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"plimsoll/compact/inspect"

	"plimsoll/cli/console"
	"plimsoll/cli/session"
	"plimsoll/conversation/numbers"
)

// printRequest writes the body of a past request, and notes whether it equals what was sent.
func (cmd *printCommand) printRequest(ctx context.Context, args []string) error {
	number := cmd.request
	if err := exclusive(cmd.changed, "request", "compacted", "preset", "json"); err != nil {
		return err
	}
	if number == 0 {
		return console.WrongUse("--request 0: requests are counted from 1, and from -1 for the newest")
	}
	snapshot, err := cmd.Conversations.Read(ctx, args)
	if err != nil {
		return err
	}
	if err := cmd.Settings.AdoptRecorded(snapshot.Events); err != nil {
		return err
	}
	q, err := requestAt(inspect.SentRequests(snapshot.Events), number)
	if err != nil {
		return err
	}
	ref := session.RequestRef{Store: snapshot.Store, ID: snapshot.ID, Events: snapshot.Events, SentRequest: q}
	b, err := cmd.Conversations.Rebuild(ctx, ref)
	if err != nil {
		return err
	}
	body := cmd.Console.Text(string(b.Body))
	if body != "" && console.Terminal(cmd.Console.Stdout) {
		body += "\n"
	}
	if _, err := io.WriteString(cmd.Console.Stdout, body); err != nil {
		return err
	}
	if b.MatchesSent {
		cmd.Console.Note("request %d: byte for byte what was sent to %s at %s",
			b.Number, b.Usage.Model, b.Time.Local().Format(time.DateTime))
		return nil
	}
	cmd.Console.Note("request %d: %s", b.Number, b.Why)
	return console.ErrReported
}

// requestAt returns a request by its number; negative numbers count from the end.
func requestAt(requests []inspect.SentRequest, number int) (inspect.SentRequest, error) {
	i := number - 1
	if number < 0 {
		i = len(requests) + number
	}
	switch {
	case len(requests) == 0:
		return inspect.SentRequest{}, errors.New("no request was recorded in this conversation")
	case i < 0 || i >= len(requests):
		return inspect.SentRequest{}, console.WithHint(fmt.Errorf("there is no request %d", number),
			fmt.Sprintf("the conversation has %s: 1 is the first, -1 the newest", numbers.Count(len(requests), "request")))
	}
	return requests[i], nil
}
